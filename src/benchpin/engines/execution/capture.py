"""Keep the beginning and the end of an output of any length."""

import codecs
from dataclasses import dataclass

HEAD_BYTES = 16 * 1024
TAIL_BYTES = 16 * 1024
_CONTINUATION = range(0x80, 0xC0)


@dataclass(frozen=True, slots=True)
class Captured:
    """An output, and how much of it was cut out of the middle."""

    text: str
    cut_bytes: int


class Capture:
    """Takes an output piece by piece."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, piece: bytes) -> None:
        """Take the next piece."""
        self._total += len(piece)
        room = HEAD_BYTES - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        if len(self._tail) > 2 * TAIL_BYTES:
            del self._tail[:-TAIL_BYTES]

    def finish(self) -> Captured:
        """Return what was kept; bytes that are not UTF-8 are replaced."""
        if self._total <= HEAD_BYTES + TAIL_BYTES:
            return Captured((self._head + self._tail).decode(errors="replace"), 0)
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        head = decoder.decode(self._head)
        tail = self._tail[-TAIL_BYTES:]
        while tail and tail[0] in _CONTINUATION and len(tail) > TAIL_BYTES - 4:
            del tail[0]
        unfinished, _ = decoder.getstate()
        cut = self._total - len(self._head) + len(unfinished) - len(tail)
        text = f"{head}\n[{cut:,} bytes cut]\n{tail.decode(errors='replace')}"
        return Captured(text, cut)
