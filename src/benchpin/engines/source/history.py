"""What happened to the files of a workspace: its commits, read from one `git log`.

Every change is filed under the newest path of its file, so a file that was moved keeps its past,
as far as it never left the workspace. Merges are left out: what they bring in was changed by the
commits that they merge, and `git log` shows no changes of their own. A commit counts by the time
at which it was committed, as for `git log --since`, and for its author, as `.mailmap` names him.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from benchpin.core import Job, TimeLimitExceeded

from .git import GitFailed, Repository, find_head, find_repository, stream
from .git_log import COMMIT_OPTIONS, LOG_OPTIONS, MAX_CHANGES, FileNames, LogEntry, read_log

_PATH_CODEC = ("utf-8", "surrogateescape")
LAST_SECOND = 253_402_300_799  # of the year 9999
_MAX_SUBJECT_BYTES = 256

_Change = tuple[int, int | None, int | None]


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one commit did to one file; a binary file has no lines."""

    path: str
    """The newest path, from the workspace; bytes that are no UTF-8 are escaped as surrogates."""
    added: int | None
    deleted: int | None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit and the files that it changed, by path."""

    id: str
    time: datetime
    """When it was committed, in UTC."""
    author: str
    files: tuple[FileChange, ...] = ()
    subject: str = ""
    """The first line of its message."""


@dataclass(frozen=True, slots=True)
class History:
    """The commits of a period, newest first."""

    commits: tuple[Commit, ...]
    existing: frozenset[str]
    """The files that are under version control now."""
    is_shallow: bool = False
    """Whether a shallow clone hides what came before; its oldest commits then show no files."""
    moved: Mapping[datetime, Mapping[str, str]] = field(default_factory=dict)
    """For each of the moments that were asked for, the newest paths of files that had others."""
    problem: str = ""
    """Why no commit shows files, where git cannot tell of all."""


def read_history(
    folder: Path,
    workspace_root: Path,
    job: Job,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    moments: Sequence[datetime] = (),
    needs_files: bool = True,
    reading: "Reading | None" = None,
) -> History:
    """Read the history of the repository that a folder belongs to; what time cuts off is older.

    Of each of the moments it is told which files had other paths then. Where a clone lacks objects,
    the files of commits cannot be told: then what is older is left out too, or, unless
    `needs_files`, all commits are given, without files. A reading of the same repository that time
    cut off goes on where it was.

    Raises:
        Cancelled: when the job was.
        DependencyMissing: when git is not installed.
        GitFailed: when git cannot read the repository.
        InvalidPath: when the folder is none.
        NotARepository: when the folder is not under version control.
        PathOutsideWorkspace: when the folder or its history is elsewhere.
    """
    reader = reading or Reading(find_repository(folder, workspace_root), moments)
    try:
        reader.read(since, job)
    except TimeLimitExceeded:
        job.leave_out(reader.older())
    except GitFailed as error:
        if not needs_files:
            return _read_commits(reader, job, since, until, error)
        if not reader.pending:
            raise
        job.leave_out(f"{reader.older()} ({error.message})")
    return reader.finish(until, is_kept=reading is not None)


def _read_commits(
    failed: "Reading",
    job: Job,
    since: datetime | None,
    until: datetime | None,
    error: GitFailed,
) -> History:
    """Read commits without their files, after that failed with them."""
    reader = Reading(failed.repository)
    try:
        reader.read(since, job, COMMIT_OPTIONS)
    except TimeLimitExceeded:
        job.leave_out(reader.older())
    return replace(reader.finish(until), problem=error.message)


class Reading:
    """Collects commits until all paths are known."""

    def __init__(self, repository: Repository, moments: Iterable[datetime] = ()) -> None:
        self.pending: deque[tuple[Commit, list[_Change]]] = deque()
        self._ahead = sorted(moments)
        self._known: dict[datetime, dict[bytes, int]] = {}
        self.repository = repository
        self._head: str | None = None
        self._total = 0
        self._mount = repository.mount
        self._prefix = repository.prefix.encode(*_PATH_CODEC)
        self._paths = (repository.prefix,) if repository.prefix else ()
        self._edges = repository.shallow_edges()
        self._existing: frozenset[bytes] = frozenset()
        self._names = FileNames(())
        self._is_shallow = False

    def read(self, since: datetime | None, job: Job, options: Sequence[str] = LOG_OPTIONS) -> None:
        """Take commits as they come, after those that were taken before."""
        if self._head is None and not self._begin(job):
            return
        age = () if since is None else (f"--max-age={max(0, int(since.timestamp()))}",)
        window = (*age, f"--skip={len(self.pending)}") if self.pending else age
        head = (self._head or "",)
        log = stream(self.repository, "log", (*options, *window), head, self._paths, job)
        with closing(log) as pieces:
            for entry in read_log(pieces):
                job.report(len(self.pending), message="commits")
                self._total += 1 + len(entry.changes)
                if self._total > MAX_CHANGES:
                    limit = f"over {MAX_CHANGES:,} commits and changes"
                    job.leave_out(f"{self.older()} ({limit})")
                    return
                self._take(entry)

    def _begin(self, job: Job) -> bool:
        """Find the newest commit and its files; there may be none."""
        head = find_head(self.repository, job)
        if head is None:
            return False
        listing = stream(self.repository, "ls-tree", ("--name-only",), (head,), None, job)
        names = b"".join(listing).split(b"\0")[:-1]
        self._existing = frozenset(name for name in names if name.startswith(self._prefix))
        self._names = FileNames(self._existing)
        self._head = head
        return True

    def _take(self, entry: LogEntry) -> None:
        author = (entry.name or entry.email).decode("utf-8", "replace")
        subject = entry.subject[:_MAX_SUBJECT_BYTES].decode("utf-8", "replace")
        commit = Commit(entry.id, _moment(entry.time), author, subject=subject)
        while self._ahead and commit.time < self._ahead[-1]:
            self._known[self._ahead.pop()] = self._names.known()
        if entry.id in self._edges:
            self._is_shallow = True
            self.pending.append((commit, []))
            return
        number = self._names.number
        changes = [(number(path), added, deleted) for path, added, deleted in entry.changes]
        for path in entry.created:
            self._names.create(path)
        for old, new in entry.moved:
            self._names.move(old, new)
        self.pending.append((commit, changes))

    def older(self) -> str:
        """Say what is missing if nothing more is read."""
        if not self.pending:
            return "all commits"
        return f"commits before {self.pending[-1][0].time:%Y-%m-%d %H:%M:%S} UTC"

    def finish(self, until: datetime | None, *, is_kept: bool = False) -> History:
        """Return the commits with their files under the newest paths; kept, it may go on."""
        pending = self.pending.copy() if is_kept else self.pending
        paths = [self._path(name) for name in self._names.newest()]
        commits = []
        while pending:
            commit, changes = pending.popleft()
            if until is None or commit.time < until:
                commits.append(replace(commit, files=_files(changes, paths)) if changes else commit)
        existing = frozenset(map(self._path, self._existing))
        for moment in self._ahead:
            self._known[moment] = self._names.known()
        moved = {
            moment: {
                path: paths[number]
                for name, number in known.items()
                if (path := self._path(name)) != paths[number]
            }
            for moment, known in self._known.items()
        }
        return History(tuple(commits), existing, self._is_shallow, moved)

    def _path(self, name: bytes) -> str:
        return self._mount + name.removeprefix(self._prefix).decode(*_PATH_CODEC)


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


def _moment(seconds: bytes) -> datetime:
    known = int(seconds) if seconds.isdigit() else 0
    return datetime.fromtimestamp(min(known, LAST_SECOND), UTC)
