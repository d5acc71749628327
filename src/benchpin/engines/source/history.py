"""What happened to the files of a folder: its commits, read from one `git log`.

Every change is filed under the newest path of its file, so a file that was moved keeps its past.
Merges have no changes of their own, as in `git log`.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchpin.core import InvalidParams, Job, TimeLimitExceeded

from .git import GitFailed, Repository, find_commit, find_repository, stream
from .git_log import LOG_OPTIONS, MAX_CHANGES, FileNames, LogEntry, read_log

_MAX_SUBJECT_CHARS = 200
_LAST_SECOND = 253_402_300_799  # of the year 9999

_Change = tuple[int, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Author:
    """A person by e-mail address, `.mailmap` applied, under the name used last."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one commit did to one file; a binary file has no lines."""

    path: str
    """The newest path, from the folder; bytes that are no UTF-8 are escaped as surrogates."""
    added: int | None
    deleted: int | None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit and the files of the folder that it changed, by path."""

    id: str
    time: datetime
    """When it was committed, in UTC."""
    author: Author
    subject: str
    is_merge: bool
    files: tuple[FileChange, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """The commits of a period, newest first."""

    commits: tuple[Commit, ...]
    since: datetime | None
    until: datetime
    is_shallow: bool = False
    """Whether a shallow clone hides what came before; its oldest commits then show no files."""


def read_history(
    folder: Path,
    workspace_root: Path,
    job: Job,
    now: datetime,
    *,
    period_days: float | None = None,
    since: datetime | None = None,
    revision: str = "HEAD",
) -> History:
    """Read the commits of the last days, since a moment, or all; what time cuts off is older.

    Raises:
        Cancelled: when the job was.
        DependencyMissing: when git is not installed.
        GitFailed: when git cannot read the repository.
        InvalidParams: when the period or the revision means nothing.
        InvalidPath: when the folder is none.
        NotARepository: when the folder is not under version control.
        PathOutsideWorkspace: when the folder or its history is elsewhere.
    """
    start = _start(now, period_days, since)
    repository = find_repository(folder, workspace_root)
    reader = _Reader(repository)
    try:
        commit = find_commit(repository, revision, job)
        if commit is not None:
            reader.read(commit, start, job)
    except TimeLimitExceeded:
        job.leave_out(reader.older())
    except GitFailed as error:
        if not reader.pending:
            raise
        job.leave_out(f"{reader.older()} ({error.message})")
    return History(reader.finish(), start, now, reader.is_shallow)


def _start(now: datetime, period_days: float | None, since: datetime | None) -> datetime | None:
    if period_days is None:
        return since
    if since is not None or not period_days > 0:
        raise InvalidParams(
            f"{period_days} days{'' if since is None else f' and since {since}'} is no period",
            suggestion="Give a number of days above 0, or a date, not both.",
        )
    try:
        return now - timedelta(days=period_days)
    except OverflowError:
        return None


class _Reader:
    """Collects commits until all paths are known."""

    def __init__(self, repository: Repository) -> None:
        self.pending: deque[tuple[Commit, list[_Change]]] = deque()
        self.is_shallow = False
        self._repository = repository
        self._edges = repository.shallow_edges()
        self._prefix = repository.prefix.encode("utf-8", "surrogateescape")
        self._names = FileNames()
        self._authors: dict[str, Author] = {}

    def read(self, commit: str, start: datetime | None, job: Job) -> None:
        """Take commits as they come."""
        age = () if start is None else (f"--max-age={max(0, int(start.timestamp()))}",)
        paths = (self._repository.prefix,) if self._prefix else ()
        total = 0
        with closing(
            stream(self._repository, "log", (*LOG_OPTIONS, *age), (commit,), paths, job)
        ) as pieces:
            for entry in read_log(pieces):
                job.report(len(self.pending), message="commits")
                total += 1 + len(entry.changes)
                if total > MAX_CHANGES:
                    job.leave_out(f"{self.older()} (over {MAX_CHANGES:,} commits and changes)")
                    return
                self._take(entry)

    def _take(self, entry: LogEntry) -> None:
        commit = Commit(
            entry.id,
            _moment(entry.time),
            self._author(_text(entry.name), _text(entry.email)),
            _text(entry.subject)[:_MAX_SUBJECT_CHARS],
            b" " in entry.parents,
        )
        if entry.id in self._edges:
            self.is_shallow = True
            self.pending.append((commit, []))
            return
        number = self._names.number
        changes = [
            (number(path), added, deleted)
            for path, added, deleted in entry.changes
            if path.startswith(self._prefix)
        ]
        for path in entry.created:
            self._names.create(path)
        for old, new in entry.moved:
            self._names.move(old, new)
        self.pending.append((commit, changes))

    def _author(self, name: str, email: str) -> Author:
        return self._authors.setdefault(email.casefold() or name, Author(name, email))

    def older(self) -> str:
        """Say what is missing if nothing more is read."""
        if not self.pending:
            return "all commits"
        return f"commits before {self.pending[-1][0].time:%Y-%m-%d %H:%M:%S} UTC"

    def finish(self) -> tuple[Commit, ...]:
        """Return the commits with their files under the newest paths."""
        start = len(self._prefix)
        paths = [name[start:].decode("utf-8", "surrogateescape") for name in self._names.newest()]
        commits = []
        while self.pending:
            commit, changes = self.pending.popleft()
            commits.append(replace(commit, files=_files(changes, paths)) if changes else commit)
        return tuple(commits)


def _files(changes: Iterable[_Change], paths: Sequence[str]) -> tuple[FileChange, ...]:
    found: dict[str, FileChange] = {}
    for number, added, deleted in changes:
        change = FileChange(paths[number], added, deleted)
        before = found.get(change.path)
        found[change.path] = change if before is None else _join(before, change)
    return tuple(found[path] for path in sorted(found))


def _join(first: FileChange, second: FileChange) -> FileChange:
    """Make one change of two to files that ended at the same path."""
    added = _sum(first.added, second.added)
    return FileChange(first.path, added, _sum(first.deleted, second.deleted))


def _sum(first: int | None, second: int | None) -> int | None:
    return second if first is None else first + (second or 0)


def _text(field: bytes) -> str:
    return field.decode("utf-8", "replace")


def _moment(seconds: bytes) -> datetime:
    known = int(seconds) if seconds.isdigit() else 0
    return datetime.fromtimestamp(min(known, _LAST_SECOND), UTC)
