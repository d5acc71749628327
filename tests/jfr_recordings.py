"""Recordings of Java Flight Recorder, written as the virtual machine writes them."""

import struct
from collections.abc import Sequence

HEADER = struct.Struct(">4sHHQQQQQQQI")
INT, LONG, TEXT, SYMBOL, CLASS, METHOD, FRAME, STACK, BOOLEAN = range(20, 29)
SAMPLE, SETTING, ALLOCATION, MONITOR = range(101, 105)
Types = dict[int, tuple[str, list[tuple[str, int, bool, bool]]]]
"""By number: the name, and of each field the name, its type, and whether it is the number of a
constant and an array."""
TYPES: Types = {
    INT: ("int", []),
    LONG: ("long", []),
    BOOLEAN: ("boolean", []),
    TEXT: ("java.lang.String", []),
    SYMBOL: ("jdk.types.Symbol", [("string", TEXT, False, False)]),
    CLASS: ("java.lang.Class", [("name", SYMBOL, True, False)]),
    METHOD: ("jdk.types.Method", [("type", CLASS, True, False), ("name", SYMBOL, True, False)]),
    FRAME: (
        "jdk.types.StackFrame",
        [("method", METHOD, True, False), ("lineNumber", INT, False, False)],
    ),
    STACK: (
        "jdk.types.StackTrace",
        [("truncated", BOOLEAN, False, False), ("frames", FRAME, False, True)],
    ),
    SAMPLE: (
        "jdk.ExecutionSample",
        [("startTime", LONG, False, False), ("stackTrace", STACK, True, False)],
    ),
    SETTING: (
        "jdk.ActiveSetting",
        [("id", LONG, False, False), ("name", TEXT, False, False), ("value", TEXT, False, False)],
    ),
    ALLOCATION: (
        "jdk.ObjectAllocationSample",
        [("stackTrace", STACK, True, False), ("weight", LONG, False, False)],
    ),
    MONITOR: (
        "jdk.JavaMonitorEnter",
        [("duration", LONG, False, False), ("stackTrace", STACK, True, False)],
    ),
}


def number(value: int) -> bytes:
    """Return a whole number as nine bytes at most."""
    value &= (1 << 64) - 1
    written = bytearray()
    while value > 0x7F and len(written) < 8:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def text(value: str) -> bytes:
    encoded = value.encode()
    return b"\x03" + number(len(encoded)) + encoded


def event(kind: int, content: bytes) -> bytes:
    """Return an event; its size counts itself."""
    body = number(kind) + content
    size = len(body) + 1
    while len(number(size)) + len(body) != size:
        size += 1
    return number(size) + body


def metadata(types: Types = TYPES) -> bytes:
    texts: dict[str, int] = {}

    def at(value: str) -> bytes:
        return number(texts.setdefault(value, len(texts)))

    def element(name: str, attributes: dict[str, str], children: Sequence[bytes]) -> bytes:
        pairs = b"".join(at(key) + at(value) for key, value in attributes.items())
        inner = number(len(children)) + b"".join(children)
        return at(name) + number(len(attributes)) + pairs + inner

    classes = []
    for kind, (name, fields) in types.items():
        children = []
        for field, of, is_constant, is_array in fields:
            attributes = {"name": field, "class": str(of)}
            attributes |= {"constantPool": "true"} if is_constant else {}
            attributes |= {"dimension": "1"} if is_array else {}
            children.append(element("field", attributes, []))
        classes.append(element("class", {"id": str(kind), "name": name}, children))
    root = element("root", {}, [element("metadata", {}, classes), element("region", {}, [])])
    listed = number(len(texts)) + b"".join(map(text, texts))
    return event(0, number(0) * 3 + listed + root)


def pools(constants: dict[int, dict[int, bytes]]) -> bytes:
    """Return the event with all constants, by type and number."""
    inner = b"".join(
        number(kind) + number(len(values)) + b"".join(number(it) + values[it] for it in values)
        for kind, values in constants.items()
    )
    return event(1, number(0) * 3 + b"\0" + number(len(constants)) + inner)


def stack(*methods: int, is_cut: bool = False) -> bytes:
    """Return a stack of some methods, from the innermost."""
    frames = b"".join(number(it) + number(7) for it in methods)
    return bytes([is_cut]) + number(len(methods)) + frames


def constants(names: Sequence[str], stacks: Sequence[bytes]) -> dict[int, dict[int, bytes]]:
    """Return methods, numbered from 1, of one class without a name, and stacks from 1."""
    symbols = {at: text(name) for at, name in enumerate(names, start=1)}
    methods = {at: number(0) + number(at) for at in symbols}
    return {
        STACK: dict(enumerate(stacks, start=1)),
        METHOD: methods,
        SYMBOL: symbols,
    }


def sample(stack_number: int) -> bytes:
    return event(SAMPLE, number(5) + number(stack_number))


def period(value: str) -> bytes:
    return event(SETTING, number(SAMPLE) + text("period") + text(value))


def chunk(*events: bytes, described: bytes | None = None) -> bytes:
    """Return a chunk; events that come before the constants they name are usual."""
    body = b"".join(events)
    described = metadata() if described is None else described
    place = HEADER.size + len(body)
    size = place + len(described)
    head = HEADER.pack(b"FLR\0", 2, 1, size, place, place, 1, 1, 1, 1_000_000_000, 1)
    return head + body + described


def recording() -> bytes:
    """Return the run of the samples: work is sampled three times, main once, every 10 ms."""
    known = constants(["main", "work"], [stack(1), stack(2, 1)])
    first = chunk(period("10 ms"), sample(1), sample(2), pools(known))
    return first + chunk(sample(2), sample(2), period("10 ms"), pools(known))
