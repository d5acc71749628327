"""Read what `git log -z --raw --numstat` writes, newest commit first, as it comes.

Fields end with NUL, so a name may hold anything else. Where each one stands tells what it is.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

_MARK = b"\x01"
_FORMAT = "--format=%x01%H%x00%ct%x00%aN%x00%aE%x00%s"
LOG_OPTIONS = (
    "-z",
    "--raw",
    "--numstat",
    "--no-abbrev",
    "--no-merges",
    "--find-renames",
    "--full-history",
    _FORMAT,
)

COMMIT_OPTIONS = ("-z", "--no-merges", "--full-history", _FORMAT)
"""For a clone that lacks objects: commits without their files."""

MAX_CHANGES = 1_000_000
"""More than this is not kept, of one commit or of all."""
_MAX_FIELD_BYTES = 1 << 16


@dataclass(slots=True)
class LogEntry:
    """One commit as git writes it."""

    id: str
    time: bytes
    """When it was committed, in seconds since 1970."""
    name: bytes
    email: bytes
    changes: list[tuple[bytes, int | None, int | None]] = field(default_factory=list)
    """Path, lines added, lines deleted; None for a binary file."""
    created: list[bytes] = field(default_factory=list)
    moved: list[tuple[bytes, bytes]] = field(default_factory=list)
    """Old path and new path."""
    subject: bytes = b""
    """The first line of its message."""


def read_log(pieces: Iterable[bytes]) -> Iterator[LogEntry]:
    """Give every commit once all of it was read."""
    fields = _split(pieces)
    entry: LogEntry | None = None
    for head in fields:
        if head.startswith(_MARK):
            if entry is not None:
                yield entry
            time, name, email, subject = (next(fields, b"") for _ in range(4))
            entry = LogEntry(head[1:].decode("ascii"), time, name, email, subject=subject)
        elif entry is None:
            continue
        elif head.startswith((b":", b"\n:")):
            _read_raw(entry, head, fields)
        else:
            _read_counts(entry, head, fields)
    if entry is not None:
        yield entry


def _split(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Split at NUL; a field too long for any path loses its middle."""
    rest = b""
    for piece in pieces:
        parts = (rest + piece).split(b"\0")
        rest = parts.pop()[:_MAX_FIELD_BYTES]
        yield from parts


def _read_raw(entry: LogEntry, head: bytes, fields: Iterator[bytes]) -> None:
    """Take from `:<modes> <ids> <status>` and the paths behind it who came and who moved."""
    status = head[head.rindex(b" ") + 1 :][:1]
    path = next(fields, b"")
    if status == b"R":
        moved = (path, next(fields, b""))
        if len(entry.moved) <= MAX_CHANGES:
            entry.moved.append(moved)
    elif status == b"A" and len(entry.created) <= MAX_CHANGES:
        entry.created.append(path)


def _read_counts(entry: LogEntry, head: bytes, fields: Iterator[bytes]) -> None:
    added, deleted, path = head.split(b"\t", 2)
    if not path:  # of a move: the old and the new path follow
        next(fields, b"")
        path = next(fields, b"")
    if len(entry.changes) <= MAX_CHANGES:
        entry.changes.append((path, _count(added), _count(deleted)))


def _count(digits: bytes) -> int | None:
    return None if digits == b"-" else int(digits)


class FileNames:
    """Knows, while history is read backwards, which file a path means and what it is called now."""

    def __init__(self, existing: Collection[bytes]) -> None:
        self._existing = existing
        self._names: list[bytes] = []
        self._current: dict[bytes, int] = {}
        self._same: dict[int, int] = {}

    def number(self, path: bytes) -> int:
        """Return the number of the file at a path; a file that is new to us is named by it."""
        number = self._current.get(path)
        if number is None:
            number = self._current[path] = len(self._names)
            self._names.append(path)
        return number

    def create(self, path: bytes) -> None:
        """Note that the file began here: whatever had the path before is another one."""
        self._current.pop(path, None)

    def move(self, old: bytes, new: bytes) -> None:
        """Note that the file at a path was at another one before.

        What is known at the old path already, and is there no more, is the same file, changed on
        a branch beside.
        """
        number = self.number(new)
        self._current.pop(new, None)
        other = self._current.setdefault(old, number)
        is_beside = self._names[other] == old and old not in self._existing
        if is_beside and self._one(other) != self._one(number):
            self._same[other] = number
            self._current[old] = number

    def _one(self, number: int) -> int:
        while (other := self._same.get(number)) is not None:
            self._same[number] = self._same.get(other, other)  # shorter for the next one
            number = other
        return number

    def known(self) -> dict[bytes, int]:
        """Return the number of each file that has, where reading has come to, a path."""
        return dict(self._current)

    def newest(self) -> list[bytes]:
        """Return the newest path of each file, by number."""
        return [self._names[self._one(number)] for number in range(len(self._names))]
