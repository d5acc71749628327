"""Decode the events of SPX 0.4: `function 1|0 values…`, the values cumulative."""

from collections.abc import Iterator, Sequence
from itertools import chain
from operator import sub

import msgspec

from benchpin.performance.calls import Events
from benchpin.performance.reading import FaultLog

from ._events import MAX_FUNCTIONS, EventDecoder
from ._repair import split_glued_line
from ._sections import Block, whole_lines

_NUMBER = b"0123456789-."
_TO_COMMAS = bytes.maketrans(b" \n", b",,")
_WHOLE = msgspec.json.Decoder(list[int])
_DECIMAL = msgspec.json.Decoder(list[int | float])


class Decoder04(EventDecoder):
    """Decodes cumulative values."""

    def __init__(self, metrics: int, faults: FaultLog) -> None:
        super().__init__(metrics, faults)
        self._shape = b" " * (self._width - 1) + b"\n"
        self._last = [0] * self._width

    def _events(self, lines: Sequence[int], values: list[int]) -> Events:
        deltas = [self._deltas(place, values) for place in range(2, self._width)]
        self._last = values[-self._width :] or self._last
        return Events(lines, values[1 :: self._width], values[0 :: self._width], deltas)

    def _at_once(self, text: bytes) -> list[int] | None:
        # The text as JSON: msgspec parses numbers three times faster than int() on every field.
        # Without its digits, a sound block is nothing but the separators of its lines.
        if not text.endswith(b"\n") or text.translate(None, _NUMBER) != self._shape * text.count(
            b"\n"
        ):
            return None
        try:
            if b"." in text:
                # SPX writes a negative value a ten-thousandth too high (-168 as -167.9999)
                decimals = _DECIMAL.decode(_as_json(text.replace(b"-.", b"-0.")))
                values = list(map(round, decimals))
            else:
                values = _WHOLE.decode(_as_json(text))
        except (msgspec.DecodeError, OverflowError):
            return None
        functions = values[0 :: self._width]
        are_sound = set(values[1 :: self._width]) <= {0, 1} and min(functions) >= 0
        return values if are_sound and max(functions) < MAX_FUNCTIONS else None

    def _line_by_line(self, block: Block) -> Iterator[tuple[int, list[int]]]:
        previous = self._last
        for line, written in whole_lines(block, self._faults):
            sound = self._at_once(written + b"\n")
            rows = [sound] if sound else []
            if not rows:
                rows, problem = split_glued_line(written.split(b" "), previous)
                self._faults.add(f"line {line}", problem)
            for row in rows:
                previous = row
                yield line, row

    def _deltas(self, place: int, values: list[int]) -> list[int]:
        column = values[place :: self._width]
        return list(map(sub, column, chain(self._last[place : place + 1], column)))


def _as_json(text: bytes) -> bytes:
    return b"[" + text.translate(_TO_COMMAS)[:-1] + b"]"
