"""Decode blocks of events; both formats of SPX share how a block is read."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from operator import sub
from typing import Literal, NamedTuple

import msgspec

from benchpin.core.text import counted
from benchpin.performance.calls import Events
from benchpin.performance.reading import FaultLog

# Numbers of functions beyond this are damage; the call tree packs them into 32 bits.
MAX_FUNCTIONS = 1 << 32
_EVENTS = b"[events]\n"
_FUNCTIONS = b"[functions]\n"
_MAX_LINE_CHARS = 64 * 1024
Section = Literal["events", "functions"]
_NUMBER = b"0123456789-."
_TO_COMMAS = bytes.maketrans(b" \n", b",,")
_WHOLE = msgspec.json.Decoder(list[int])
_DECIMAL = msgspec.json.Decoder(list[int | float])
_MAX_NUMBER_CHARS = 40
# `rN` is the function of the Nth previous event; SPX's own reader keeps as many.
FARTHEST_REFERENCE = 20
_ENTER = re.compile(rb"\n[0-9a-fA-F]*\|")
_DIGITS = b"0123456789-"
_BARS_TO_COMMAS = bytes.maketrans(b"|\n", b",,")


# Split a profile's text into blocks of whole lines: first events, then functions.


class Block(NamedTuple):
    """Some lines of a section; only the last one of the text may lack its end."""

    section: Section
    line: int
    """The number of the first line, from 1."""
    text: bytes


def blocks(chunks: Iterable[bytes], faults: FaultLog) -> Iterator[Block]:
    """Yield blocks of whole lines, without the headings of the sections."""
    section: Section = "events"
    line = 1
    for text in _joined(chunks, faults):
        body = text
        if line == 1:
            if body.startswith(_EVENTS):
                body = body.removeprefix(_EVENTS)
                line = 2
            else:
                faults.add("line 1", "no [events] at the beginning")
        if section == "events" and (place := body.find(_FUNCTIONS)) >= 0:
            events = body[:place]
            if events:
                yield Block(section, line, events if events.endswith(b"\n") else events + b"\n")
            line += events.count(b"\n") + 1
            section = "functions"
            body = body[place + len(_FUNCTIONS) :]
        if body:
            yield Block(section, line, body)
        line += body.count(b"\n")


def whole_lines(block: Block, faults: FaultLog) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a block with their numbers; a truncated one is a fault."""
    *lines, cut = block.text.split(b"\n")
    yield from enumerate(lines, block.line)
    if cut:
        faults.add(f"line {block.line + len(lines)}", "truncated by the end of the text")


def _joined(chunks: Iterable[bytes], faults: FaultLog) -> Iterator[bytes]:
    """Join chunks so that each ends with a line; of overlong lines the beginning is dropped."""
    rest = b""
    for chunk in chunks:
        text = rest + chunk
        end = text.rfind(b"\n") + 1
        rest = text[end:]
        if len(rest) > _MAX_LINE_CHARS:
            faults.add("a line", f"longer than {_MAX_LINE_CHARS} bytes; its beginning is dropped")
            rest = rest[-_MAX_LINE_CHARS // 2 :]
        if end:
            yield text[:end]
    if rest:
        yield rest


class EventDecoder(ABC):
    """Decodes blocks in their order: all lines at once, or line by line where one is damaged.

    A block that is decoded at once is one flat list of numbers, `width` of them for each event.
    The lists are never turned into objects, because a profile has millions of events.
    """

    def __init__(self, metrics: int, faults: FaultLog) -> None:
        self._width = metrics + 2
        self._faults = faults

    def decode(self, block: Block) -> Events:
        """Return the events of a block; damaged ones are left out and noted as faults."""
        values = self._at_once(block.text)
        if values is not None:
            lines = range(block.line, block.line + block.text.count(b"\n"))
            return self._events(lines, values)
        found = list(self._line_by_line(block))
        rows = chain.from_iterable(row for _, row in found)
        return self._events([line for line, _ in found], list(rows))

    @abstractmethod
    def _at_once(self, text: bytes) -> list[int] | None:
        """Decode lines as one list of numbers; None unless every line has all of its fields."""

    @abstractmethod
    def _line_by_line(self, block: Block) -> Iterator[tuple[int, list[int]]]:
        """Yield the events of a damaged block, each with its line."""

    @abstractmethod
    def _events(self, lines: Sequence[int], values: list[int]) -> Events:
        """Split decoded values into columns."""


# Decode the events of SPX 0.4: `function 1|0 values…`, the values cumulative.


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


# Split lines that SPX 0.4 glued together.
#
# Its buffer of 8 KiB may end within a line when many metrics are on. The fields that do not fit are
# lost, and so is the end of the line: `… 1015808 60873255 0 53939493 …` is an event that ends with
# 60873, and the next one, of function 255.


def split_glued_line(
    fields: Sequence[bytes], previous: Sequence[int]
) -> tuple[list[list[int]], str]:
    """Return the events in a damaged line, and what is wrong with it.

    `previous` is the previous event: function, 1 or 0, values. Lost values are taken from it.
    """
    width = len(previous)
    glued = _glued(fields, previous) if width < len(fields) < 2 * width else None
    if glued is None:
        return [], f"no event: {len(fields)} fields instead of {width}, or no numbers"
    first, second = glued
    lost = width - sum(number is not None for number in first)
    repaired = [
        value if value is not None else before for value, before in zip_longest(first, previous)
    ]
    return [repaired, second], f"two events in one line; the first lost {counted(lost, 'value')}"


def _glued(
    fields: Sequence[bytes], previous: Sequence[int]
) -> tuple[list[int | None], list[int]] | None:
    width = len(previous)
    cut, joint = list(map(_number, fields[:-width])), fields[-width]
    tail = [number for number in map(_number, fields[-width + 1 :]) if number is not None]
    is_sound = len(tail) == width - 1 and tail[0] in {0, 1}
    if not is_sound or len(cut) < 2 or cut[0] is None or cut[1] not in {0, 1}:  # noqa: PLR2004 - function and flag
        return None
    split = _split(joint, previous[len(cut)], tail[len(cut) - 1])
    return None if split is None else ([*cut, split[0]], [split[1], *tail])


def _split(joint: bytes, before: int, after: int) -> tuple[int | None, int] | None:
    """Split glued digits into a value and the number of the next function.

    A value is accepted if it is between those of its neighbours; else all digits are the function.
    """
    for end in range(len(joint) - 1, 0, -1):
        value, function = _number(joint[:end]), _function(joint[end:])
        if value is None or function is None:
            continue
        if min(before, after) <= value <= max(before, after):
            return value, function
    function = _function(joint)
    return None if function is None else (None, function)


def _number(field: bytes) -> int | None:
    """Return a field rounded to a whole number; None when it is no number."""
    whole, _, decimals = field.removeprefix(b"-").partition(b".")
    if len(field) > _MAX_NUMBER_CHARS or not (whole + decimals).isdigit():
        return None
    magnitude = int(whole or b"0") + (decimals[:1] >= b"5")
    return -magnitude if field.startswith(b"-") else magnitude


def _function(digits: bytes) -> int | None:
    is_written_so = digits == b"0" or (digits.isdigit() and not digits.startswith(b"0"))
    if not is_written_so or len(digits) > _MAX_NUMBER_CHARS:
        return None
    return number if (number := int(digits)) < MAX_FUNCTIONS else None


# Decode the events of SPX 0.5: `line|function|deltas…` and `-function|deltas…`.


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
        if whole.translate(None, _DIGITS) != self._shape * text.count(b"\n") + b"\n":
            return None
        try:
            values = _WHOLE.decode(b"[" + whole[1:-1].translate(_BARS_TO_COMMAS) + b"]")
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
