"""One small run in every format: main spends 10 ms, and 30 ms in work, which it calls twice."""

import gzip
import json
import marshal
from io import BytesIO

from artifact_kit import read_format, version_of
from benchpin.core.calls import Job
from benchpin.performance.exports._stacks import to_pprof
from benchpin.performance.reading import Budget
from benchpin.performance.values import CallEdge, CallNode, Cost, Profile
from jfr_recordings import recording

MS = 1_000_000


def sample_profile() -> Profile:
    """Return the run as a value."""
    return Profile(
        version="made",
        metrics=("wt",),
        request=None,
        events=4,
        functions=(
            Cost("work", 2, (30 * MS,), (30 * MS,), file="app.py", line=7),
            Cost("main", 1, (10 * MS,), (40 * MS,), file="app.py", line=1),
        ),
        edges=(CallEdge(1, 0, 2, (30 * MS,)),),
        tree=(
            CallNode(-1, 1, 1, (10 * MS,), (40 * MS,)),
            CallNode(0, 0, 2, (30 * MS,), (30 * MS,)),
        ),
        is_complete=True,
    )


def _speedscope() -> bytes:
    events = [("O", 0, 0), ("O", 1, 5), ("C", 1, 20), ("O", 1, 20), ("C", 1, 35), ("C", 0, 40)]
    view = {
        "type": "evented",
        "name": "main thread",
        "unit": "milliseconds",
        "startValue": 0,
        "endValue": 40,
        "events": [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events],
    }
    frames = [
        {"name": "main", "file": "app.py", "line": 1},
        {"name": "work", "file": "app.py", "line": 7},
    ]
    document = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": frames},
        "profiles": [view],
    }
    return json.dumps(document).encode()


def _cpuprofile() -> bytes:
    def node(number: int, name: str, line: int, children: list[int]) -> dict[str, object]:
        place = {"url": "file:///app.py", "lineNumber": line, "columnNumber": 0}
        frame = {"functionName": name, "scriptId": "1", **place}
        return {"id": number, "callFrame": frame, "hitCount": 0, "children": children}

    document = {
        "nodes": [node(1, "(root)", -1, [2]), node(2, "main", 0, [3]), node(3, "work", 6, [])],
        "startTime": 0,
        "endTime": 41_000,
        "samples": [2, 3, 3, 2],
        "timeDeltas": [1_000, 5_000, 15_000, 15_000],
    }
    return json.dumps(document).encode()


def _chrome_trace() -> bytes:
    def event(name: str, start: int, took: int) -> dict[str, object]:
        return {"name": name, "ph": "X", "ts": start, "dur": took, "pid": 1, "tid": 1, "args": {}}

    events = [
        event("main (app.py:1)", 0, 40_000),
        event("work (app.py:7)", 5_000, 15_000),
        event("work (app.py:7)", 20_000, 15_000),
    ]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}).encode()


def _pyinstrument() -> bytes:
    work = {"function": "work", "file_path": "app.py", "line_no": 7, "time": 0.03, "children": []}
    main = {"function": "main", "file_path": "app.py", "line_no": 1, "time": 0.04}
    document = {
        "start_time": 1_700_000_000.5,
        "duration": 0.04,
        "sample_count": 40,
        "target_description": "Program: app.py",
        "cpu_time": 0.04,
        "root_frame": main | {"children": [work]},
    }
    return json.dumps(document).encode()


def _pstats() -> bytes:
    main, work = ("app.py", 1, "main"), ("app.py", 7, "work")
    return marshal.dumps(
        {
            main: (1, 1, 0.01, 0.04, {}),
            work: (2, 2, 0.03, 0.03, {main: (2, 2, 0.03, 0.03)}),
        }
    )


_CALLGRIND = b"""# callgrind format
version: 1
creator: test
positions: line
events: wt

fl=(1) app.py
fn=(1) main
1 10000000
cfn=(2) work
calls=2 7
3 30000000

fn=(2)
7 30000000

totals: 40000000
"""
_CACHEGRIND = b"""version: 1
creator: xdebug 3.2.0 (PHP 8.2.0)
cmd: app.py
part: 1
positions: line

events: Time_(10ns) Memory_(bytes)

fl=(1) app.py
fn=(1) work
7 1500000 64

fl=(1)
fn=(1)
7 1500000 0

fl=(1)
fn=(2) main
1 1000000 128
cfl=(1)
cfn=(1)
calls=1 0 0
2 1500000 64
cfl=(1)
cfn=(1)
calls=1 0 0
3 1500000 0

summary: 4000000 192
"""
_PAIRS = {
    "main==>work": {"ct": 2, "wt": 30_000},
    "main": {"ct": 1, "wt": 40_000},
}


def _xhprof_serialised() -> bytes:
    def text(value: str) -> str:
        return f's:{len(value)}:"{value}";'

    rows = "".join(
        text(pair)
        + f"a:{len(costs)}:{{"
        + "".join(f"{text(name)}i:{cost};" for name, cost in costs.items())
        + "}"
        for pair, costs in _PAIRS.items()
    )
    return f"a:{len(_PAIRS)}:{{{rows}}}".encode()


_PERF_SCRIPT = b"""# captured on: today
app 42 [001] 100.000001:   10000000 cpu-clock:
\t          401000 main+0x10 (/app.py)

app 42 [001] 100.010001:   15000000 cpu-clock:
\t          402000 work+0x4 (/app.py)
\t          401010 main+0x20 (/app.py)

app 42 [000] 100.025001:   15000000 cpu-clock:
\t          402008 work+0xc (/app.py)
\t          401018 main+0x28 (/app.py)

"""

SAMPLES: dict[str, tuple[str, bytes]] = {
    "speedscope": ("speedscope", _speedscope()),
    "cpuprofile": ("cpuprofile", _cpuprofile()),
    "chrome trace": ("chrome-trace", _chrome_trace()),
    "pyinstrument": ("pyinstrument", _pyinstrument()),
    "pstats": ("pstats", _pstats()),
    "callgrind": ("callgrind", _CALLGRIND),
    "cachegrind of Xdebug": ("callgrind", _CACHEGRIND),
    "XHProf as JSON": ("xhprof", json.dumps(_PAIRS).encode()),
    "XHProf serialised": ("xhprof", _xhprof_serialised()),
    "perf script": ("perf-script", _PERF_SCRIPT),
    "pprof": ("pprof", to_pprof(sample_profile())),
    "JFR": ("jfr", recording()),
    "collapsed": (
        "collapsed",
        b"main (app.py:1) 10000000\nmain (app.py:1);work (app.py:7) 30000000\n",
    ),
    "collapsed, gzip": ("collapsed", gzip.compress(b"main 10000000\nmain;work 30000000\n")),
}
"""By a readable name: the format, and the run in it."""


def format_of(content: bytes) -> str | None:
    return version_of(content)


def read_sample(content: bytes, budget: Budget | None = None) -> Profile:
    found = format_of(content)
    assert found is not None
    return read_format(found, BytesIO(content), budget or Budget(), Job())


def own_costs(profile: Profile, place: int = 0) -> dict[str, int]:
    return {cost.function: cost.self[place] for cost in profile.functions if cost.self[place]}
