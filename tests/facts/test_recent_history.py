from datetime import timedelta
from pathlib import Path

import pytest

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.measures.history import _history as module
from benchpin.measures.history import read_history, read_recent
from benchpin.workspace.git_objects import LogEntry
from repositories import START, Tree, import_steps
from repositories import Step as Commit

LINES = b"".join(b"line %d\n" % at for at in range(20))


def test_what_time_cut_off_is_read_by_the_next_call(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [
        Commit({b"%d.txt" % (at % 7): b"%d\n" % at}, (at - 1,) if at else ()) for at in range(3000)
    ]
    tree = import_steps(workspace, steps)
    clock = [0.0]
    taken = module.HistoryReader._take

    def take(reading: module.HistoryReader, entry: LogEntry) -> None:
        taken(reading, entry)
        clock[0] += 0.001

    since = START - timedelta(days=1)
    whole = read_history(workspace, workspace, Job(), since=since)
    monkeypatch.setattr(module.HistoryReader, "_take", take)
    counts = []
    session = WorkspaceSession(tree.root, tree.root)
    for _ in range(20):
        job = Job(time_limit_s=0.5, monotonic=lambda: clock[0])
        history = read_recent(session, workspace, since, job)
        counts.append(len(history.commits))
        if not job.missing:
            break
    assert 1 < len(counts) < 20
    assert counts == sorted(set(counts))
    assert history == whole


def test_a_file_that_moved_before_the_cut_keeps_its_past(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = Tree(workspace)
    tree.commit({"old.txt": LINES})
    tree.commit({"old.txt": LINES + b"more\n"})
    tree.commit({"old.txt": None, "new.txt": LINES + b"more\n"})
    since = START - timedelta(days=1)
    session = WorkspaceSession(workspace, workspace)
    with monkeypatch.context() as patched:
        patched.setattr(module, "MAX_CHANGES", 3)
        job = Job()
        assert len(read_recent(session, workspace, since, job).commits) == 1
        assert job.missing
    history = read_recent(session, workspace, since, Job())
    assert [[it.path for it in commit.files] for commit in history.commits] == [["new.txt"]] * 3


def test_the_next_process_does_not_read_commits_again(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    tree = Tree(work)
    tree.commit({"a.txt": LINES})
    since = START - timedelta(days=1)

    def read() -> tuple[int, str]:
        session, job = WorkspaceSession(work, tmp_path / "cache"), Job()
        try:
            found = read_recent(session, work, since, job)
        finally:
            session.close()
        assert found == read_history(work, work, Job(), since=since)
        return len(found.commits), job.measures["commits"]

    assert read() == (1, "computed")
    assert read() == (1, "recalled")
    tree.commit({"a.txt": LINES + b"more\n"})
    assert read() == (2, "updated")
