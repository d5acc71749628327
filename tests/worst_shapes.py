"""Files of each format in the shape that costs its reader most, of any size."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from io import BytesIO

from artifact_kit import read_format
from benchpin.core.calls import Job
from benchpin.performance.reading import Budget
from jfr_recordings import TYPES as JFR_TYPES
from jfr_recordings import Types as JfrTypes
from jfr_recordings import chunk, constants, metadata, pools, sample, stack

Shape = Callable[[int], bytes]
"""Returns a file of `n` repeated pieces."""


def _varint(number: int) -> bytes:
    written = b""
    while number > 0x7F:
        written += bytes([number & 0x7F | 0x80])
        number >>= 7
    return written + bytes([number])


def message(number: int, content: bytes) -> bytes:
    """Return a field of a protocol buffer."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def pprof(samples: bytes, lines: int = 1) -> bytes:
    """Return a pprof file with one location, of some inlined functions."""
    location = message(4, b"\x08\x01" + message(4, b"\x08\x01") * lines)
    texts = b"".join(message(6, it) for it in (b"", b"samples", b"count", b"f"))
    kind = message(1, b"\x08\x01\x10\x02")
    return kind + samples + location + message(5, b"\x08\x01\x10\x03") + texts


def pprof_sample(frames: int) -> bytes:
    return message(2, message(1, b"\x01" * frames) + message(2, b"\x01"))


def speedscope(view: str) -> bytes:
    """Return a speedscope file with one view."""
    return (
        '{"$schema":"https://www.speedscope.app/file-format-schema.json",'
        '"shared":{"frames":[{"name":"a"},{"name":"b"}]},'
        '"profiles":[{"name":"a","unit":"none",' + view + "}]}"
    ).encode()


def evented(events: list[str]) -> bytes:
    return speedscope('"type":"evented","events":[' + ",".join(events) + "]")


def event(kind: str, frame: int, at: int) -> str:
    return f'{{"type":"{kind}","frame":{frame},"at":{at}}}'


def trace(events: str) -> bytes:
    """Return a Chrome trace."""
    return ('{"traceEvents":[' + events.removesuffix(",") + "]}").encode()


def begun(number: int) -> str:
    """Return an event that begins, and does not end."""
    return f'{{"ph":"B","name":"a","ts":{number},"pid":1,"tid":1}},'


def ended(number: int) -> str:
    return f'{{"ph":"E","name":"a","ts":{number},"pid":1,"tid":1}},'


def cpuprofile(nodes: str, samples: str = "1", deltas: str = "1") -> bytes:
    """Return a profile of V8."""
    nodes = nodes.removesuffix(",")
    return f'{{"nodes":[{nodes}],"samples":[{samples}],"timeDeltas":[{deltas}]}}'.encode()


def node(number: int, *children: int) -> str:
    return f'{{"id":{number},"callFrame":{{"functionName":"a"}},"children":{list(children)}}},'


def pyinstrument(root: str) -> bytes:
    """Return a profile of pyinstrument."""
    return f'{{"start_time":1,"duration":1,"sample_count":1,"root_frame":{root}}}'.encode()


def frame(children: str = "", time: str = "1") -> str:
    return f'{{"function":"a","time":{time},"children":[{children}]}}'


def marshalled(text: str) -> bytes:
    return b"z" + bytes([len(text)]) + text.encode()


def _cprofile_key(number: int) -> bytes:
    return b")\x03" + marshalled("a") + b"i" + number.to_bytes(4, "little") + marshalled("f")


def cprofile(entries: int, callers: int) -> bytes:
    """Return a file of cProfile with as many functions, the last with as many callers."""
    one = b"i\x01\0\0\0"
    times, last = b")\x05" + one * 4, b")\x04" + one * 4
    found = b"".join(_cprofile_key(it) + times + b"{0" for it in range(entries))
    called = b"".join(_cprofile_key(it) + last for it in range(callers))
    return b"{" + found + _cprofile_key(entries) + times + b"{" + called + b"00"


def callgrind(body: str, events: str = "Ir") -> bytes:
    return f"# callgrind format\nevents: {events}\nfn=(1) a\n{body}".encode()


def perf(frames: str) -> bytes:
    return f"a 1 1.0: 1 cycles:\n{frames}\na 1 1.0: 1 cycles:\n\t1 f (b)\n\n".encode()


def xhprof(pairs: str) -> bytes:
    return ('{"main()":{"ct":1,"wt":1}' + pairs + "}").encode()


def jfr(stacks: dict[int, bytes], events: bytes) -> bytes:
    """Return a recording of one method."""
    known = constants(["f"], [])
    return chunk(events, pools(known | {next(iter(known)): stacks}))


def nested_types(depth: int) -> JfrTypes:
    """Return types of which each has the next one twice, so that the first has 2**depth parts."""
    first = 1_000
    types = {
        first + at: (f"t{at}", [(it, first + at + 1, False, False) for it in "ab"])
        for at in range(depth)
    }
    last: JfrTypes = {first + depth: ("int", [])}
    used: JfrTypes = {101: ("jdk.ExecutionSample", [("stackTrace", first, False, False)])}
    return {**JFR_TYPES, **types, **last, **used}


def arrays_of_nothing() -> JfrTypes:
    """Return an event with an array of a type that takes no bytes."""
    return {
        **JFR_TYPES,
        201: ("nothing", []),
        101: ("jdk.ExecutionSample", [("stackTrace", 201, False, True)]),
    }


SHAPES: dict[str, dict[str, Shape]] = {
    "speedscope": {
        "frames that never close": lambda n: evented([event("O", 0, it) for it in range(n)]),
        "frames that never open": lambda n: evented([event("C", 0, it) for it in range(n)]),
        "frames that open and close": lambda n: evented(
            [event("OC"[it % 2], it % 2, it) for it in range(n)]
        ),
        "one deep sample": lambda n: speedscope(
            '"type":"sampled","samples":[[' + ",".join("0" * n) + ']],"weights":[1]'
        ),
        "views": lambda n: speedscope(
            '"type":"sampled"},' + '{"type":"sampled","unit":"none","name":"b"},' * n + '{"type":'
            '"sampled","unit":"none"'
        ),
        "nested lists": lambda n: speedscope('"type":"sampled","samples":' + "[" * n + "]" * n),
        "a large weight": lambda n: speedscope(
            '"type":"sampled","samples":[' + "[0]," * n + '[0]],"weights":[' + "1e308," * n + "1]"
        ),
    },
    "pprof": {
        "one deep sample": lambda n: pprof(pprof_sample(n)),
        "samples": lambda n: pprof(pprof_sample(1) * n),
        "inlined functions": lambda n: pprof(pprof_sample(1), lines=n),
        "numbers without an end": lambda n: pprof(message(2, message(1, b"\xff" * n))),
        "texts": lambda n: pprof(pprof_sample(1)) + message(6, b"a") * n,
    },
    "jfr": {
        "samples": lambda n: jfr({1: stack(1)}, sample(1) * n),
        "one deep stack": lambda n: jfr({1: stack(*[1] * n)}, sample(1)),
        "stacks that none uses": lambda n: jfr(dict.fromkeys(range(1, n), stack(1, 1)), sample(1)),
        "chunks": lambda n: jfr({1: stack(1)}, sample(1)) * (n // 50),
        "events without a size": lambda n: jfr({1: stack(1)}, sample(1) + b"\0" * n),
        "events of no known type": lambda n: jfr({1: stack(1)}, sample(1) + b"\2\x63" * n),
        "types of types": lambda n: chunk(sample(1), described=metadata(nested_types(n))),
        "arrays of nothing": lambda n: chunk(
            sample(1) * n, described=metadata(arrays_of_nothing())
        ),
    },
    "collapsed": {
        "one deep stack": lambda n: b"a;" * n + b"a 1\nb;c 1\n",
        "deep stacks by turns": lambda n: (b"a;" * 500 + b"a 1\nb;c 1\n") * (n // 500),
        "stacks of one frame": lambda n: b"a;b 1\n" + b"".join(b"a%d 1\n" % it for it in range(n)),
        "large counts": lambda n: b"a;b 999999999999999\n" * n,
        "no counts": lambda n: b"a;b 1\n" + b"a;b nan\n" * n,
    },
    "perf-script": {
        "one deep sample": lambda n: perf("\t1 f (b)\n" * n),
        "frames of many names": lambda n: perf("".join(f"\t1 f{it} (b)\n" for it in range(n))),
        "samples": lambda n: b"a 1 1.0: 1 cycles:\n\t1 f (b)\n\n" * n,
        "other lines": lambda n: perf("\t1 f (b)\n") + b"-\n" * n,
    },
    "callgrind": {
        "costs": lambda n: callgrind("1 1\n" * n),
        "functions": lambda n: callgrind("".join(f"fn=({it}) a{it}\n1 1\n" for it in range(n))),
        "events": lambda n: callgrind("1 1\n", "a " * n),
        "calls of all": lambda n: callgrind(
            "".join(f"cfn=({it}) a{it}\ncalls=1 1\n1 1\n" for it in range(n))
        ),
        "long numbers": lambda n: callgrind("1 " + "9" * n + "\n"),
    },
    "cpuprofile": {
        "one deep stack": lambda n: cpuprofile("".join(node(it, it + 1) for it in range(n))),
        "children in front": lambda n: cpuprofile(
            "".join(node(it, it + 1) for it in reversed(range(n)))
        ),
        "a circle": lambda n: cpuprofile("".join(node(it, (it + 1) % n) for it in range(n))),
        "one parent": lambda n: cpuprofile(node(0, *range(1, n)) + node(1)),
        "large times": lambda n: cpuprofile(node(1), "1," * n + "1", "1e308," * n + "1"),
    },
    "pyinstrument": {
        "nested frames": lambda n: pyinstrument('{"function":"a","time":1,"children":[' * n),
        "children": lambda n: pyinstrument(frame(",".join(frame() for _ in range(n)))),
        "large times": lambda n: pyinstrument(
            frame(",".join(frame(time="1e308") for _ in range(n)))
        ),
    },
    "xhprof": {
        "pairs": lambda n: xhprof("".join(f',"a==>b{it}":{{"ct":1,"wt":1}}' for it in range(n))),
        "large costs": lambda n: xhprof(',"a==>b":{"ct":1,"wt":1e308}' * n),
        "serialised": lambda n: b"a:%d:{" % n + b's:4:"a==>";a:1:{s:2:"wt";i:1;}' * n + b"}",
        "an array without an end": lambda n: b'a:999999999999:{s:6:"main()";a:' + b"9" * n,
    },
    "pstats": {
        "functions": lambda n: cprofile(n, 0),
        "callers": lambda n: cprofile(1, n),
    },
    "chrome-trace": {
        "events that never end": lambda n: trace("".join(map(begun, range(n)))),
        "events that never begin": lambda n: trace("".join(map(ended, range(n)))),
        "events at one time": lambda n: trace(begun(0) * n),
        "threads": lambda n: trace(
            "".join(
                f'{{"ph":"X","name":"a","ts":1,"dur":1,"pid":{it},"tid":1}},' for it in range(n)
            )
        ),
        "an event full of objects": lambda n: trace(
            '{"ph":"X","name":"a","ts":1,"args":{"b":[' + "{},\n" * n + "{}]}},"
        ),
        "large times": lambda n: trace('{"ph":"X","name":"a","ts":1e308,"dur":1e308},' * n),
    },
}
"""By format and name."""


def har(entries: str) -> bytes:
    """Return a HAR."""
    return ('{"log":{"creator":{},"entries":[' + entries.removesuffix(",") + "]}}").encode()


def entry(time: str = "1") -> str:
    return f'{{"request":{{"url":"/a"}},"response":{{"status":200}},"time":{time}}},'


def plan(inner: str) -> bytes:
    """Return a plan of PostgreSQL."""
    return ('[{"Plan":{"Node Type":"Seq Scan","Plans":' + inner + "}}]").encode()


_STATISTICS = b"query,calls,total_exec_time,min_exec_time,max_exec_time\n"
_PG = b"2026-01-01 00:00:00.000 UTC [1] LOG:  duration: 1.000 ms  statement: "
_SLOW = b"# Query_time: 1.000000  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0\n"

ARTIFACTS: dict[str, dict[str, Shape]] = {
    "har": {
        "entries": lambda n: har(entry() * n),
        "large times": lambda n: har(entry("1e308") * n),
        "not a number": lambda n: har(entry("NaN") * n),
        "an entry full of numbers": lambda n: har('{"a":[' + "1," * n + "1]},"),
        "numbers before the entries": lambda n: (
            b'{"log":{"creator":{},"a":[' + b"1," * n + b'1],"entries":[]}}'
        ),
        "a long number": lambda n: har(entry("9" * n)),
        "nested lists": lambda n: har(entry() + "[" * n),
    },
    "timings": {
        "rows": lambda n: b"url,ttfb_ms,wall_ms\n" + b"/a,1,1\n" * n,
        "rows of large times": lambda n: b"url,ttfb_ms,wall_ms\n" + b"/a,1e308,nan\n" * n,
        "lines of curl": lambda n: b'{"time_total":1,"http_code":200}\n' * n,
        "values on one line": lambda n: b'{"time_total":1,"http_code":200}' * n,
    },
    "plans": {
        "nested plans": lambda n: plan('[{"Node Type":"Sort","Plans":' * n),
        "steps": lambda n: plan("[" + '{"Node Type":"Sort"},' * n + "{}]"),
        "numbers": lambda n: plan("[" + "1e308,NaN," * n + "1]"),
        "documents": lambda n: plan("[]") + b'{"a":1}' * n,
    },
    "digests": {
        "rows": lambda n: _STATISTICS + b"select 1,1,1,1,1\n" * n,
        "rows of large times": lambda n: _STATISTICS + b"select 1,1,1e308,nan,inf\n" * n,
        "columns": lambda n: _STATISTICS + b"," * n,
        "a quote without an end": lambda n: _STATISTICS + b'"' + b"a," * n,
    },
    "postgresql log": {
        "statements": lambda n: _PG + b"select 1\n" + (_PG + b"select 2\n") * n,
        "one statement": lambda n: _PG + b"select 1\n" + b"\ta\n" * n,
        "one line": lambda n: _PG + b"(" * n,
    },
    "slow log": {
        "statements": lambda n: (_SLOW + b"select 1;\n") * n,
        "one statement": lambda n: _SLOW + b"select " + b"a," * n + b";\n",
    },
    "spx": {
        "calls that never return": lambda n: b"[events]\n" + b"1 1 1\n" * n,
        "returns": lambda n: b"[events]\n" + b"1 0 1\n" * n,
        "calls and wrong returns": lambda n: b"[events]\n" + b"1 1 1\n" * 300 + b"2 0 1\n" * n,
        "functions": lambda n: b"[events]\n" + b"".join(b"%d 1 1\n" % it for it in range(n)),
        "large numbers": lambda n: b"[events]\n" + b"1 1 " + b"9" * n + b"\n",
    },
}
"""What is recognised and read by its content alone, by format and name."""


def lcov(pieces: str) -> bytes:
    return f"SF:a\n{pieces}end_of_record\n".encode()


def coverage_data(files: int) -> bytes:
    """Return a data file of coverage.py with many files, in which nothing ran."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            "CREATE TABLE coverage_schema (version); INSERT INTO coverage_schema VALUES (7);"
            "CREATE TABLE file (id, path); CREATE TABLE meta (a);"
            "CREATE TABLE arc (file_id, tono); CREATE TABLE line_bits (file_id, numbits);"
        )
        connection.executemany(
            "INSERT INTO file VALUES (1, ?)", ((f"{it}",) for it in range(files))
        )
        connection.commit()
        return connection.serialize()


COVERAGE: dict[str, dict[str, Shape]] = {
    "lcov": {
        "lines": lambda n: lcov("".join(f"DA:{it},1\n" for it in range(n))),
        "other lines": lambda n: lcov("BRDA:1,0,0,1\n" * n),
        "files": lambda n: lcov("".join(f"SF:{it}\n" for it in range(n))),
        "one line": lambda n: lcov("DA:1" + "," * n + "\n"),
    },
    "coverage.xml": {
        "elements": lambda n: b"<coverage>" + b"<a/>" * n + b"</coverage>",
        "nested elements": lambda n: b"<coverage>" + b"<a>" * n,
        "lines": lambda n: (
            b"<report><sourcefile name='a'>"
            + b"".join(b"<line nr='%d' ci='1'/>" % it for it in range(n))
            + b"</sourcefile></report>"
        ),
        "one text": lambda n: b"<coverage><source>" + b"a" * n + b"</source></coverage>",
    },
    "coverage.py": {"files": coverage_data},
}


def read_collapsed(text: str) -> object:
    """Read collapsed stacks."""
    return read_format("collapsed", BytesIO(text.encode()), Budget(), Job())
