"""The recent history of a project; a server reads it once for each commit that it is at.

What time cuts off is read by the next call.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from benchpin.core import Job

from .git import find_head, find_repository
from .history import History, Reading, read_history
from .memory import Memory

_MOST_HISTORIES = 4
_MOST_BEGUN = 2


@dataclass(frozen=True, slots=True)
class _Read:
    """What is known of a history, and from when on."""

    since: datetime
    history: History


@dataclass(frozen=True, slots=True)
class _Begun:
    """A history that was not read to its end, and from when on it is to be read."""

    since: datetime
    reading: Reading


_memory = Memory[_Read](_MOST_HISTORIES)
_begun = Memory[_Begun](_MOST_BEGUN)


def read_recent(
    folder: Path,
    root: Path,
    since: datetime,
    job: Job,
    *,
    is_fresh: bool = False,
    needs_files: bool = True,
) -> History:
    """Return the commits since a time, newest first; `needs_files` is that of `read_history`.

    Raises:
        Cancelled: when the job was.
        DependencyMissing: when git is not installed.
        GitFailed: when git cannot read the repository.
        NotARepository: when the folder is not under version control.
        PathOutsideWorkspace: when the folder or its history is elsewhere.
    """
    repository = find_repository(folder, root)
    head = find_head(repository, job)
    mailmap = _stamp(repository.root / ".mailmap")
    key = (repository, root, head, repository.shallow_edges(), mailmap, needs_files)
    known = None if is_fresh else _memory.recall(key)
    if known is None or known.since > since:
        begun = None if is_fresh else _begun.take(key)
        if begun is None or begun.since > since:
            begun = _Begun(since, Reading(repository))
        omissions = job.omissions
        history = read_history(
            folder, root, job, since=begun.since, needs_files=needs_files, reading=begun.reading
        )
        known = _Read(begun.since, history)
        if job.omissions == omissions:
            _memory.keep(key, known)
        else:
            _begun.keep(key, begun)
    history = known.history
    commits = tuple(commit for commit in history.commits if commit.time >= since)
    reaches_edge = history.is_shallow and len(commits) == len(history.commits)
    return replace(history, commits=commits, is_shallow=reaches_edge)


def _stamp(file: Path) -> tuple[int, int] | None:
    """Return what tells a file from what it was before."""
    try:
        status = file.lstat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
