"""pprof's format: one gzipped protocol buffer.

Written by hand: it needs five kinds of message with a dozen fields, which is shorter than the code
that protobuf would generate, and saves the dependency.
"""

import gzip
from collections.abc import Iterable

from benchpin.performance.values import Profile

from ._stacks import OTHER, labels, stacks, unit_of

_VARINT, _LENGTH = 0, 2
_WORD = (1 << 64) - 1
_CALLS = "calls"


def to_pprof(profile: Profile) -> bytes:
    """Return the profile for `go tool pprof`: calls and costs of each path of calls."""
    strings = _Strings()
    message = bytearray()
    for metric in profile.metrics:
        message += _bytes(1, _value_type(strings, metric, unit_of(metric)))
    message += _bytes(1, _value_type(strings, _CALLS, "count"))
    other = len(profile.functions) + 1
    for node, stack in zip(profile.tree, stacks(profile), strict=True):
        locations = [function + 1 if function >= 0 else other for function in reversed(stack)]
        values = _packed(2, [*node.self, node.calls])
        message += _bytes(2, _packed(1, locations) + values)
    for number, (label, cost) in enumerate(
        [*zip(labels(profile), profile.functions, strict=True), (OTHER, None)], start=1
    ):
        line = (cost and cost.line) or 0
        message += _bytes(4, _int(1, number) + _bytes(4, _int(1, number) + _int(2, line)))
        name, file = strings.place(label), strings.place((cost and cost.file) or "")
        written = _int(1, number) + _int(2, name) + _int(3, name) + _int(4, file) + _int(5, line)
        message += _bytes(5, written)
    request = profile.request
    message += _int(9, ((request and request.started_at_us) or 0) * 1000)
    message += _int(10, (request and request.wall_time_ns) or 0)
    message += _int(14, strings.place(profile.metrics[0]))
    for text in strings.known:
        message += _bytes(6, text.encode("utf-8", "replace"))
    return gzip.compress(bytes(message), mtime=0)


class _Strings:
    """The string table; pprof requires that its first entry is empty."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {"": 0}

    def place(self, text: str) -> int:
        return self.known.setdefault(text, len(self.known))


def _value_type(strings: _Strings, name: str, unit: str) -> bytes:
    return _int(1, strings.place(name)) + _int(2, strings.place(unit))


def _varint(value: int) -> bytes:
    """Return a number in groups of seven bits; negative ones in two's complement."""
    rest = value & _WORD
    groups = bytearray()
    while rest > 0x7F:  # noqa: PLR2004 - seven bits
        groups.append(rest & 0x7F | 0x80)
        rest >>= 7
    groups.append(rest)
    return bytes(groups)


def _int(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value) if value else b""


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | _LENGTH) + _varint(len(content)) + content


def _packed(field: int, values: Iterable[int]) -> bytes:
    return _bytes(field, b"".join(map(_varint, values)))
