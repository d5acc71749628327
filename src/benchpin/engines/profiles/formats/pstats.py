"""Profiles of cProfile: what `python -m cProfile -o FILE` and `Profile.dump_stats` write.

The file is one value of Python's marshal module, which is not safe with bytes of others: a crafted
file crashes the interpreter. So the few types that cProfile writes are read here.
"""

import struct
from collections.abc import Mapping

from benchpin.core import InvalidParams
from benchpin.engines.profiles.values import Profile

from .graph import CallGraph
from .source import ProfileSource, whole

NAME = "pstats"
_NS_PER_S = 1_000_000_000
_REFERENCE_FLAG = 0x80
_DEEPEST = 8
"""A dict of tuples and dicts of tuples has a depth of five."""
_FIELDS = 4


def fits(head: bytes) -> bool:
    """Whether it is a marshalled dict whose first key is a tuple; JSON never begins like that."""
    return len(head) > 2 and head[0] & 0x7F == ord("{") and head[1] & 0x7F in b"()"  # noqa: PLR2004


def read(source: ProfileSource) -> Profile:
    """Read calls and times of functions, and who called them; there are no stacks."""
    stats = _Marshal(source.document()).value()
    if not isinstance(stats, dict):
        raise _damaged(0)
    graph = CallGraph(1, source)
    for key, entry in stats.items():
        function = _function(graph, key)
        if not (isinstance(entry, tuple) and len(entry) == _FIELDS + 1):
            source.faults.add(f"function {graph.label(function)}", "no times")
            continue
        _, calls, own, inclusive, callers = entry
        graph.add(function, _count(calls), [_ns(own)], [_ns(inclusive)])
        for caller, share in callers.items() if isinstance(callers, dict) else ():
            if isinstance(share, tuple) and len(share) == _FIELDS:
                graph.add_edge(
                    _function(graph, caller), function, _count(share[1]), [_ns(share[3])]
                )
    return graph.profile(NAME, ("wt",))


def _function(graph: CallGraph, key: object) -> int:
    match key:
        case (str(file), int(line), str(name)):
            is_builtin = file == "~"
            return graph.functions.number(name, None if is_builtin else file, line)
        case _:
            return graph.functions.number(str(key)[:100])


def _count(value: object) -> int:
    return whole(value) if isinstance(value, int) else 0


def _ns(value: object) -> int:
    return whole(value, _NS_PER_S) if isinstance(value, int | float) else 0


def _damaged(at: int) -> InvalidParams:
    return InvalidParams(
        f"the cProfile data is cut short or damaged at byte {at}",
        suggestion="Record it again with `python -m cProfile -o FILE SCRIPT`.",
    )


class _Marshal:
    """A reader of marshalled dicts, tuples, strings and numbers."""

    _SIZES: Mapping[str, str] = {"u": "<i", "t": "<i", "a": "<i", "A": "<i", "z": "<B", "Z": "<B"}
    """How the length of each kind of string is written."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._known: list[object] = []

    def value(self, depth: int = 0) -> object:
        """Return the next value."""
        kind = self._unpack("<B")
        place = None
        if kind & _REFERENCE_FLAG:  # later values may refer to this one by its number
            place = len(self._known)
            self._known.append(None)
        if depth > _DEEPEST:
            raise _damaged(self._at)
        found = self._of_kind(kind & ~_REFERENCE_FLAG, depth)
        if place is not None:
            self._known[place] = found
        return found

    def _of_kind(self, kind: int, depth: int) -> object:
        code = chr(kind)
        if code in self._SIZES:
            return self._take(self._unpack(self._SIZES[code])).decode("utf-8", "replace")
        match code:
            case "(":
                return self._tuple(self._unpack("<i"), depth)
            case ")":
                return self._tuple(self._unpack("<B"), depth)
            case "{":
                return self._dict(depth)
            case "i":
                return self._unpack("<i")
            case "g":
                return self._float()
            case "l":
                return self._long()
            case "r":
                return self._known_value(self._unpack("<i"))
            case "N":
                return None
        raise _damaged(self._at)

    def _known_value(self, number: int) -> object:
        if not 0 <= number < len(self._known):
            raise _damaged(self._at)
        return self._known[number]

    def _tuple(self, size: int, depth: int) -> tuple[object, ...]:
        if not 0 <= size <= _FIELDS + 1:
            raise _damaged(self._at)
        return tuple(self.value(depth + 1) for _ in range(size))

    def _dict(self, depth: int) -> dict[object, object]:
        found: dict[object, object] = {}
        while self._data[self._at : self._at + 1] != b"0":
            key = self.value(depth + 1)
            if not isinstance(key, tuple | str):
                raise _damaged(self._at)
            try:
                found[key] = self.value(depth + 1)
            except TypeError as error:  # a tuple with a dict in it
                raise _damaged(self._at) from error
        self._at += 1
        return found

    def _long(self) -> int:
        """Return a number in digits of fifteen bits."""
        size = self._unpack("<i")
        digits = [self._unpack("<H") for _ in range(min(abs(size), 8))]
        value = sum(digit << 15 * place for place, digit in enumerate(digits))
        return -value if size < 0 else value

    def _float(self) -> float:
        [value] = struct.unpack("<d", self._take(8))
        return float(value)

    def _unpack(self, code: str) -> int:
        [value] = struct.unpack(code, self._take(struct.calcsize(code)))
        return int(value)

    def _take(self, size: int) -> bytes:
        piece = self._data[self._at : self._at + size] if size >= 0 else b""
        if len(piece) != size:
            raise _damaged(self._at)
        self._at += size
        return piece
