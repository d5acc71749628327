"""pprof's format, which Go, Rust, Node, Java agents and Pyroscope write.

Read by hand, as the export is written by hand: six kinds of message, and no generated code.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

from benchpin.core.errors import InvalidParams
from benchpin.performance.calls import ProfileBuilder
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import Profile

from ._source import NS_PER_UNIT, FunctionTable, profile_format, whole

NAME = "pprof"
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_SIGN, _WRAP = 1 << 63, 1 << 64
# Bits: ten groups of seven.
_MAX_VARINT_BITS = 70
# Metrics of time that have a name of our own.
_SHORT_NAMES = {("cpu", True): "ct", ("wall", True): "wt", ("wt", True): "wt", ("ct", True): "ct"}
_CALLS = "calls"
_LAST_FIELD = 15
_MAX_MESSAGES = 1_000_000
# Bytes: a sample of a million frames.
_MAX_PART_BYTES = 4 << 20
_BYTES_PER_STEP = 4
# Functions of one location.
_MAX_INLINED = 1_000
_MAX_KNOWN = 200_000
_SAMPLE = 2
_DEFAULT_TYPE = 14
_LOCATIONS, _VALUES = b"\x0a", 0x12
_LAST_SHORT = 0x7F
# Ten bytes without an end are damage, which reading them finds.
_ONE_VARINT = re.compile(rb"[\x80-\xff]{0,9}[\x00-\x7f]|[\x80-\xff]{10}")
_Value = int | bytes


@dataclass(slots=True)
class _Message:
    """The messages of a profile by number; strings are still numbers."""

    sample_types: list[tuple[int, int]] = field(default_factory=list)
    document: bytes = b""
    samples: "array[int]" = field(default_factory=lambda: array("Q"))
    """Where each begins and ends in the document: decoded, a million would take gigabytes."""
    locations: dict[int, tuple[int, list[int]]] = field(default_factory=dict)
    """By id: the address, and the functions from the innermost."""
    functions: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By id: name, file and line."""
    strings: list[str] = field(default_factory=list)
    default_type: int = 0

    def text(self, place: int) -> str:
        return self.strings[place] if 0 <= place < len(self.strings) else ""


def fits(head: bytes) -> bool:
    """Whether it is made of the fields of a profile, with a sample type among the first ones."""
    has_type = False
    try:
        for number, value in _fields(head):
            if not 1 <= number <= _LAST_FIELD:
                return False
            if number == 1:
                has_type = isinstance(value, bytes) and {it for it, _ in _fields(value)} <= {1, 2}
            if has_type:
                break
    except _Damaged:
        pass
    return has_type


def read(source: ArtifactSource) -> Profile:
    """Read all sample types; the default one of the file comes first."""
    message = _message(source)
    types = [_metric(message, *it) for it in message.sample_types]
    order = [place for place, (name, _) in enumerate(types) if name != _CALLS or len(types) == 1]
    if not order:
        raise InvalidParams("the pprof file has no sample type", suggestion="Record it again.")
    counted = next((place for place in range(len(types)) if place not in order), None)
    order.sort(key=lambda place: message.sample_types[place][0] != message.default_type)
    if not message.default_type:  # then go tool pprof shows the last one
        order.reverse()
    calls = ProfileBuilder(len(order), source)
    functions = FunctionTable(source)
    frames = _frames(message, functions)
    factors = [(place, types[place][1]) for place in order]
    read_samples = 0
    longest = max(map(len, frames.values()), default=1)
    for locations, values in _samples(message, source, longest):
        stack = chain.from_iterable(map(frames.__getitem__, reversed(locations)))
        costs = [whole(values[place], factor) for place, factor in factors]
        calls.add_stack(stack, costs, 0 if counted is None else values[counted])
        read_samples += 1
        if calls.is_over_limit:
            calls.make_room()
    metrics = [types[place][0] for place in order]
    return calls.profile(NAME, metrics, functions.names, events=read_samples)


def _samples(
    message: _Message, source: ArtifactSource, longest: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the locations of samples, from the innermost, and their values.

    `longest` is the most functions of a location: a short sample can stand for a long stack.
    """
    varints, document, types = _Varints(), message.document, len(message.sample_types)
    places = iter(message.samples)
    unfit = damaged = 0
    for start, end in zip(places, places, strict=True):
        source.spend(1 + (end - start) * longest)
        try:
            locations, values = varints.sample(document[start:end])
        except _Damaged:
            damaged += 1
            continue
        if len(values) == types:
            yield locations, values
        else:
            unfit += 1
    if damaged:
        source.faults.add("samples", f"{damaged} are damaged")
    if unfit:
        source.faults.add("samples", "some have another number of values than there are types")


def _metric(message: _Message, type_name: int, unit: int) -> tuple[str, int]:
    """Return the name of a metric, and the factor to its smallest unit."""
    name, unit_name = message.text(type_name) or "samples", message.text(unit)
    factor = NS_PER_UNIT.get(unit_name)
    if short := _SHORT_NAMES.get((name, factor is not None)):
        return short, factor or 1
    if factor is not None:
        return f"{name.removesuffix('_ns')}_ns", factor
    is_size = unit_name == "bytes" and not name.endswith("_bytes")
    return f"{name}_bytes" if is_size else name, 1


def _frames(message: _Message, functions: FunctionTable) -> dict[int, list[int]]:
    """Return the functions of each location, from the outermost: one can have several inlined."""
    known = {
        number: functions.number(message.text(name), message.text(file), line)
        for number, (name, file, line) in message.functions.items()
    }
    frames: defaultdict[int, list[int]] = defaultdict(list)
    for number, (address, lines) in message.locations.items():
        named = [known[it] for it in reversed(lines) if it in known]
        frames[number] = named or [functions.number(f"0x{address:x}")]
    return frames


def _message(source: ArtifactSource) -> _Message:
    message = _Message(document=bytes(source.document()))
    samples = message.samples
    try:
        for count, (number, value, start, end) in enumerate(_places(message.document)):
            source.spend(1 + (end - start) // _BYTES_PER_STEP)
            if count >= _MAX_MESSAGES:
                source.faults.add(f"message {count}", "too many; the rest is not read")
                break
            if end - start > _MAX_PART_BYTES:
                source.faults.add(f"byte {start}", "a message is larger than 4 MiB; left out")
            elif number == _SAMPLE and value is None:
                samples.append(start)
                samples.append(end)
            elif value is None:
                _take(message, number, message.document[start:end])
            elif number == _DEFAULT_TYPE:
                message.default_type = value
    except _Damaged as error:
        source.faults.add(f"byte {error.at}", "the protocol buffer is cut short or damaged here")
    return message


def _take(message: _Message, number: int, value: bytes) -> None:
    match number:
        case 1:
            types = dict(_fields(value))
            message.sample_types.append((_number(types, 1), _number(types, 2)))
        case 4:
            location, lines = dict(_fields(value)), _messages(value, 4)
            message.locations[_number(location, 1)] = (
                _number(location, 3),
                [_number(dict(_fields(line)), 1) for line in lines],
            )
        case 5:
            function = dict(_fields(value))
            name = _number(function, 2) or _number(function, 3)
            message.functions[_number(function, 1)] = (
                name,
                _number(function, 4),
                _number(function, 5),
            )
        case 6:
            message.strings.append(value.decode("utf-8", "replace"))


class _Damaged(Exception):
    def __init__(self, at: int) -> None:
        self.at = at


def _number(fields: dict[int, _Value], number: int) -> int:
    value = fields.get(number, 0)
    return value if isinstance(value, int) else 0


def _messages(message: bytes, wanted: int) -> list[bytes]:
    found = (it for number, it in _fields(message) if number == wanted and isinstance(it, bytes))
    return [*islice(found, _MAX_INLINED)]


class _Varints(dict[bytes, int]):
    """Numbers by their bytes: those of locations come again and again."""

    def __missing__(self, written: bytes) -> int:
        value, _ = _varint(written, 0)
        if len(self) < _MAX_KNOWN:
            self[written] = value
        return value

    def sample(self, message: bytes) -> tuple[list[int], list[int]]:
        size = message[1] if message.startswith(_LOCATIONS) and len(message) > 1 else 0
        middle = 2 + size
        rest = message[middle + 2 :]
        is_short = 0 < size <= _LAST_SHORT and len(rest) <= _LAST_SHORT
        if is_short and message[middle : middle + 2] == bytes((_VALUES, len(rest))):
            # As Go writes it: packed locations, packed values and no label, all of them short.
            return [*self.packed(message[2:middle])], [*self.packed(rest)]
        locations: list[int] = []
        values: list[int] = []
        for number, value, start, end in _places(message):
            chosen = locations if number == 1 else values
            if number > 2:  # noqa: PLR2004 - labels
                continue
            if value is None:
                chosen += self.packed(message[start:end])
            else:
                chosen.append(value)
        return locations, values

    def packed(self, written: bytes) -> Iterable[int]:
        if written.isascii():  # then each is one byte
            return written
        if written[-1] > 0x7F:  # noqa: PLR2004 - the top bit says that more follows
            raise _Damaged(len(written))
        return map(self.__getitem__, _ONE_VARINT.findall(written))


def _fields(message: bytes) -> Iterator[tuple[int, _Value]]:
    """Yield the fields of a message: numbers as they are, and the rest as bytes."""
    for number, value, start, end in _places(message):
        yield number, message[start:end] if value is None else value


def _places(message: bytes) -> Iterator[tuple[int, int | None, int, int]]:
    """Yield the fields of a message: number, value, and for the rest its beginning and end."""
    at, end = 0, len(message)
    while at < end:
        tag = message[at]
        if tag > 0x7F:  # noqa: PLR2004 - the top bit says that more follows
            tag, at = _varint(message, at)
        else:
            at += 1
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value, at, at
            continue
        size = {_FIXED64: 8, _FIXED32: 4}.get(kind)
        if kind == _LENGTH:
            size, at = _varint(message, at)
        if size is None or not 0 <= size <= end - at:
            raise _Damaged(at)
        yield tag >> 3, None, at, at + size
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return a signed number and the place after it."""
    value = shift = 0
    try:
        while message[at] > 0x7F:  # noqa: PLR2004 - the top bit says that more follows
            value |= (message[at] & 0x7F) << shift
            shift += 7
            at += 1
            if shift >= _MAX_VARINT_BITS:
                raise _Damaged(at)
        value |= message[at] << shift
    except IndexError as error:
        raise _Damaged(at) from error
    return (value - _WRAP if value & _SIGN else value), at + 1


FORMAT = profile_format(NAME, fits, read)
