"""The commits of a workspace, read from one `git log`.

Every change is recorded under the newest path of its file, so a file keeps its history when it is
renamed, as long as it never left the workspace. Merges are left out: `git log` lists no
changes for them, and the commits that they merge are listed anyway. The time of a commit is its
commit time, as for `git log --since`; its author is named as in `.mailmap`.

Which files a commit changed follows from its trees. A clone that lacks the contents of files has no
line counts, and only renames without edits are followed there.
"""

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.core.errors import TimeLimitExceeded
from benchpin.facts import CUT
from benchpin.workspace.git import GitFailed, Repository, find_head, find_repository, stream
from benchpin.workspace.git_objects import (
    COMMIT_OPTIONS,
    FILE_OPTIONS,
    ID_OPTIONS,
    LOG_OPTIONS,
    MAX_CHANGES,
    TREE_OPTIONS,
    FileNames,
    LogEntry,
    read_log,
)

from ._commit_rows import CommitRows

_PATH_CODEC = ("utf-8", "surrogateescape")
LAST_SECOND = 253_402_300_799  # the last second of the year 9999, the latest `datetime`
# Nobody writes a first line as long as this; a hostile history may have 64 KiB in each commit.
_MAX_SUBJECT_BYTES = 4_096
# If more commits are new, all are read: their ids do not fit into a command line.
_MAX_NEW_COMMITS = 1_000
_NO_WALK = ("--no-walk=unsorted",)
_WITH_CONTENTS = (LOG_OPTIONS, FILE_OPTIONS)

_Change = tuple[int, int | None, int | None]


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """The change of one file in a commit; binary files have no line counts."""

    path: str
    """The newest path, relative to the workspace; bytes that are not UTF-8 are escaped."""
    added: int | None
    deleted: int | None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit and the files that it changed, sorted by path."""

    id: str
    time: datetime
    """The commit time, in UTC."""
    author: str
    files: tuple[CommittedFile, ...] = ()
    subject: str = ""
    """The first line of its message."""
    is_counted: bool = True
    """Whether git had the contents of its changes, to count lines and find renames with edits."""


@dataclass(frozen=True, slots=True)
class History:
    """The commits of a period, newest first."""

    commits: tuple[Commit, ...]
    existing: frozenset[str]
    """The files that are under version control now."""
    is_shallow: bool = False
    """Whether the clone is shallow; its oldest commits are then listed without files."""
    moved: Mapping[datetime, Mapping[str, str]] = field(default_factory=dict)
    """For each requested moment, the newest path of each file that had another one then."""
    problem: str = ""
    """The error of git if it cannot list changed files; commits then have none."""

    @property
    def lacks_lines(self) -> bool:
        """Whether lines were not counted, and renames with edits not followed, in some commits."""
        return not all(commit.is_counted for commit in self.commits)


def read_history(
    folder: Path,
    workspace_root: Path,
    job: Job,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    moments: Sequence[datetime] = (),
    needs_files: bool = True,
    reading: "HistoryReader | None" = None,
    git_folders: tuple[Path, ...] = (),
) -> History:
    """Read the history of the repository of a folder, newest first, as far as time allows.

    `moments` are points in time for which `History.moved` is filled. In a clone that lacks trees,
    git cannot list the files of older commits: with `needs_files` those commits are left out,
    otherwise all commits are returned without files. `reading` is an earlier reader of
    the same repository that ran out of time; it continues where it stopped. `git_folders` as in
    `find_repository`.

    Raises:
        DependencyMissing: when git is not installed.
        GitFailed: when git cannot read the repository.
        InvalidPath: when the folder is not a folder.
        NotARepository: when the folder is not under version control.
        PathOutsideWorkspace: when the folder or its history is outside the workspace.
    """
    reader = reading or HistoryReader(find_repository(folder, workspace_root, git_folders), moments)
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
    failed: "HistoryReader",
    job: Job,
    since: datetime | None,
    until: datetime | None,
    error: GitFailed,
) -> History:
    """Read commits without files, after reading them with files has failed."""
    reader = HistoryReader(failed.repository, options=COMMIT_OPTIONS, revision=failed.revision)
    try:
        reader.read(since, job)
    except TimeLimitExceeded:
        job.leave_out(reader.older())
    return replace(reader.finish(until), problem=error.message)


class HistoryReader:
    """Collects commits; their newest paths are known only when all have been read."""

    def __init__(
        self,
        repository: Repository,
        moments: Iterable[datetime] = (),
        options: Sequence[str] = LOG_OPTIONS,
        session: WorkspaceSession | None = None,
        revision: str | None = None,
    ) -> None:
        """Read the history of a `revision`, by default of the commit that is checked out.

        With a `session`, what git says of each commit is kept in its cache, and only commits that
        are new are read.
        """
        self._options = options
        self.revision = revision
        self._session = session
        self._rows: CommitRows | None = None
        # Whether only commits were read that were new.
        self.has_recalled = False
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

    def read(self, since: datetime | None, job: Job) -> None:
        """Read commits after those that were read before; if git fails, the rest from trees."""
        try:
            self._read(since, job)
        except GitFailed:
            if self._options not in _WITH_CONTENTS:
                raise
            # To count lines and find renames, git needs contents, which a partial clone lacks.
            self._options = TREE_OPTIONS
            self._read(since, job)

    def _read(self, since: datetime | None, job: Job) -> None:
        if self._head is None and not self._begin(job):
            return
        age = () if since is None else (f"--max-age={max(0, int(since.timestamp()))}",)
        window = (*age, f"--skip={len(self.pending)}") if self.pending else age
        try:
            with closing(self._entries(window, job)) as entries:
                for entry in entries:
                    job.report(len(self.pending), message="commits")
                    self._total += 1 + len(entry.changes)
                    if self._total > MAX_CHANGES:
                        limit = f"over {MAX_CHANGES:,} commits and changes"
                        job.leave_out(f"{self.older()} ({limit})")
                        return
                    self._take(entry)
        finally:
            if self._rows is not None:
                self._rows.save()

    def _entries(self, window: Sequence[str], job: Job) -> Generator[LogEntry, None, None]:
        """Yield commits in git's order; of those whose rows are known, git lists only the ids."""
        rows = self._rows
        if self._options not in _WITH_CONTENTS or (rows is None and not self._edges):
            yield from self._log((*self._options, *window), (self._head or "",), job)
            return
        ids = self._ids(window, job) if rows or self._edges else []
        read = {} if self.pending else self._read_edges(ids, job)
        new = [it for it in ids if it not in read and (rows is None or it not in rows)]
        if not rows or len(new) > _MAX_NEW_COMMITS:
            for entry in self._all_entries(window, ids, read, job):
                self._keep(entry, rows)
                yield entry
            return
        self.has_recalled = True
        if new:
            read |= {it.id: it for it in self._log((*self._options, *_NO_WALK), new, job)}
        for commit_id in ids:
            entry = rows[commit_id] if commit_id in rows else read[commit_id]
            self._keep(entry, rows)
            yield entry

    def _read_edges(self, ids: Sequence[str], job: Job) -> dict[str, LogEntry]:
        """Read the oldest commits of a shallow clone without files.

        Git would compare each with an empty tree, and what it says of files is not used.
        """
        edges = [it for it in ids if it in self._edges]
        if not 0 < len(edges) <= _MAX_NEW_COMMITS:
            return {}
        return {it.id: it for it in self._log((*COMMIT_OPTIONS, *_NO_WALK), edges, job)}

    def _all_entries(
        self, window: Sequence[str], ids: Sequence[str], known: Mapping[str, LogEntry], job: Job
    ) -> Iterator[LogEntry]:
        """Yield all commits; `ids` say where those belong that are known."""
        revisions = (self._head or "", *(f"^{it}" for it in known))
        with closing(self._log((*self._options, *window), revisions, job)) as log:
            for commit_id in ids if known else ():
                entry = known.get(commit_id) or next(log, None)
                if entry is not None:
                    yield entry
            yield from log

    def _keep(self, entry: LogEntry, rows: CommitRows | None) -> None:
        if rows is not None and entry.id not in self._edges:
            rows.add(entry)

    def _ids(self, window: Sequence[str], job: Job) -> list[str]:
        options = (*ID_OPTIONS, *window)
        listed = stream(self.repository, "log", options, (self._head or "",), self._paths, job)
        return b"".join(listed).decode("ascii").split("\0")[:-1]

    def _log(
        self, options: Sequence[str], revisions: Sequence[str], job: Job
    ) -> Generator[LogEntry, None, None]:
        log = stream(self.repository, "log", options, revisions, self._paths, job)
        with closing(log) as pieces:
            yield from read_log(pieces)

    def _begin(self, job: Job) -> bool:
        """Find the newest commit and its files; return whether there is one."""
        head = self.revision or find_head(self.repository, job)
        if head is None:
            return False
        listing = stream(self.repository, "ls-tree", ("--name-only",), (head,), None, job)
        names = b"".join(listing).split(b"\0")[:-1]
        self._existing = frozenset(name for name in names if name.startswith(self._prefix))
        self._names = FileNames(self._existing)
        self._head = head
        if self._session is not None:
            self._rows = CommitRows(self._session, self.repository, names, *self._options)
        return True

    def _take(self, entry: LogEntry) -> None:
        author = (entry.name or entry.email).decode("utf-8", "replace")
        subject = _subject(entry.subject)
        is_counted = self._options is not TREE_OPTIONS or not entry.changes
        commit = Commit(entry.id, _moment(entry.time), author, (), subject, is_counted)
        # Commits come newest first: a moment is passed when the first older commit appears.
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
        """Describe the commits that are missing if no more are read."""
        if not self.pending:
            return "all commits"
        return f"commits before {self.pending[-1][0].time:%Y-%m-%d %H:%M:%S} UTC"

    def finish(self, until: datetime | None, *, is_kept: bool = False) -> History:
        """Return the commits with the newest paths of files; if `is_kept`, reading may go on."""
        # Emptied as it goes, unless reading may go on: a long history is in memory once.
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


def _files(changes: Iterable[_Change], paths: Sequence[str]) -> tuple[CommittedFile, ...]:
    found: dict[str, CommittedFile] = {}
    for number, added, deleted in changes:
        change = CommittedFile(paths[number], added, deleted)
        before = found.get(change.path)
        found[change.path] = change if before is None else _join(before, change)
    return tuple(found[path] for path in sorted(found))


def _join(first: CommittedFile, second: CommittedFile) -> CommittedFile:
    """Add up two changes of files that ended at the same path."""
    added = _sum(first.added, second.added)
    return CommittedFile(first.path, added, _sum(first.deleted, second.deleted))


def _sum(first: int | None, second: int | None) -> int | None:
    return second if first is None else first + (second or 0)


def _subject(written: bytes) -> str:
    text = written[:_MAX_SUBJECT_BYTES].decode("utf-8", "replace")
    return text if len(written) <= _MAX_SUBJECT_BYTES else f"{text}{CUT}"


def _moment(seconds: bytes) -> datetime:
    known = int(seconds) if seconds.isdigit() else 0  # a damaged commit may have any bytes here
    return datetime.fromtimestamp(min(known, LAST_SECOND), UTC)
