"""Cut a stream of bytes into lines, and never hold more than one line of the permitted length."""

from collections.abc import Iterator
from dataclasses import dataclass

LF = b"\n"
CR = b"\r"


@dataclass(frozen=True, slots=True)
class Oversized:
    """A line that was too long and was dropped while it came in."""

    size_bytes: int


class LineFramer:
    """Takes chunks, gives lines without their ends; blank lines are passed over."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._held = bytearray()
        self._dropped = 0

    def feed(self, chunk: bytes) -> Iterator[bytes | Oversized]:
        """Take a chunk and give every line that it completes."""
        start = 0
        while (end := chunk.find(LF, start)) >= 0:
            line = self._complete(chunk[start:end])
            start = end + 1
            if line is not None:
                yield line
        self._hold(chunk[start:])

    def finish(self) -> bytes | Oversized | None:
        """Give what stands after the last line end, when the stream is over."""
        return self._complete(b"")

    def _complete(self, tail: bytes) -> bytes | Oversized | None:
        if self._dropped or len(self._held) + len(tail) > self._max_bytes + len(CR):
            size = self._dropped + len(self._held) + len(tail)
            self._held.clear()
            self._dropped = 0
            return Oversized(size)
        line = bytes(self._held) + tail if self._held else tail
        self._held.clear()
        line = line.removesuffix(CR)
        if len(line) > self._max_bytes:
            return Oversized(len(line))
        return line if line.strip() else None

    def _hold(self, tail: bytes) -> None:
        if self._dropped or len(self._held) + len(tail) > self._max_bytes + len(CR):
            self._dropped += len(self._held) + len(tail)
            self._held.clear()
        else:
            self._held += tail
