"""Progress of work in several stages, as one that only increases and ends once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Progress
from benchpin.server._client import _Stages

_COUNTS = st.integers(0, 50)
_REPORTS = st.lists(
    st.builds(Progress, _COUNTS, st.none() | _COUNTS, st.sampled_from(["files", "commits", ""]))
)


def counted(*reports: Progress) -> list[Progress | None]:
    stages = _Stages()
    return [*(stages.count(it) for it in reports), stages.end()]


def test_one_stage_is_reported_as_it_is_and_ends_with_the_call() -> None:
    assert counted(
        Progress(0, 30, "files"), Progress(12, 30, "files"), Progress(30, 30, "files")
    ) == [
        Progress(0, 30, "files"),
        Progress(12, 30, "files"),
        None,
        Progress(30, 30, "files"),
    ]


def test_later_stages_share_what_the_first_has_left() -> None:
    assert counted(
        Progress(0, None, "folders"),
        Progress(0, 8, "files"),
        Progress(4, 8, "files"),
        Progress(4, 8, "files"),
        Progress(8, 8, "files"),
        Progress(0, 10, "documents"),
        Progress(5, 10, "documents"),
        Progress(10, 10, "documents"),
        Progress(0, None, "ranks"),
    ) == [
        Progress(0, None, "folders"),
        Progress(1, 9, "files"),
        Progress(5, 9, "files"),
        None,
        None,
        None,
        Progress(6, 9, "documents"),
        Progress(7, 9, "documents"),
        None,
        Progress(9, 9, "ranks"),
    ]


def test_work_without_a_total_only_counts() -> None:
    assert counted(Progress(0, None, "lines"), Progress(500, None, "lines")) == [
        Progress(0, None, "lines"),
        Progress(500, None, "lines"),
        None,
    ]


@pytest.mark.slow
@given(_REPORTS)
def test_progress_never_goes_backwards_and_reaches_its_end_once(reports: list[Progress]) -> None:
    seen = [it for it in counted(*reports) if it is not None]
    steps = [it.done for it in seen]
    assert steps == sorted(set(steps))
    totals = [it.total for it in seen if it.total is not None]
    assert len(set(totals)) <= 1
    assert [it.done == it.total for it in seen].count(True) == (1 if totals else 0)
