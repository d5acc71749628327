"""Split the bytes of a log into events, whatever their literals contain, in bounded memory."""

from abc import ABC, abstractmethod
from typing import Final

from ._events import MARK, read_body, split_head
from ._lexing import opener_of, skeleton

# Listed in words; the rest are counted.
MAX_FAULTS: Final = 20
_MAX_OPEN_BYTES = 4 << 20
# How far to look for the end of a literal that seems to contain other events.
_MAX_OPEN_PIECES = 256
# What mysqldump writes is shorter. A longer statement would keep the interpreter from other
# threads, because one regular expression reads all of it.
_MAX_EVENT_BYTES = 1 << 20
# The part of a longer event that is kept; it is enough for its class.
_KEPT_OF_LONG_EVENT = 1 << 18


class Splitter(ABC):
    """Collects chunks, and splits them into pieces, each of which begins after a mark."""

    def __init__(self, start: int = 0) -> None:
        self._buffer = b"\n"
        self._base = start - 1
        """Position of the buffer in the log; the buffer begins with an extra newline."""
        self._line = 0
        """Lines that end before the buffer."""
        self._is_begun = False
        self._head_at = start
        """Position of the event whose mark comes next."""
        self._head_line = 1
        self._shortened_at = -1
        self._is_clean = True
        """Whether the end is certain, whatever may follow."""
        self._faults: list[tuple[int, int, str]] = []
        self._fault_count = 0

    def feed(self, chunk: bytes) -> None:
        """Add a chunk; an event that may be incomplete is kept for the next one."""
        self._buffer += chunk
        self._shorten()
        self._read(is_last=False)

    @abstractmethod
    def _take_preamble(self, preamble: bytes) -> None:
        """Read what comes before the first mark."""

    @abstractmethod
    def _take_any(self, piece: bytes, at: int, *, is_end: bool) -> None:
        """Read one event of any form, given the position of its mark in the buffer."""

    def _take_plain(self, pieces: list[bytes], number: int, whole: int, at: int) -> tuple[int, int]:
        """Read events as long as they have the usual form.

        Return the first piece that has not, and its position in the buffer.
        """
        _ = pieces, whole
        return number, at

    def _before_dropped(self) -> None:  # noqa: B027 - only some need it
        """Use the buffer before its read part is dropped."""

    def _read(self, *, is_last: bool) -> None:
        pieces = self._buffer.split(MARK)
        if not self._is_begun and (len(pieces) > 1 or is_last):
            self._is_begun = True
            self._take_preamble(pieces[0][1:])
            self._drop(len(pieces[0]))
            pieces[0] = b""
        whole = len(pieces) if is_last else len(pieces) - 1
        if whole <= 1:
            return
        consumed = self._read_pieces(pieces, whole, is_last=is_last)
        self._before_dropped()
        self._drop(consumed)

    def _drop(self, consumed: int) -> None:
        self._head_line = self._line_of(self._head_at)
        self._line += self._buffer.count(b"\n", 0, consumed)
        self._base += consumed
        self._buffer = self._buffer[consumed:]

    def _read_pieces(self, pieces: list[bytes], whole: int, *, is_last: bool) -> int:
        """Read events, and return how many bytes of the buffer they take."""
        number, at = 1, len(pieces[0])
        while number < whole:
            number, at = self._take_plain(pieces, number, whole, at)
            if number == whole:
                break
            taken = self._extent(pieces, number, is_last=is_last)
            if not taken:
                break
            piece = MARK.join(pieces[number : number + taken])
            number += taken
            self._take_any(piece, at, is_end=is_last and number == len(pieces))
            at += len(MARK) + len(piece)
        return at

    def _extent(self, pieces: list[bytes], number: int, *, is_last: bool) -> int:
        """Return how many pieces an event takes: more than one if its literals contain marks.

        A literal without an end would swallow the rest of the log. That is assumed if there is
        no end nearby, or one followed by what never follows a literal. Return 0 if more of the
        log is needed to decide.
        """
        piece = pieces[number]
        end, _, _ = split_head(piece)
        body = read_body(piece, end)
        if body is None or skeleton(piece[body.query_at : end]) is not None:
            return 1
        try:
            opener = opener_of(piece[body.query_at :])
            size, taken = len(piece), 1
            while opener and number + taken < len(pieces):
                more = pieces[number + taken]
                opener = opener_of(MARK + more, opener)
                size, taken = size + len(more), taken + 1
                if size > _MAX_OPEN_BYTES or taken > _MAX_OPEN_PIECES:
                    return 1
        except ValueError:
            return 1
        if number + taken == len(pieces) and not is_last:
            return 0
        self._is_clean = self._is_clean and not opener
        return 1 if opener else taken

    def _shorten(self) -> None:
        """Drop the middle of an event that is too long."""
        last = self._buffer.rfind(MARK)
        if len(self._buffer) - last <= _MAX_EVENT_BYTES:
            return
        keep_to, keep_from = max(last, 0) + _KEPT_OF_LONG_EVENT, len(self._buffer) - len(MARK)
        if self._shortened_at != self._head_at:
            self._shortened_at = self._head_at
            self._fault(self._head_at, "an event longer than 1 MiB was shortened")
        self._line += self._buffer.count(b"\n", keep_to, keep_from)
        self._base += keep_from - keep_to
        self._buffer = self._buffer[:keep_to] + self._buffer[keep_from:]

    def _line_of(self, byte: int) -> int:
        if byte < self._base:
            return self._head_line
        return self._line + self._buffer.count(b"\n", 0, byte - self._base)

    def _fault(self, byte: int, problem: str) -> None:
        self._fault_count += 1
        if len(self._faults) < MAX_FAULTS:
            self._faults.append((self._line_of(byte), byte, problem))
