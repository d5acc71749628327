"""Keep the beginning and the end of an output of any length."""

import codecs

KEPT_BYTES = 32 * 1024
_CONTINUATION_BYTES = range(0x80, 0xC0)


class OutputCapture:
    """Collects an output in pieces; holds at most 1.5 times `kept_bytes` and one piece."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        """Keep at most this many bytes: half from the beginning, half from the end."""
        self._half = kept_bytes // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, piece: bytes) -> None:
        """Append the next piece."""
        self._total += len(piece)
        room = self._half - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        # Cut at twice the size, so that small pieces do not each move the whole tail.
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    def finish(self) -> tuple[str, int]:
        """Return the text, invalid UTF-8 replaced, and how many bytes were cut from its middle."""
        if self._total <= 2 * self._half:
            return (self._head + self._tail).decode(errors="replace"), 0
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        head = decoder.decode(self._head)
        tail = self._tail[-self._half :]
        # Drop the rest of a character that the cut split: at most three continuation bytes.
        while tail and tail[0] in _CONTINUATION_BYTES and len(tail) > self._half - 4:
            del tail[0]
        incomplete, _ = decoder.getstate()
        cut = self._total - len(self._head) + len(incomplete) - len(tail)
        return f"{head}\n[{cut:,} bytes cut]\n{tail.decode(errors='replace')}", cut
