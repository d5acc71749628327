"""Read 64 MB of the worst shape of each format, each in a process of its own.

`python bench/reader_limits.py [NAME…]` prints for each shape whether it was read, cut or refused,
the seconds, and the most memory of the process and of its helper, in MB.

`python bench/reader_limits.py --pings [NAME…]` has a server read them, and prints how it answered
pings meanwhile: the longest wait, that for an idle server in the same time, which says how busy the
machine is, and the most CPU time that the server used between a ping and its answer.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, FileMissing, TimeLimitExceeded
from benchpin.measures.coverage._contents import DamagedReport, LineBudget, read_lcov, read_xml
from benchpin.measures.coverage._database import read_database
from benchpin.performance.reading import Artifact, Budget, ingest
from benchpin.performance.snapshots import build_snapshot
from benchpin.workspace.files import OpenFile
from pinging import PingedServer, pinged_server
from results import help_if_asked
from worst_shapes import ARTIFACTS, COVERAGE, SHAPES, Shape

SIZE = 64_000_000
LIMIT_S = 10.0
MOST_PIECES = 900_000
ALL = SHAPES | ARTIFACTS | COVERAGE
PING_S = 0.05
COVERAGE_FILES = {"lcov": "lcov.info", "coverage.xml": "coverage.xml", "coverage.py": ".coverage"}
READERS = {"lcov": read_lcov, "coverage.xml": read_xml, "coverage.py": read_database}


@contextmanager
def opened(path: str) -> Iterator[OpenFile]:
    """Open a file as the tools do."""
    if not Path(path).exists():
        raise FileMissing(f"{path} does not exist", suggestion="Name another.")
    with Path(path).open("rb") as file:
        yield OpenFile(file, os.fstat(file.fileno()).st_size, 0)


def pieces_of(shape: Shape) -> int:
    """Return how many pieces are about 64 MB; numbers take more digits as they grow."""
    pieces = 1_000
    for _ in range(3):
        pieces = int(pieces * SIZE / len(shape(pieces)))
    return pieces


def measure(name: str, path: str) -> dict[str, object]:
    """Read a file in this process, and make a snapshot of it."""
    job = Job(time_limit_s=LIMIT_S)
    content = Path(path).read_bytes() if name in READERS else b""
    started = time.monotonic()
    try:
        if name in READERS:
            READERS[name](content, LineBudget(job))
        else:
            found = ingest([Artifact(path=path)], opened, Budget(), job)
            build_snapshot(found.readings, {}, job)
        outcome = "read"
    except TimeLimitExceeded:
        outcome = "ended at the limit"
    except (BenchpinError, DamagedReport) as error:
        outcome = f"refused: {str(error)[-90:]}"
    seconds = time.monotonic() - started
    helper = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    return {"outcome": outcome, "seconds": round(seconds, 1), "mb": peak(), "helper_mb": helper}


def peak() -> int:
    """Return the most memory of this process, in MB; `getrusage` has that of its parent in it."""
    [line] = re.findall(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(line) >> 10


def run(name: str, title: str, content: bytes) -> str:
    """Read a file in another process, print how that went and return it."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        command = (sys.executable, __file__, "--measure", name, file.name)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = done.stdout.strip() or done.stderr[-300:]
    print(f"{name}, {title}, {len(content) / 1e6:.0f} MB: {found}", flush=True)
    return found


def ping(name: str, title: str, content: bytes) -> None:
    """Have a server read a file, and print how it answered pings."""
    with tempfile.TemporaryDirectory() as folder:
        root, home, idle = (Path(folder, it) for it in ("w", "home", "idle"))
        for each in (root, home, idle):
            each.mkdir()
        (root / "a.py").write_text("a = 1\n", encoding="utf-8")
        path = COVERAGE_FILES.get(name, "artifact")
        (root / path).write_bytes(content)
        tool = "ingest_artifacts"
        arguments: dict[str, object] = {"artifacts": [{"path": path}]}
        if path != "artifact":
            tool, arguments = "quality_gate", {"coverage_threshold": 10}
        flags = ("--tool-timeout", str(LIMIT_S), "--allow", "write")
        with (
            pinged_server(root, home, *flags) as server,
            pinged_server(idle, home) as other,
            waits_for(other) as waits,
        ):
            called = server.call(tool, arguments)
    print(
        f"{name}, {title}, {len(content) / 1e6:.0f} MB: {called.seconds:.1f} s, "
        f"{outcome_of(called.answer)}, {called.pings} pings, longest "
        f"{called.longest_wait_s * 1000:.0f} ms (idle server {max(waits) * 1000:.0f} ms), "
        f"held {called.most_cpu_s * 1000:.0f} ms of CPU",
        flush=True,
    )


def outcome_of(answer: Mapping[str, Any]) -> str:
    """Return how a call ended, in a few words."""
    if "error" in answer:
        return f"refused: {answer['error']['message'][:90]}"
    result = answer["result"]
    return f"refused: {result['content'][0]['text'][:90]!r}" if result.get("isError") else "read"


@contextmanager
def waits_for(server: PingedServer) -> Iterator[list[float]]:
    """Ping a server in a thread of its own, and collect how long each ping took."""
    waits, ending = [0.0], threading.Event()

    def keep_pinging() -> None:
        while not ending.wait(PING_S):
            before = time.monotonic()
            server.ping()
            waits.append(time.monotonic() - before)

    thread = threading.Thread(target=keep_pinging)
    thread.start()
    try:
        yield waits
    finally:
        ending.set()
        thread.join()


def main(names: list[str]) -> None:
    """Measure all shapes, or those of some formats."""
    if names[:1] == ["--pings"]:
        for name, title, shape in every(names[1:]):
            ping(name, title, shape(pieces_of(shape)))
        return
    for name, title, shape in every(names):
        found = run(name, title, shape(pieces_of(shape)))
        if "values or" in found:  # as many as are read
            run(name, title, shape(MOST_PIECES))


def every(names: list[str]) -> Iterator[tuple[str, str, Shape]]:
    """Yield all shapes, or those of some formats."""
    for name, shapes in ALL.items():
        for title, shape in shapes.items() if not names or name in names else ():
            yield name, title, shape


if __name__ == "__main__":
    help_if_asked(__doc__)
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*sys.argv[2:4])))
    else:
        main(sys.argv[1:])
