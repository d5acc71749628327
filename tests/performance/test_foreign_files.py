"""No file holds the server: whatever its size, little is done between two looks at the clock.

Each reader gets the shape that costs it most, four times as large the second time. The most work
between two looks may not grow with it, and no reader returns what it did not read in time. Nothing
here depends on how fast a machine is; `bench/reader_limits.py` has the seconds, for 64 MB.
"""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from benchpin.core.calls import Job
from benchpin.core.calls import _job as jobs
from benchpin.core.errors import InvalidParams, TimeLimitExceeded
from benchpin.measures.coverage import _contents as coverage
from benchpin.measures.coverage._contents import DamagedReport, LineBudget, read_lcov, read_xml
from benchpin.measures.coverage._database import read_database
from benchpin.performance.calls import _sums as sums
from benchpin.performance.formats import _chrome_trace as chrome_trace
from benchpin.performance.formats import _digests as digests
from benchpin.performance.formats import _format as form
from benchpin.performance.formats import _plans as plans
from benchpin.performance.formats import _pprof as pprof
from benchpin.performance.formats import _timings as timings
from benchpin.performance.reading import Artifact, Budget, ingest
from benchpin.performance.reading import _source as source
from benchpin.performance.reading import _unpacking as unpacking
from benchpin.performance.slowlog import _reading as slow_log
from benchpin.performance.snapshots import build_snapshot
from benchpin.workspace.files import OpenFile
from worst_shapes import ARTIFACTS, COVERAGE, SHAPES, Shape

pytestmark = pytest.mark.slow

SHORT, LONG = 3_000, 12_000
# Functions that are called between two looks, those of the interpreter included. A chunk of the
# sizes below takes some thousands; a loop over all of a long file takes at least 2 * LONG.
MOST_CALLS = 20_000
Read = Callable[[bytes, Job], None]
# What is bounded by a budget must not depend on the file: with a small one that shows early.
SMALL = Budget(
    tree_nodes=2_000, stack_frames=300, functions=500, edges=500, kept_nodes=200, kept_depth=50
)


def ingest_one(content: bytes, job: Job) -> None:
    """Read an artefact as the tools do, and make a snapshot of it."""

    @contextmanager
    def opened(path: str) -> Iterator[OpenFile]:
        if path != "a":
            raise InvalidParams("no such file", suggestion="")
        yield OpenFile(io.BytesIO(content), len(content), 0)

    found = ingest([Artifact(path="a")], opened, SMALL, job)
    job.require_time()
    build_snapshot(found.readings, {}, job)


def read_coverage(name: str) -> Read:
    """Return the reader of a format of coverage reports."""
    readers = {"lcov": read_lcov, "coverage.xml": read_xml, "coverage.py": read_database}

    def read(data: bytes, job: Job) -> None:
        readers[name](data, LineBudget(job))

    return read


CASES = [
    pytest.param(ingest_one, shape, id=f"{name} {title}")
    for name, shapes in (SHAPES | ARTIFACTS).items()
    for title, shape in shapes.items()
] + [
    pytest.param(read_coverage(name), shape, id=f"{name} {title}")
    for name, shapes in COVERAGE.items()
    for title, shape in shapes.items()
]


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the clock more often, so that short files show what long ones would."""
    monkeypatch.setattr(jobs, "_ITEMS_PER_CHECK", 50)
    monkeypatch.setattr(sums, "_NODES_PER_CHECK", 50)
    monkeypatch.setattr(source, "_STEPS_PER_CHECK", 200)
    monkeypatch.setattr(unpacking, "CHUNK_BYTES", 1 << 11)
    monkeypatch.setattr(slow_log, "CHUNK_BYTES", 1 << 11)
    monkeypatch.setattr(chrome_trace, "_PIECE_BYTES", 1 << 12)
    monkeypatch.setattr(chrome_trace, "_PART", 1 << 8)
    monkeypatch.setattr(chrome_trace, "_TRIED_BYTES", 1 << 18)
    monkeypatch.setattr(form, "HEAD_BYTES", 1 << 13)
    monkeypatch.setattr(pprof, "_MAX_PART_BYTES", 1 << 12)
    monkeypatch.setattr(timings, "MAX_SAMPLES", 500)
    monkeypatch.setattr(digests, "_MAX_ROWS", 500)
    monkeypatch.setattr(plans, "_MAX_STEPS", 200)
    monkeypatch.setattr(coverage, "_LINES_BETWEEN_CHECKS", 1 << 8)


class Clock:
    """Counts the calls of functions between two looks at it."""

    def __init__(self, time_up_at: int | None = None) -> None:
        self._calls = 0
        self._looks = 0
        self._time_up_at = time_up_at
        self.most = 0

    def count(self, _frame: FrameType, kind: str, _argument: object) -> None:
        self._calls += kind in {"call", "c_call"}

    def __call__(self) -> float:
        """Return the time, which stands still until it is up."""
        self.most = max(self.most, self._calls)
        self._calls = 0
        self._looks += 1
        return float(self.is_up)

    @property
    def is_up(self) -> bool:
        return self._time_up_at is not None and self._looks > self._time_up_at


def most_calls(read: Read, content: bytes) -> int:
    """Return how many functions are called between two looks at the clock, at most."""
    clock = Clock()
    job = Job(time_limit_s=1, monotonic=clock)
    before = sys.getprofile()
    sys.setprofile(clock.count)
    try:
        read(content, job)
    except (InvalidParams, DamagedReport):
        pass
    finally:
        sys.setprofile(before)
        clock()
    return clock.most


@pytest.mark.parametrize(("read", "shape"), CASES)
def test_work_between_two_looks_at_the_clock_is_bounded(read: Read, shape: Shape) -> None:
    most_calls(read, shape(100))  # imports modules
    found = most_calls(read, shape(LONG))
    assert found < MOST_CALLS or found < 1.5 * most_calls(read, shape(SHORT))


@pytest.mark.parametrize(("read", "shape"), CASES)
@pytest.mark.parametrize("looks", [3, 7, 20])
def test_what_is_not_read_in_time_is_not_returned(read: Read, shape: Shape, looks: int) -> None:
    clock = Clock(looks)
    try:
        read(shape(SHORT), Job(time_limit_s=0.5, monotonic=clock))
    except (TimeLimitExceeded, InvalidParams, DamagedReport):
        return
    assert not clock.is_up, "it went on after a look at the clock"
