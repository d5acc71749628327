"""Read 64 MB of the worst shape of each format, each in a process of its own.

`python bench/reader_limits.py [NAME…]` prints for each shape whether it was read, cut or refused,
the seconds, and the most memory of the process and of its helper, in MB.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, FileMissing, TimeLimitExceeded
from benchpin.measures.coverage._contents import DamagedReport, LineBudget, read_lcov, read_xml
from benchpin.measures.coverage._database import read_database
from benchpin.performance.reading import Artifact, Budget, ingest
from benchpin.performance.snapshots import build_snapshot
from benchpin.workspace.files import OpenFile
from worst_shapes import ARTIFACTS, COVERAGE, SHAPES, Shape

SIZE = 64_000_000
LIMIT_S = 10.0
MOST_PIECES = 900_000
ALL = SHAPES | ARTIFACTS | COVERAGE
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


def main(names: list[str]) -> None:
    """Measure all shapes, or those of some formats."""
    for name, shapes in ALL.items():
        for title, shape in shapes.items() if not names or name in names else ():
            found = run(name, title, shape(pieces_of(shape)))
            if "values or" in found:  # as many as are read
                run(name, title, shape(MOST_PIECES))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*sys.argv[2:4])))
    else:
        main(sys.argv[1:])
