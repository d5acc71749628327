import threading
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import REPORT_INTERVAL_S, Job, LogLevel, Progress
from benchpin.core.errors import Cancelled


class Clock:
    """A clock that only moves when a test moves it."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Stopped(Exception):
    """What a child says when it cannot be stopped."""


def test_each_gives_every_item_and_reports_the_first_and_the_last() -> None:
    reports: list[Progress] = []
    job = Job(on_progress=reports.append, monotonic=Clock())
    assert list(job.each(["a", "b", "c"], "files")) == ["a", "b", "c"]
    assert reports == [Progress(0, 3, "files"), Progress(3, 3, "files")]
    assert job.missing == []


def test_each_over_nothing_is_done_at_once() -> None:
    reports: list[Progress] = []
    assert list(Job(on_progress=reports.append, monotonic=Clock()).each([], "files")) == []
    assert reports == [Progress(0, 0, "files")]


def test_reports_in_quick_succession_are_thinned_out() -> None:
    clock, reports = Clock(), list[Progress]()
    job = Job(on_progress=reports.append, monotonic=clock)
    for done in range(100):
        job.report(done, 1000)
        clock.now += REPORT_INTERVAL_S / 4.999
    assert [report.done for report in reports] == list(range(0, 100, 5))


def test_the_report_of_the_end_is_never_thinned_out() -> None:
    reports: list[Progress] = []
    job = Job(on_progress=reports.append, monotonic=Clock())
    job.report(1, 10)
    job.report(9, 10)
    job.report(10, 10)
    assert [report.done for report in reports] == [1, 10]


def test_a_report_may_know_neither_the_total_nor_a_message() -> None:
    reports: list[Progress] = []
    Job(on_progress=reports.append).report(5)
    assert reports == [Progress(5, None, "")]


def test_a_job_without_a_limit_never_expires() -> None:
    clock = Clock()
    job = Job(monotonic=clock)
    clock.now += 1e9
    assert not job.is_expired
    assert job.time_left_s() is None


def test_the_time_that_is_left_runs_out_and_not_below_zero() -> None:
    clock = Clock()
    job = Job(time_limit_s=30, monotonic=clock)
    assert (job.time_left_s(), job.is_expired) == (30, False)
    clock.now += 29
    assert (job.time_left_s(), job.is_expired) == (1, False)
    clock.now += 1
    assert (job.time_left_s(), job.is_expired) == (0, True)
    clock.now += 10
    assert job.time_left_s() == 0


@given(total=st.integers(1, 20), at=st.integers(0, 25))
def test_each_ends_when_the_time_is_up_and_says_what_is_missing(total: int, at: int) -> None:
    clock = Clock()
    job = Job(time_limit_s=at, monotonic=clock)
    seen = []
    for item in job.each(range(total), "files"):
        seen.append(item)
        clock.now += 1
    assert seen == list(range(min(at, total)))
    assert job.missing == ([] if at >= total else [f"{total - at} of {total} files"])


def test_a_job_that_is_out_of_time_reports_no_completion() -> None:
    reports: list[Progress] = []
    job = Job(time_limit_s=0, on_progress=reports.append, monotonic=Clock())
    assert list(job.each([1, 2], "commits")) == []
    assert reports == []
    assert job.missing == ["2 of 2 commits"]


def test_what_is_left_out_adds_up() -> None:
    job = Job()
    job.leave_out("the history")
    job.leave_out("3 of 9 files")
    job.missing.clear()
    assert job.missing == ["the history", "3 of 9 files"]


def test_each_stops_when_the_job_is_cancelled() -> None:
    job = Job()
    going = job.each([1, 2, 3], "files")
    assert list(islice(going, 2)) == [1, 2]
    job.cancel()
    with pytest.raises(Cancelled):
        next(going)


def test_check_passes_until_the_job_is_cancelled() -> None:
    job = Job()
    job.check()
    job.cancel()
    with pytest.raises(Cancelled):
        job.check()


def test_cancelling_stops_what_was_registered_once() -> None:
    stops: list[str] = []
    job = Job()
    with job.stopping(lambda: stops.append("child")):
        job.cancel()
        job.cancel()
    assert stops == ["child"]


def test_what_has_ended_is_not_stopped() -> None:
    stops: list[str] = []
    job = Job()
    with job.stopping(lambda: stops.append("child")):
        pass
    job.cancel()
    assert stops == []


def test_what_failed_is_not_stopped_later() -> None:
    stops: list[str] = []
    job = Job()
    with pytest.raises(Stopped), job.stopping(lambda: stops.append("child")):
        raise Stopped
    job.cancel()
    assert stops == []


def test_several_children_are_stopped_and_the_ended_one_is_not() -> None:
    stops: list[str] = []
    job = Job()
    with job.stopping(lambda: stops.append("outer")):
        with job.stopping(lambda: stops.append("ended")):
            pass
        with job.stopping(lambda: stops.append("inner")):
            job.cancel()
    assert stops == ["outer", "inner"]


def test_one_stop_serves_two_blocks_at_once() -> None:
    stops: list[str] = []
    job = Job()

    def stop() -> None:
        stops.append("child")

    with job.stopping(stop):
        with job.stopping(stop):
            pass
        job.cancel()
    assert stops == ["child"]


def test_a_child_that_cannot_be_stopped_does_not_spare_the_others() -> None:
    stops: list[str] = []
    job = Job()

    def refuse() -> None:
        raise Stopped

    with job.stopping(refuse), job.stopping(lambda: stops.append("other")):
        with pytest.raises(Stopped):
            job.cancel()
        assert stops == ["other"]


def test_a_child_that_was_started_too_late_is_stopped_at_once() -> None:
    stops: list[str] = []
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled), job.stopping(lambda: stops.append("child")):
        stops.append("went on")
    assert stops == ["child"]


def test_a_stop_may_ask_the_job() -> None:
    job = Job()
    said: list[str] = []

    def stop() -> None:
        job.leave_out("the child's output")
        said.extend(job.missing)

    with job.stopping(stop):
        job.cancel()
    assert said == ["the child's output"]


def test_a_job_can_be_cancelled_from_another_thread() -> None:
    stopped = threading.Event()
    job = Job()
    with job.stopping(stopped.set):
        canceller = threading.Thread(target=job.cancel)
        canceller.start()
        canceller.join()
    assert stopped.is_set()
    with pytest.raises(Cancelled):
        job.check()


def test_logs_go_to_whoever_listens() -> None:
    lines: list[tuple[LogLevel, str]] = []
    Job(on_log=lambda level, message: lines.append((level, message))).log("notice", "half way")
    assert lines == [("notice", "half way")]
