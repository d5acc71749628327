"""Profiles of cProfile: what `python -m cProfile -o FILE` and `Profile.dump_stats` write.

The file is one value of Python's marshal module, which is not safe with bytes of others: a crafted
file crashes the interpreter. So the few types that cProfile writes are read here.
"""

import struct
from collections.abc import Iterator
from typing import TypeVar

from benchpin.core.errors import InvalidParams
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import Profile

from ._source import CallGraphBuilder, profile_format, whole

NAME = "pstats"
_NS_PER_S = 1_000_000_000
_REFERENCE_FLAG = 0x80
_FIELDS = 4
# A tuple, its size, and its values: each a code and four or eight bytes.
_USUAL = struct.Struct("<BBBiBiBdBd")
_TUPLES, _INTEGERS = frozenset(b"\x29\xa9"), frozenset(b"\x69\xe9\x72")
_REFERRED, _FRACTION = ord("r"), ord("g")
_BYTES_OF_REFERENCE = 5
_Scalar = str | int | float
# File, line and name of a function.
_Key = tuple[str, int, str]
# Calls without recursion, all calls, self time, inclusive time.
_Times = tuple[_Scalar, _Scalar, _Scalar, _Scalar]
_Known = TypeVar("_Known", str, int, float, _Key)


def fits(head: bytes) -> bool:
    """Whether it is a marshalled dict whose first key is a tuple; JSON never begins like that."""
    return len(head) > 2 and head[0] & 0x7F == ord("{") and head[1] & 0x7F in b"()"  # noqa: PLR2004


def read(source: ArtifactSource) -> Profile:
    """Read calls and times of functions, and who called them; there are no stacks."""
    reader = _Marshal(bytes(source.document()), source)
    graph = CallGraphBuilder(1, source)
    numbers: dict[_Key, int] = {}
    for key, (_, calls, own, inclusive), callers in reader.entries():
        function = numbers.get(key)
        if function is None:
            function = numbers[key] = _function(graph, key)
        graph.add(function, _count(calls), [_ns(own)], [_ns(inclusive)])
        source.spend()
        for caller, share in source.job.timed(callers):
            number = numbers.get(caller)
            if number is None:
                number = numbers[caller] = _function(graph, caller)
            graph.add_pair((number, function), _count(share[1]), [_ns(share[3])])
    return graph.profile(NAME, ("wt",))


def _function(graph: CallGraphBuilder, key: _Key) -> int:
    file, line, name = key
    return graph.table.number(name, None if file == "~" else file, line)


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
    """A reader of what cProfile marshals, and of nothing else.

    The whole shape is expected: a dict from functions to times and callers. So a value that refers
    to another one can only be a number, a text or the name of a function, never something nested.
    """

    _LONG, _SHORT = frozenset("utaA"), frozenset("zZ")
    """Kinds of string, by whether their length takes four bytes or one."""

    def __init__(self, data: bytes, source: ArtifactSource) -> None:
        self._data = data
        self._source = source
        self._at = 0
        self._known: list[_Scalar | _Key] = []

    def entries(self) -> Iterator[tuple[_Key, _Times, list[tuple[_Key, _Times]]]]:
        for key in self._keys():
            times = self._times(_FIELDS + 1)
            callers = [(caller, self._times(_FIELDS)) for caller in self._keys()]
            yield key, times, callers

    def _keys(self) -> Iterator[_Key]:
        """Yield the keys of a dict; the caller reads the value of each."""
        code, _ = self._code()
        if code != "{":
            raise _damaged(self._at)
        while self._data[self._at : self._at + 1] != b"0":
            self._source.spend()
            yield self._key()
        self._at += 1

    def _key(self) -> _Key:
        data, at = self._data, self._at
        if data[at : at + 1] == b"r" and at + _BYTES_OF_REFERENCE <= len(data):
            number = int.from_bytes(data[at + 1 : at + _BYTES_OF_REFERENCE], "little", signed=True)
            known = self._known[number] if 0 <= number < len(self._known) else 0
            if not isinstance(known, tuple):
                raise _damaged(at)
            self._at = at + _BYTES_OF_REFERENCE
            return known
        code, place = self._code()
        self._open_tuple(code, 3)
        file, line, name = self._scalar(), self._scalar(), self._scalar()
        if not (isinstance(file, str) and isinstance(line, int) and isinstance(name, str)):
            raise _damaged(self._at)
        return self._remember(place, (file, line, name))

    def _times(self, size: int) -> _Times:
        """Return the first four values of a tuple; a fifth one is left to the caller."""
        return self._usual_times(size) or self._any_times(size)

    def _usual_times(self, size: int) -> _Times | None:
        """Return them at once where they are two numbers and two new fractions, as in nearly all.

        Read one by one, they took three quarters of the time of a file.
        """
        if self._at + _USUAL.size > len(self._data):
            return None
        (code, found, one, calls, two, all_calls, three, own, four, inclusive) = _USUAL.unpack_from(
            self._data, self._at
        )
        if not (
            code in _TUPLES
            and found == size
            and one in _INTEGERS
            and two in _INTEGERS
            and three == four == _FRACTION
        ):
            return None
        known, at = self._known, self._at
        if code & _REFERENCE_FLAG:
            known.append(0)
        self._at += _USUAL.size
        values: list[int] = []
        for kind, value in ((one, calls), (two, all_calls)):
            if kind == _REFERRED:
                referred = known[value] if 0 <= value < len(known) else ""
                if not isinstance(referred, int):
                    raise _damaged(at)
                values.append(referred)
            else:
                values.append(value)
                if kind & _REFERENCE_FLAG:
                    known.append(value)
        return values[0], values[1], own, inclusive

    def _any_times(self, size: int) -> _Times:
        code, _ = self._code()
        self._open_tuple(code, size)
        return self._scalar(), self._scalar(), self._scalar(), self._scalar()

    def _scalar(self) -> _Scalar:
        code, place = self._code()
        if code in self._LONG or code in self._SHORT:
            size = self._int() if code in self._LONG else self._byte()
            return self._remember(place, self._take(size).decode("utf-8", "replace"))
        match code:
            case "i":
                return self._remember(place, self._int())
            case "g":
                [value] = struct.unpack("<d", self._take(8))
                return self._remember(place, float(value))
            case "l":
                return self._remember(place, self._long())
            case "r":
                found = self._referred()
                if not isinstance(found, tuple):
                    return found
        raise _damaged(self._at)

    def _code(self) -> tuple[str, int | None]:
        """Return the next code, and the number of its value if later ones may refer to it."""
        kind = self._byte()
        if not kind & _REFERENCE_FLAG:
            return chr(kind), None
        self._known.append(0)
        return chr(kind & ~_REFERENCE_FLAG), len(self._known) - 1

    def _remember(self, place: int | None, value: _Known) -> _Known:
        if place is not None:
            self._known[place] = value
        return value

    def _referred(self) -> _Scalar | _Key:
        number = self._int()
        if not 0 <= number < len(self._known):
            raise _damaged(self._at)
        return self._known[number]

    def _open_tuple(self, code: str, size: int) -> None:
        found = self._byte() if code == ")" else self._int() if code == "(" else None
        if found != size:
            raise _damaged(self._at)

    def _long(self) -> int:
        """Return a number in digits of fifteen bits."""
        size = self._int()
        digits = [int.from_bytes(self._take(2), "little") for _ in range(min(abs(size), 8))]
        value = sum(digit << 15 * place for place, digit in enumerate(digits))
        return -value if size < 0 else value

    def _byte(self) -> int:
        at = self._at
        if at >= len(self._data):
            raise _damaged(at)
        self._at = at + 1
        return self._data[at]

    def _int(self) -> int:
        return int.from_bytes(self._take(4), "little", signed=True)

    def _take(self, size: int) -> bytes:
        piece = self._data[self._at : self._at + size] if size >= 0 else b""
        if len(piece) != size:
            raise _damaged(self._at)
        self._at += size
        return piece


FORMAT = profile_format(NAME, fits, read)
