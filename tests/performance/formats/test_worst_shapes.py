"""The shapes that cost each reader most: linear work, and the time limit is seen."""

import io
import sys
from types import FrameType

import pytest

from artifact_kit import read_format
from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, InvalidParams, TimeLimitExceeded
from benchpin.performance.reading import Budget
from benchpin.performance.values import Profile
from worst_shapes import SHAPES, Shape, event, evented, pprof, pprof_sample

SHORT, LONG = 500, 2_000
CASES = [
    pytest.param(name, shape, id=f"{name} {title}")
    for name, shapes in SHAPES.items()
    for title, shape in shapes.items()
]


def read(name: str, content: bytes, job: Job | None = None) -> Profile | None:
    """Read a profile; None if it is refused."""
    try:
        return read_format(name, io.BytesIO(content), Budget(), job or Job())
    except InvalidParams:
        return None


def calls_of(name: str, content: bytes) -> int:
    """Return how many functions are called to read it, those of the interpreter included."""
    calls = 0

    def count(_frame: FrameType, kind: str, _argument: object) -> None:
        nonlocal calls
        calls += kind in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read(name, content)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize(("name", "shape"), CASES)
def test_four_times_the_input_is_four_times_the_work(name: str, shape: Shape) -> None:
    calls_of(name, shape(SHORT))  # imports modules
    assert calls_of(name, shape(LONG)) < 6 * calls_of(name, shape(SHORT)) + 1_000


def test_a_short_sample_of_a_long_location_ends_at_the_time_limit() -> None:
    content = pprof(pprof_sample(100) * 100, lines=1_000)
    now = iter(range(10_000))
    job = Job(time_limit_s=20, monotonic=lambda: float(next(now)))
    with pytest.raises(TimeLimitExceeded):
        read("pprof", content, job)


def test_a_cancelled_job_ends_while_events_are_added_up() -> None:
    job = Job(on_progress=lambda _: job.cancel())
    content = evented([event("O", 0, it) for it in range(200_000)])
    with pytest.raises(Cancelled):
        read("speedscope", content, job)


def test_frames_that_are_not_closed_are_told() -> None:
    profile = read("speedscope", evented([event("O", 0, 0), event("O", 1, 2), event("C", 1, 3)]))
    assert profile is not None
    assert [it.problem for it in profile.faults] == ["1 frames were not closed"]


def test_a_frame_before_the_first_is_refused() -> None:
    assert read("speedscope", evented([event("O", -1, 0)])) is None
