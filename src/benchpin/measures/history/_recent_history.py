"""The recent commits of a repository, read once for each commit that is checked out.

They are kept on disk too: the next process does not ask git again, and after new commits only those
are read. What the time limit cuts off is read by the next call, which continues where the reading
stopped.
"""

import os
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from benchpin.core.calls import HowMade, Job, WorkspaceSession
from benchpin.core.errors import DependencyMissing, PathError, TimeLimitExceeded
from benchpin.memory import Reduction, remember
from benchpin.workspace.git import (
    GitFailed,
    NotARepository,
    find_head,
    find_repository,
    history_view,
)
from benchpin.workspace.git_objects import list_commits

from ._history import LAST_SECOND, History, HistoryReader, read_history

_MAX_HISTORIES = 4
_MAX_INTERRUPTED = 2
# The last commits of an answer, of its first files.
_MAX_FILES, _MAX_COMMITS, _ID_CHARS = 5, 3, 10


@dataclass(frozen=True, slots=True)
class _Since:
    """The commits since a moment."""

    since: datetime
    history: History

    @property
    def is_lasting(self) -> bool:
        """Whether it stays true: not where git failed, or the clone lacks contents so far."""
        return not self.history.problem and not self.history.lacks_lines


_COMMITS = Reduction[_Since]("commits", _Since)


@dataclass(frozen=True, slots=True)
class _Interrupted:
    """A reading that was not finished."""

    since: datetime
    reading: HistoryReader


class _InterruptedReadings:
    """The readings that can go on, by what is read; a service of the session."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[Hashable, _Interrupted] = OrderedDict()
        self._lock = Lock()

    def take(self, key: Hashable) -> _Interrupted | None:
        with self._lock:
            return self._by_key.pop(key, None)

    def keep(self, key: Hashable, interrupted: _Interrupted) -> None:
        with self._lock:
            self._by_key[key] = interrupted
            while len(self._by_key) > _MAX_INTERRUPTED:
                self._by_key.popitem(last=False)


def read_recent(
    session: WorkspaceSession,
    folder: Path,
    since: datetime,
    job: Job,
    *,
    is_fresh: bool = False,
    needs_files: bool = True,
) -> History:
    """Return the commits since a moment, newest first; `needs_files` as in `read_history`.

    Raises:
        DependencyMissing: when git is not installed.
        GitFailed: when git cannot read the repository.
        NotARepository: when the folder is not under version control.
        PathOutsideWorkspace: when the folder or its history is outside the workspace.
    """
    root = session.root
    repository = find_repository(folder, root, session.git_folders)
    head = find_head(repository, job)
    mailmap = _stamp(repository.root / ".mailmap")  # it names the authors
    key = (repository, head, repository.shallow_edges(), mailmap, needs_files)
    interrupted = session.service(_InterruptedReadings, _InterruptedReadings)
    how: HowMade = "computed"

    def read() -> _Since:
        nonlocal how
        begun = None if is_fresh else interrupted.take(key)
        if begun is None or begun.since > since:
            reader = HistoryReader(repository, session=None if is_fresh else session)
            begun = _Interrupted(since, reader)
        omissions = job.omissions
        history = read_history(
            folder, root, job, since=begun.since, needs_files=needs_files, reading=begun.reading
        )
        if job.omissions > omissions:  # the next call goes on from here
            interrupted.keep(key, begun)
        how = "updated" if begun.reading.has_recalled else "computed"
        return _Since(begun.since, history)

    def recall_or_read() -> _Since:
        return remember(
            session,
            job,
            _COMMITS,
            (os.fsencode(repository.root), head, needs_files, *history_view(repository)),
            read,
            is_current=lambda it: it.since <= since and it.is_lasting,
            is_fresh=is_fresh,
            how_made=lambda: how,
        )

    known = session.remember(
        job,
        "history",
        key,
        recall_or_read,
        room=_MAX_HISTORIES,
        is_current=lambda it: it.since <= since,
        is_fresh=is_fresh,
    )
    history = known.history
    commits = tuple(commit for commit in history.commits if commit.time >= since)
    # A shorter period of a shallow clone may be complete.
    reaches_edge = history.is_shallow and len(commits) == len(history.commits)
    return replace(history, commits=commits, is_shallow=reaches_edge)


def _stamp(file: Path) -> tuple[int, int] | None:
    """Return size and time of a file; None when it does not exist."""
    try:
        status = file.lstat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


@dataclass(frozen=True, slots=True)
class LastCommit:
    """One of the last commits on some files."""

    commit: str
    date: str
    subject: str


def last_commits(session: WorkspaceSession, job: Job, files: Sequence[str]) -> list[LastCommit]:
    """Return the last commits on the first files; none where there is no history."""
    paths = list(dict.fromkeys(files))[:_MAX_FILES]
    root, folders = session.root, session.git_folders
    try:
        repository = find_repository(root, root, folders)
        head = find_head(repository, job)
        inside = [repository.prefix + it.removeprefix(repository.mount) for it in paths]
        options = ("-n", str(_MAX_COMMITS), "--no-merges")
        if not (head and inside):
            return []
        entries = list(list_commits(repository, options, (head,), inside, job))
    except (GitFailed, NotARepository, DependencyMissing, PathError, TimeLimitExceeded):
        return []
    return [
        LastCommit(it.id[:_ID_CHARS], _day(it.time), it.subject.decode(errors="replace"))
        for it in entries
    ]


def _day(seconds: bytes) -> str:
    if not seconds.isdigit():
        return ""
    moment = datetime.fromtimestamp(min(int(seconds), LAST_SECOND), UTC)
    return moment.date().isoformat()
