"""Read large profiles of every format, beside the reader that people usually have for it.

    python bench/profile_formats.py [FORMAT …]

Each reader runs in a process of its own: its processor time, for ours without the start of Python,
and the most memory. The profiles are made: stacks of up to twelve of 300 functions; neighbours
share most of their callers. A reader that is not installed is left out.
"""

import gzip
import json
import marshal
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from results import help_if_asked

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
SEED = 11
FUNCTIONS = 300
OURS = """
import sys
from benchpin.core.calls import Job
from benchpin.performance.reading import Budget, ReadRequest
from benchpin.performance.formats import FileHead, read_artifact, recognise
if len(sys.argv) > 1:
    with open(sys.argv[1], "rb") as file:
        profile, _ = recognise(FileHead(file))
        file.seek(0)
        found = read_artifact(ReadRequest(profile.name, Budget()), file, Job())
        assert found.is_complete, found.faults
"""
JSON_LOAD = "import json, sys\nif len(sys.argv) > 1: json.load(open(sys.argv[1], encoding='utf-8'))"
PSTATS = "import pstats, sys\nif len(sys.argv) > 1: pstats.Stats(sys.argv[1])"
PHP = "if ($argc > 1) unserialize(file_get_contents($argv[1]));"


def stacks(count: int) -> Iterator[list[int]]:
    """Yield stacks of numbered functions, the outermost first."""
    chance = random.Random(SEED)  # noqa: S311 - the same profile in every run
    stack = [0]
    for _ in range(count):
        del stack[max(1, len(stack) - chance.randrange(4)) :]
        while len(stack) < 12 and chance.random() < 0.7:  # noqa: PLR2004
            stack.append(1 + (stack[-1] * 7 + chance.randrange(2)) % (FUNCTIONS - 1))
        yield list(stack)


def name(function: int) -> str:
    """Return the name of a function."""
    return f"app.module_{function % 17}.function_{function}"


def collapsed(count: int) -> bytes:
    """Return a file with so many events."""
    return "".join(f"{';'.join(map(name, it))} 3\n" for it in stacks(count)).encode()


def speedscope(count: int) -> bytes:
    """Return a file with so many events."""
    samples = list(stacks(count))
    return json.dumps(
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": {"frames": [{"name": name(it), "file": "a.py"} for it in range(FUNCTIONS)]},
            "profiles": [
                {
                    "type": "sampled",
                    "name": "p",
                    "unit": "microseconds",
                    "startValue": 0,
                    "endValue": count,
                    "samples": samples,
                    "weights": [1] * count,
                }
            ],
        }
    ).encode()


def cpuprofile(count: int) -> bytes:
    """Return a file with so many events."""
    nodes: dict[tuple[int, ...], int] = {(): 1}
    parents: dict[int, list[int]] = {1: []}
    samples = []
    for stack in stacks(count):
        path: tuple[int, ...] = ()
        for function in stack[:7]:
            above, path = nodes[path], (*path, function)
            if path not in nodes:
                nodes[path] = len(nodes) + 1
                parents[nodes[path]] = []
                parents[above].append(nodes[path])
        samples.append(nodes[path])
    listed = [
        {
            "id": number,
            "callFrame": {
                "functionName": name(path[-1]) if path else "(root)",
                "scriptId": "1",
                "url": "file:///app/a.js",
                "lineNumber": 3,
                "columnNumber": 1,
            },
            "hitCount": 0,
            "children": parents[number],
        }
        for path, number in nodes.items()
    ]
    document = {"nodes": listed, "startTime": 0, "endTime": count * 10}
    return json.dumps(document | {"samples": samples, "timeDeltas": [10] * count}).encode()


def chrome_trace(count: int) -> bytes:
    """Return a file with so many events."""
    events = (
        f'{{"name":"{name(at % FUNCTIONS)}","ph":"X","ts":{at * 10 + at % 5},"dur":{9 - at % 5},'
        f'"pid":1,"tid":{at % 3},"cat":"c"}}'
        for at in range(count)
    )
    return ("[" + ",\n".join(events) + "]").encode()


def perf_script(count: int) -> bytes:
    """Return a file with so many events."""
    lines = []
    for at, stack in enumerate(stacks(count)):
        lines.append(f"work  {100 + at % 3} {at / 1000:.6f}:     250000 cpu-clock:pppH: ")
        lines += [
            f"\t{0x55D0 + it * 64 + at % 4:x} {name(it)}+0x{at % 4:x} (/usr/bin/work)"
            for it in reversed(stack)
        ]
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


def pprof(count: int) -> bytes:
    """Return a file with so many events."""

    def varint(value: int) -> bytes:
        found = bytearray()
        while value > 127:  # noqa: PLR2004
            found.append(value & 127 | 128)
            value >>= 7
        return bytes([*found, value])

    def field(number: int, content: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(content)) + content

    def numbers(*pairs: tuple[int, int]) -> bytes:
        return b"".join(varint(number << 3) + varint(value) for number, value in pairs)

    strings = ["", "cpu", "nanoseconds", *map(name, range(FUNCTIONS))]
    parts = [field(1, numbers((1, 1), (2, 2)))]
    for stack in stacks(count):
        locations = b"".join(varint(it + 1) for it in reversed(stack))
        parts.append(field(2, field(1, locations) + field(2, varint(10_000_000))))
    for it in range(FUNCTIONS):
        line = field(4, numbers((1, it + 1)))
        parts.append(field(4, numbers((1, it + 1), (3, 4096 + it)) + line))
        parts.append(field(5, numbers((1, it + 1), (2, it + 3), (3, it + 3))))
    parts += [field(6, it.encode()) for it in strings]
    return gzip.compress(b"".join(parts), 1)


def pstats(count: int) -> bytes:
    """Return a file with so many events."""
    chance = random.Random(SEED)  # noqa: S311 - the same profile in every run
    keys = [(f"/app/{it % 40}.py", it, name(it)) for it in range(count // 10)]
    found = {}
    for key in keys:
        callers = [keys[chance.randrange(len(keys))] for _ in range(10)]
        times = {it: (1, 1, chance.random(), chance.random()) for it in callers}
        found[key] = (9, 9, chance.random(), chance.random(), times)
    return marshal.dumps(found)


def callgrind(count: int) -> bytes:
    """Return a file with so many events."""
    lines = ["# callgrind format", "events: Ir", ""]
    for at in range(count // 6):
        function, called = at % FUNCTIONS, at * 7 % FUNCTIONS
        is_new = at < FUNCTIONS
        lines += [
            f"fl=({function % 17})" + (f" a{function % 17}.c" if is_new else ""),
            f"fn=({function})" + (f" {name(function)}" if is_new else ""),
            f"{at % 900} {at % 5000}",
            f"cfn=({called})" + (f" {name(called)}" if is_new else ""),
            "calls=3 10",
            f"{at % 900} {at % 70000}",
        ]
    return ("\n".join(lines) + "\n").encode()


def pyinstrument(count: int) -> bytes:
    """Return a file with so many events."""

    def frame(depth: int, number: int) -> str:
        below = [frame(depth - 1, number * 4 + it) for it in range(4)] if depth else []
        return (
            f'{{"function":"{name(number % FUNCTIONS)}","file_path":"/a.py","line_no":7,'
            f'"time":{4.0**depth / 1000},"children":[{",".join(below)}]}}'
        )

    depth = 0
    while (4 ** (depth + 1) - 1) // 3 < count:
        depth += 1
    head = '{"start_time":1.0,"duration":5.0,"sample_count":9,"target_description":"x",'
    return f'{head}"root_frame":{frame(depth, 1)}}}'.encode()


def xhprof(count: int) -> bytes:
    """Return a file with so many events."""

    def text(value: str) -> str:
        return f's:{len(value)}:"{value}";'

    entries = [
        f"{text('main()' if not at else f'{name(at % 5000)}==>{name(at // 5000 + 5000)}')}"
        'a:2:{s:2:"ct";i:3;s:2:"wt";i:250;}'
        for at in range(count)
    ]
    return f"a:{count}:{{{''.join(entries)}}}".encode()


FORMATS: dict[str, tuple[Callable[[int], bytes], int, str, list[str]]] = {
    "collapsed": (collapsed, 1_000_000, "", []),
    "speedscope": (speedscope, 300_000, "json.load", [sys.executable, "-c", JSON_LOAD]),
    "cpuprofile": (cpuprofile, 1_000_000, "json.load", [sys.executable, "-c", JSON_LOAD]),
    "chrome-trace": (chrome_trace, 1_000_000, "json.load", [sys.executable, "-c", JSON_LOAD]),
    "perf-script": (perf_script, 200_000, "", []),
    "pprof": (pprof, 500_000, "go tool pprof -top", ["go", "tool", "pprof", "-top"]),
    "pstats": (pstats, 300_000, "pstats.Stats", [sys.executable, "-c", PSTATS]),
    "callgrind": (callgrind, 1_000_000, "callgrind_annotate", ["callgrind_annotate"]),
    "pyinstrument": (pyinstrument, 349_525, "json.load", [sys.executable, "-c", JSON_LOAD]),
    "xhprof": (
        xhprof,
        200_000,
        "unserialize of PHP",
        ["php", "-n", "-d", "memory_limit=-1", "-r", PHP, "--"],
    ),
}
"""What makes each, how many events, and its usual reader. An event is a sample; in a Chrome trace a
call; in callgrind a line; in cProfile and XHProf a pair of functions; in pyinstrument a frame."""


def measured(command: list[str]) -> tuple[float, int]:
    """Return processor seconds and megabytes of a command and its children."""
    code = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=-3, stderr=-3)\n"  # -3: to nowhere
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)\n"
    )
    made = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=True
    )
    returned, seconds, megabytes = made.stdout.split()
    if returned != "0":
        raise RuntimeError(f"{command[0]} failed")
    return float(seconds), int(megabytes)


def main(wanted: list[str]) -> None:
    """Print a table."""
    print("| format | reader | events | MB of file | processor s | million events/s | MB |")
    print("|---|---|--:|--:|--:|--:|--:|")
    start, _ = measured([sys.executable, "-c", OURS])
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "profile"
        for format_name, (make, count, rival, command) in FORMATS.items():
            if wanted and format_name not in wanted:
                continue
            place.write_bytes(make(count))
            size = place.stat().st_size / 1e6
            readers = [("benchpin", [sys.executable, "-c", OURS], start)]
            if rival and shutil.which(command[0]):
                readers.append((rival, command, 0.0))
            if len(readers) > 1:  # go builds its tool when it is asked for first
                measured([*command, str(place)])
            for reader, program, unused in readers:
                seconds, megabytes = measured([*program, str(place)])
                seconds = max(seconds - unused, 0.001)
                print(
                    f"| {format_name} | {reader} | {count:,} | {size:.0f} | {seconds:.2f} "
                    f"| {count / seconds / 1e6:.2f} | {megabytes} |",
                    flush=True,
                )


if __name__ == "__main__":
    help_if_asked(__doc__)
    main(sys.argv[1:])
