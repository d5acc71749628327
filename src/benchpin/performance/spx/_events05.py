"""Decode the events of SPX 0.5: `line|function|deltas…` and `-function|deltas…`."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from benchpin.performance.calls import Events
from benchpin.performance.reading import FaultLog

from ._events import MAX_FUNCTIONS, EventDecoder
from ._sections import Block, whole_lines

# `rN` is the function of the Nth previous event; SPX's own reader keeps as many.
FARTHEST_REFERENCE = 20
_ENTER = re.compile(rb"\n[0-9a-fA-F]*\|")
_NUMBER = b"0123456789-"
_TO_COMMAS = bytes.maketrans(b"|\n", b",,")
_WHOLE = msgspec.json.Decoder(list[int])


class Decoder05(EventDecoder):
    """Decodes deltas, references to earlier functions and absolute values."""

    def __init__(self, metrics: int, faults: FaultLog) -> None:
        super().__init__(metrics, faults)
        self._shape = b"\n" + b"|" * (self._width - 1)
        self._now = [0] * self._width
        self._recent: list[int | None] = []

    def _events(self, lines: Sequence[int], values: list[int]) -> Events:
        deltas = [values[place :: self._width] for place in range(2, self._width)]
        return Events(lines, values[0 :: self._width], values[1 :: self._width], deltas)

    def _at_once(self, text: bytes) -> list[int] | None:
        if not text.endswith(b"\n"):
            return None
        # Rewrite the text until every line is `1|function|n|n…`, then parse it as one JSON list:
        # a few passes in C instead of a loop over millions of lines.
        even = _ENTER.sub(b"\n1|", b"\n" + text).replace(b"\n-", b"\n0|")
        if b"\n1||" in even or b"\n0||" in even:
            return None
        # an empty field is 0; twice, because neighbours share a bar and matches do not overlap
        even = even.replace(b"||", b"|0|").replace(b"||", b"|0|").replace(b"|\n", b"|0\n")
        absolutes = _absolutes(even)
        whole = even.replace(b"|a", b"|").replace(b"|r", b"|-")
        if whole.translate(None, _NUMBER) != self._shape * text.count(b"\n") + b"\n":
            return None
        try:
            values = _WHOLE.decode(b"[" + whole[1:-1].translate(_TO_COMMAS) + b"]")
        except msgspec.DecodeError:
            return None
        functions = self._functions(values[1 :: self._width], text.count(b"r"))
        if functions is None or any(place % self._width == 1 for place in absolutes):
            return None
        values[1 :: self._width] = functions
        self._make_relative(values, absolutes)
        self._remember(functions)
        return values

    def _functions(self, written: list[int], references: int) -> list[int] | None:
        """Replace references, which are negative here, by functions."""
        if not references:
            is_sound = min(written) >= 0 and max(written) < MAX_FUNCTIONS
            return written if is_sound else None
        start = len(self._recent)
        known: list[int | None] = [*self._recent, *written]
        for place, number in enumerate(written, start):
            if number < 0:
                references -= 1
                is_near = -number <= min(place, FARTHEST_REFERENCE)
                known[place] = known[place + number] if is_near else None
        functions = [number for number in known[start:] if number is not None]
        is_sound = references == 0 and len(functions) == len(written)
        return functions if is_sound and max(functions) < MAX_FUNCTIONS else None

    def _make_relative(self, values: list[int], absolutes: list[int]) -> None:
        """Replace absolute values by the cost since the previous event."""
        for column in range(2, self._width):
            start, now = column, self._now[column]
            for place in absolutes:
                if place % self._width == column:
                    now += sum(values[start : place : self._width])
                    absolute = values[place]
                    values[place] = absolute - now
                    start, now = place + self._width, absolute
            self._now[column] = now + sum(values[start :: self._width])

    def _line_by_line(self, block: Block) -> Iterator[tuple[int, list[int]]]:
        for line, written in whole_lines(block, self._faults):
            row = self._at_once(written + b"\n")
            if row is None:
                self._remember([None])
                self._faults.add(f"line {line}", "no event, or it refers to a lost one")
            else:
                yield line, row

    def _remember(self, functions: list[int] | list[None]) -> None:
        self._recent = [*self._recent, *functions[-FARTHEST_REFERENCE:]][-FARTHEST_REFERENCE:]


def _absolutes(even: bytes) -> list[int]:
    """Return the positions of values written as `aN`, among all values, in their order."""
    places: list[int] = []
    place, end = -1, 0
    while (found := even.find(b"|a", end)) >= 0:
        place += even.count(b"|", end, found + 1) + even.count(b"\n", end, found + 1)
        places.append(place)
        end = found + 1
    return places
