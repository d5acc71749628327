"""Parse the output of `git log -z --raw`, newest commit first, while it is written.

Fields end with NUL, because names may contain anything else; their order says what they are.
"""

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

from benchpin.core.calls import Job
from benchpin.workspace.git import Repository, stream

_MARK = b"\x01"  # starts a commit; no other field starts with this byte
_FORMAT = "--format=%x01%H%x00%ct%x00%aN%x00%aE%x00%s"
# The options for a clone that lacks even the trees: commits without files.
COMMIT_OPTIONS = ("-z", "--no-merges", "--full-history", _FORMAT)
_RAW_OPTIONS = ("--raw", "--no-abbrev", *COMMIT_OPTIONS)

# The options without counts of lines: git reads the contents of renamed files alone.
FILE_OPTIONS = ("--find-renames", *_RAW_OPTIONS)
LOG_OPTIONS = ("--numstat", *FILE_OPTIONS)

# The options for a clone that lacks the contents of files: no line counts, no renames with edits.
TREE_OPTIONS = ("--find-renames=100%", *_RAW_OPTIONS)

# The options for commits whose rows are known.
ID_OPTIONS = ("-z", "--no-merges", "--full-history", "--format=%H")

# The limit on changes, of one commit and of all together.
MAX_CHANGES = 1_000_000
_MAX_FIELD_BYTES = 1 << 16


class RawChange(NamedTuple):
    """A file in a commit and in the one before it, as git writes them."""

    old_mode: bytes
    mode: bytes
    old_id: str
    id: str
    old_path: bytes
    path: bytes


@dataclass(slots=True)
class LogEntry:
    """One commit as git writes it."""

    id: str
    time: bytes
    """When it was committed, in seconds since 1970."""
    name: bytes
    email: bytes
    changes: list[tuple[bytes, int | None, int | None]] = field(default_factory=list)
    """Path, lines added, lines deleted; None for a binary file, or where lines were not counted."""
    created: list[bytes] = field(default_factory=list)
    moved: list[tuple[bytes, bytes]] = field(default_factory=list)
    """Old path and new path."""
    subject: bytes = b""
    """The first line of its message."""
    raw: list[RawChange] = field(default_factory=list)
    """The modes and contents of the files, if they were asked for."""


def list_commits(
    repository: Repository,
    options: Sequence[str],
    revisions: Sequence[str],
    paths: Sequence[str],
    job: Job,
) -> Generator[LogEntry, None, None]:
    """Yield commits with the contents of their files; `options` are more options of `git log`.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the time of the job is up.
    """
    wanted = ("-z", "--raw", "--no-abbrev", _FORMAT, *options)
    with closing(stream(repository, "log", wanted, revisions, paths, job)) as pieces:
        yield from read_log(pieces, keeps_raw=True)


def list_line_commits(
    repository: Repository, revision: str, path: str, first: int, last: int, job: Job
) -> Iterator[LogEntry]:
    """Yield the commits that changed some lines of a file, as `git log -L` follows them.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the time of the job is up.
    """
    options = ("-z", "--no-patch", _FORMAT, f"-L{first},{last}:{path}")
    with closing(stream(repository, "log", options, (revision,), None, job)) as pieces:
        yield from read_log(pieces)


def read_log(pieces: Iterable[bytes], *, keeps_raw: bool = False) -> Iterator[LogEntry]:
    """Yield each commit when all of it has been read."""
    fields = _split_fields(pieces)
    entry: LogEntry | None = None
    touched: list[bytes] = []
    for head in fields:
        if head.startswith(_MARK):
            if entry is not None:
                yield _with_changes(entry, touched)
            time, name, email, subject = (next(fields, b"") for _ in range(4))
            entry = LogEntry(head[1:].decode("ascii"), time, name, email, subject=subject)
            touched = []
        elif entry is None:
            continue
        elif head.startswith((b":", b"\n:")):
            paths = _read_raw(entry, head, fields, touched)
            if keeps_raw and len(entry.raw) <= MAX_CHANGES:
                old_mode, mode, old_id, new_id, _ = head.lstrip(b"\n:").split(b" ")
                ids = (old_id.decode("ascii"), new_id.decode("ascii"))
                entry.raw.append(RawChange(old_mode, mode, *ids, *paths))
        else:
            _read_counts(entry, head, fields)
    if entry is not None:
        yield _with_changes(entry, touched)


def _with_changes(entry: LogEntry, touched: Iterable[bytes]) -> LogEntry:
    """Take the changes from the trees where git did not count lines."""
    if not entry.changes:
        entry.changes = [(path, None, None) for path in touched]
    return entry


def _split_fields(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Split at NUL; a field that is too long for a path is cut."""
    rest = b""
    for piece in pieces:
        parts = (rest + piece).split(b"\0")
        rest = parts.pop()[:_MAX_FIELD_BYTES]
        yield from parts


def _read_raw(
    entry: LogEntry, head: bytes, fields: Iterator[bytes], touched: list[bytes]
) -> tuple[bytes, bytes]:
    """Read `:<modes> <ids> <status>` and the paths after it; return them, old and new."""
    status = head[head.rindex(b" ") + 1 :][:1]
    old = path = next(fields, b"")
    if status in {b"R", b"C"}:
        path = next(fields, b"")
    if len(touched) <= MAX_CHANGES:
        touched.append(path)
        if status == b"R":
            entry.moved.append((old, path))
        elif status in {b"A", b"C"}:
            entry.created.append(path)
    return old, path


def _read_counts(entry: LogEntry, head: bytes, fields: Iterator[bytes]) -> None:
    added, deleted, path = head.split(b"\t", 2)
    if not path:  # a rename: the old and the new path follow
        next(fields, b"")
        path = next(fields, b"")
    if len(entry.changes) <= MAX_CHANGES:
        entry.changes.append((path, _count(added), _count(deleted)))


def _count(digits: bytes) -> int | None:
    return None if digits == b"-" else int(digits)


class FileNames:
    """Maps paths to files while history is read backwards, and files to their newest path."""

    def __init__(self, existing: Collection[bytes]) -> None:
        self._existing = existing
        self._names: list[bytes] = []
        self._current: dict[bytes, int] = {}
        self._same: dict[int, int] = {}

    def number(self, path: bytes) -> int:
        """Return the number of the file at a path; a file seen first gets the path as its name."""
        number = self._current.get(path)
        if number is None:
            number = self._current[path] = len(self._names)
            self._names.append(path)
        return number

    def create(self, path: bytes) -> None:
        """Record that the file was created here: an older file of the same path is another one."""
        self._current.pop(path, None)

    def move(self, old: bytes, new: bytes) -> None:
        """Record that the file was renamed.

        If a file is already known at the old path, and no longer exists there, it is the same file,
        changed on a parallel branch.
        """
        number = self.number(new)
        self._current.pop(new, None)
        other = self._current.setdefault(old, number)
        is_parallel = self._names[other] == old and old not in self._existing
        if is_parallel and self._root(other) != self._root(number):
            self._same[other] = number
            self._current[old] = number

    def _root(self, number: int) -> int:
        while (other := self._same.get(number)) is not None:
            self._same[number] = self._same.get(other, other)  # union-find: halve the path
            number = other
        return number

    def known(self) -> dict[bytes, int]:
        """Return the number of each file by its path at the commit read last."""
        return dict(self._current)

    def newest(self) -> list[bytes]:
        """Return the newest path of each file, by number."""
        return [self._names[self._root(number)] for number in range(len(self._names))]
