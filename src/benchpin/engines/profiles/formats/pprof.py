"""pprof's format, which Go, Rust, Node, Java agents and Pyroscope write.

Read by hand, as the export is written by hand: six kinds of message, and no generated code.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from benchpin.core import InvalidParams
from benchpin.engines.profiles.calls import ProfileBuilder
from benchpin.engines.profiles.values import Profile

from .source import NS_PER_UNIT, Functions, ProfileSource, whole

NAME = "pprof"
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_SIGN, _WRAP = 1 << 63, 1 << 64
_LONGEST_VARINT = 70
"""Bits: ten groups of seven."""
_SHORT_NAMES = {("cpu", True): "ct", ("wall", True): "wt", ("wt", True): "wt", ("ct", True): "ct"}
"""Metrics of time that have a name of our own."""
_CALLS = "calls"
_LAST_FIELD = 15
_MOST_MESSAGES = 1_000_000
_CHECK_EVERY = 1_000
_DEFAULT_TYPE = 14
_Value = int | bytes


@dataclass(slots=True)
class _Message:
    """The messages of a profile by number; strings are still numbers."""

    sample_types: list[tuple[int, int]] = field(default_factory=list)
    samples: list[tuple[list[int], list[int]]] = field(default_factory=list)
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


def read(source: ProfileSource) -> Profile:
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
    calls = ProfileBuilder(len(order), source.budget, source.faults)
    functions = Functions(source)
    frames = _frames(message, functions)
    for number, (locations, values) in enumerate(message.samples):
        if number % _CHECK_EVERY == 0:
            source.job.check()
        stack = [frame for each in reversed(locations) for frame in frames.get(each, ())]
        costs = [whole(values[place], types[place][1]) for place in order]
        calls.add_stack(stack, costs, 0 if counted is None else values[counted])
        if calls.is_over_limit:
            calls.make_room()
    metrics = [types[place][0] for place in order]
    return calls.profile(NAME, metrics, functions.names, events=len(message.samples))


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


def _frames(message: _Message, functions: Functions) -> dict[int, list[int]]:
    """Return the functions of each location, from the outermost: one can have several inlined."""
    known = {
        number: functions.number(message.text(name), message.text(file), line)
        for number, (name, file, line) in message.functions.items()
    }
    return {
        number: [known[it] for it in reversed(lines) if it in known]
        or [functions.number(f"0x{address:x}")]
        for number, (address, lines) in message.locations.items()
    }


def _message(source: ProfileSource) -> _Message:
    message = _Message()
    try:
        for count, (number, value) in enumerate(_fields(source.document())):
            if count % _CHECK_EVERY == 0:
                source.job.check()
            if count >= _MOST_MESSAGES or source.job.is_expired:
                source.faults.add(f"message {count}", "too many, or the time is up; not read")
                break
            if isinstance(value, bytes):
                _take(message, number, value)
            elif number == _DEFAULT_TYPE:
                message.default_type = value
    except _Damaged as error:
        source.faults.add(f"byte {error.at}", "the protocol buffer is cut short or damaged here")
    widths = {len(values) for _, values in message.samples}
    if widths - {len(message.sample_types)}:
        message.samples = [it for it in message.samples if len(it[1]) == len(message.sample_types)]
        source.faults.add("samples", "some have another number of values than there are types")
    return message


def _take(message: _Message, number: int, value: bytes) -> None:
    match number:
        case 1:
            types = dict(_fields(value))
            message.sample_types.append((_number(types, 1), _number(types, 2)))
        case 2:
            message.samples.append((_repeated(value, 1), _repeated(value, 2)))
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
    return [it for number, it in _fields(message) if number == wanted and isinstance(it, bytes)]


def _repeated(message: bytes, wanted: int) -> list[int]:
    """Return the numbers of a field, packed or one by one."""
    found: list[int] = []
    for number, value in _fields(message):
        if number != wanted:
            continue
        if isinstance(value, int):
            found.append(value)
        else:
            at = 0
            while at < len(value):
                one, at = _varint(value, at)
                found.append(one)
    return found


def _fields(message: bytes) -> Iterator[tuple[int, _Value]]:
    """Yield the fields of a message: numbers as they are, and the rest as bytes."""
    at, end = 0, len(message)
    while at < end:
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        size = {_FIXED64: 8, _FIXED32: 4}.get(kind)
        if kind == _LENGTH:
            size, at = _varint(message, at)
        if size is None or not 0 <= size <= end - at:
            raise _Damaged(at)
        yield tag >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return a signed number and the place after it."""
    value = shift = 0
    try:
        while message[at] > 0x7F:  # noqa: PLR2004 - the top bit says that more follows
            value |= (message[at] & 0x7F) << shift
            shift += 7
            at += 1
            if shift >= _LONGEST_VARINT:
                raise _Damaged(at)
        value |= message[at] << shift
    except IndexError as error:
        raise _Damaged(at) from error
    return (value - _WRAP if value & _SIGN else value), at + 1
