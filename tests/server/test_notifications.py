"""Progress of work in several stages, as one that only increases."""

from benchpin.core import Progress
from benchpin.server.notifications import _Stages


def test_a_new_stage_counts_on_from_the_last() -> None:
    stages = _Stages()
    reports = [
        Progress(0, None, "folders"),
        Progress(0, 2, "files"),
        Progress(2, 2, "files"),
        Progress(2, 2, "files"),
        Progress(0, 3, "documents"),
        Progress(3, 3, "documents"),
        Progress(0, None, "ranks"),
    ]
    counted = [stages.count(it) for it in reports]
    assert counted == [
        Progress(0, None, "folders"),
        Progress(1, 3, "files"),
        Progress(3, 3, "files"),
        None,
        Progress(4, 7, "documents"),
        Progress(7, 7, "documents"),
        Progress(8, None, "ranks"),
    ]
