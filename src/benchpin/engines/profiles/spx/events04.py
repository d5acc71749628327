"""Decode the events of SPX 0.4: `function 1|0 values…`, the values cumulative."""

from collections.abc import Iterator
from itertools import chain
from operator import sub

import msgspec

from .faults import FaultLog
from .mending import mend
from .rows import MOST_FUNCTIONS, Rows
from .sections import Block, whole_lines

_NUMBER = b"0123456789-."
_TO_COMMAS = bytes.maketrans(b" \n", b",,")
_WHOLE = msgspec.json.Decoder(list[int])
_DECIMAL = msgspec.json.Decoder(list[int | float])


class Decoder04:
    """Decodes blocks at once where they are sound, line by line where they are not."""

    def __init__(self, metrics: int, faults: FaultLog) -> None:
        """Start before the first event."""
        self._width = metrics + 2
        self._shape = b" " * (self._width - 1) + b"\n"
        self._faults = faults
        self._last = [0] * self._width

    def decode(self, block: Block) -> Rows:
        """Return the events of a block; what is damaged is left out and noted as a fault."""
        values = self._at_once(block.text)
        lines: range | list[int] = range(block.line, block.line + block.text.count(b"\n"))
        if values is None:
            found = list(self._line_by_line(block))
            lines = [line for line, _ in found]
            values = list(chain.from_iterable(row for _, row in found))
        deltas = [self._deltas(place, values) for place in range(2, self._width)]
        self._last = values[-self._width :] or self._last
        return Rows(lines, values[1 :: self._width], values[0 :: self._width], deltas)

    def _at_once(self, text: bytes) -> list[int] | None:
        """Decode lines as one list of numbers; None unless each of them has its fields.

        SPX writes a negative value a ten-thousandth too high (-168 as -167.9999), so decimals are
        rounded to what was measured.
        """
        if not text.endswith(b"\n") or text.translate(None, _NUMBER) != self._shape * text.count(
            b"\n"
        ):
            return None
        try:
            if b"." in text:
                decimals = _DECIMAL.decode(_as_json(text.replace(b"-.", b"-0.")))
                values = list(map(round, decimals))
            else:
                values = _WHOLE.decode(_as_json(text))
        except (msgspec.DecodeError, OverflowError):
            return None
        functions = values[0 :: self._width]
        are_sound = set(values[1 :: self._width]) <= {0, 1} and min(functions) >= 0
        return values if are_sound and max(functions) < MOST_FUNCTIONS else None

    def _line_by_line(self, block: Block) -> Iterator[tuple[int, list[int]]]:
        previous = self._last
        for line, written in whole_lines(block, self._faults):
            sound = self._at_once(written + b"\n")
            rows = [sound] if sound else []
            if not rows:
                rows, problem = mend(written.split(b" "), previous)
                self._faults.add(f"line {line}", problem)
            for row in rows:
                previous = row
                yield line, row

    def _deltas(self, place: int, values: list[int]) -> list[int]:
        column = values[place :: self._width]
        return list(map(sub, column, chain(self._last[place : place + 1], column)))


def _as_json(text: bytes) -> bytes:
    return b"[" + text.translate(_TO_COMMAS)[:-1] + b"]"
