"""Split a stream of bytes into lines, holding at most one line of the permitted length."""

from collections.abc import Iterator
from dataclasses import dataclass

LF = b"\n"
CR = b"\r"
_HEAD = 4096
# Enough to find the id of a request, which most clients send first or last.
_TAIL = 256


@dataclass(frozen=True, slots=True)
class Oversized:
    """A line that was too long: only its beginning and its end are kept."""

    size_bytes: int
    head: bytes
    tail: bytes

    @classmethod
    def of(cls, line: bytes) -> "Oversized":
        """Return what is kept of a complete line."""
        return cls(len(line), line[:_HEAD], line[-_TAIL:])


class LineFramer:
    """Takes chunks and yields lines without their line ends; blank lines are skipped."""

    def __init__(self, max_bytes: int) -> None:
        self._most = max_bytes + len(CR)
        self._held = bytearray()
        self._dropped: Oversized | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes | Oversized]:
        """Take a chunk and yield every line that it completes."""
        start = 0
        while (end := chunk.find(LF, start)) >= 0:
            line = self._complete(chunk[start:end])
            start = end + 1
            if line is not None:
                yield line
        self._hold(chunk[start:])

    def finish(self) -> bytes | Oversized | None:
        """Return what follows the last line end, when the stream has ended."""
        return self._complete(b"")

    def _complete(self, tail: bytes) -> bytes | Oversized | None:
        self._hold(tail)
        dropped, self._dropped = self._dropped, None
        line = bytes(self._held).removesuffix(CR)
        self._held.clear()
        if dropped is not None:
            return dropped
        if len(line) >= self._most:
            return Oversized.of(line)
        return line if line.strip() else None

    def _hold(self, more: bytes) -> None:
        if self._dropped is not None:
            head, tail = self._dropped.head, self._dropped.tail
            self._dropped = Oversized(
                self._dropped.size_bytes + len(more),
                head + more[: _HEAD - len(head)],
                (tail + more)[-_TAIL:],
            )
            return
        self._held += more
        if len(self._held) > self._most:
            self._dropped = Oversized.of(bytes(self._held))
            self._held.clear()
