"""One chunk of a Java Flight Recorder file: its types, its pools of constants, and its events.

Nothing in a chunk can be read without the types that its own metadata describes: a value is the
values of the fields of its type, one after the other, without names or lengths. The format has no
specification; this follows the writer of the JDK (jfrChunkWriter.cpp) and `jdk.jfr.consumer`.
"""

import struct
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from benchpin.performance.reading import ArtifactSource

HEADER_BYTES = 68
# Magic, version, size, place of the last pool and of the metadata, start and length in nanoseconds,
# start in ticks, ticks a second, features; all big-endian.
_HEADER = struct.Struct(">4sHHQQQQQQQI")
MAGIC = b"FLR\0"
_COMPRESSED_NUMBERS = 1
_METADATA, _POOLS = 0, 1
# A tree of types deeper or larger than that is none of a virtual machine.
_MAX_DEPTH = 20
_MAX_PARTS = 2_000
_MAX_CONSTANTS = 2_000_000
# Steps between two looks at the clock are counted for loops of a few calls; these have more.
_STEPS = 40

Value = int | str | list["Value"] | None
_VARINT, _BYTE, _FOUR, _EIGHT, _TEXT = range(5)
# How a value is written; a tuple is an array of what its parts are.
_Part = int | tuple["_Part", ...]
_PRIMITIVES: Mapping[str, int] = {
    **dict.fromkeys(("char", "short", "int", "long"), _VARINT),
    **dict.fromkeys(("boolean", "byte"), _BYTE),
    "float": _FOUR,
    "double": _EIGHT,
    "java.lang.String": _TEXT,
}
_NO_TEXT, _EMPTY, _IN_POOL, _UTF8, _CHARACTERS, _LATIN1 = range(6)
TEXTS = "java.lang.String"
STACKS, METHODS = "jdk.types.StackTrace", "jdk.types.Method"
CLASSES, SYMBOLS = "java.lang.Class", "jdk.types.Symbol"
_KEPT = frozenset({TEXTS, STACKS, METHODS, CLASSES, SYMBOLS})


class Damaged(Exception):
    """The chunk cannot be read on from a place."""

    def __init__(self, at: int) -> None:
        self.at = at


class ChunkHeader(NamedTuple):
    """What a chunk says of itself."""

    major: int
    size_bytes: int
    """0 if the virtual machine ended before it was finished."""
    metadata: int
    ticks_per_s: int
    is_compressed: bool

    @classmethod
    def of(cls, content: bytes | bytearray) -> "ChunkHeader | None":
        """Return the header at the beginning, or None if there is none."""
        magic, major, _, size, _, metadata, _, _, _, ticks, features = _HEADER.unpack_from(content)
        if magic != MAGIC:
            return None
        return cls(major, size, metadata, max(1, ticks), bool(features & _COMPRESSED_NUMBERS))


class JfrEvent(NamedTuple):
    """Values of the fields of an event by name; those of constants are their numbers."""

    kind: str
    values: dict[str, Value]


@dataclass(slots=True)
class _Field:
    name: str
    kind: int
    is_constant: bool
    is_array: bool


@dataclass(slots=True)
class _Type:
    name: str
    fields: list[_Field] = field(default_factory=list)
    parts: tuple[_Part, ...] | None = None
    """None until they are asked for, as the places of fields in the values."""
    places: dict[str, int] = field(default_factory=dict)


class _Body:
    """The bytes of a chunk, and the place that is read next."""

    def __init__(self, content: bytes, source: ArtifactSource) -> None:
        self.content = content
        self.at = 0
        self._source = source

    def number(self) -> int:
        """Read a whole number of up to nine bytes; all bits of the ninth belong to it."""
        content, at = self.content, self.at
        try:
            byte = content[at]
            if byte < 0x80:  # noqa: PLR2004 - the top bit says that more follows
                self.at = at + 1
                return byte
            value = byte & 0x7F
            for shift in range(7, 56, 7):
                at += 1
                byte = content[at]
                value |= (byte & 0x7F) << shift
                if byte < 0x80:  # noqa: PLR2004
                    self.at = at + 1
                    return value
            value |= content[at + 1] << 56
        except IndexError as error:
            raise Damaged(at) from error
        self.at = at + 2
        return value - (1 << 64) if value >> 63 else value

    def skip(self, size: int) -> None:
        self.at += size
        if size < 0 or self.at > len(self.content):
            raise Damaged(self.at)

    def count(self) -> int:
        """Read how many things follow, each of which takes a byte or more."""
        found = self.number()
        if not 0 <= found <= len(self.content) - self.at:
            raise Damaged(self.at)
        return found

    def text(self) -> str | int | None:
        """Read a text, or the number of one in the pool of texts."""
        start = self.at
        self.skip(1)
        kind = self.content[start]
        if kind in {_UTF8, _LATIN1}:
            size = self.count()
            written = self.content[self.at : self.at + size]
            self.at += size
            return written.decode("utf-8" if kind == _UTF8 else "latin-1", "replace")
        if kind == _CHARACTERS:
            letters = bytearray()
            for _ in range(self.count()):
                self._source.spend(_STEPS)
                letters += (self.number() & 0xFFFF).to_bytes(2, "little")
            return letters.decode("utf-16-le", "replace")
        if kind == _IN_POOL:
            return self.number()
        if kind > _LATIN1:
            raise Damaged(start)
        return "" if kind == _EMPTY else None

    def values(self, parts: tuple[_Part, ...]) -> list[Value]:
        found: list[Value] = []
        for part in parts:
            if part == _VARINT:
                found.append(self.number())
            elif isinstance(part, tuple):
                found.append(list(self._elements(part)))
            elif part == _TEXT:
                found.append(self.text())
            elif part == _BYTE:
                found.append(self.content[self.at] if self.at < len(self.content) else 0)
                self.skip(1)
            else:
                found.append(None)  # fractions are not needed
                self.skip(4 if part == _FOUR else 8)
        return found

    def _elements(self, part: tuple[_Part, ...]) -> Iterator[list[Value]]:
        for _ in range(self.count()):
            self._source.spend(_STEPS)
            yield self.values(part)

    def pass_over(self, parts: tuple[_Part, ...]) -> None:
        """Read the same as `values`, and forget it."""
        for part in parts:
            if part == _VARINT:
                self.number()
            elif isinstance(part, tuple):
                for _ in range(self.count()):
                    self._source.spend(_STEPS)
                    self.pass_over(part)
            elif part == _TEXT:
                self.text()
            else:
                self.skip({_BYTE: 1, _FOUR: 4}.get(part, 8))


class JfrChunk:
    """A chunk with its types and constants; its events are read when they are asked for."""

    def __init__(self, content: bytes, header: ChunkHeader, source: ArtifactSource) -> None:
        """Read the types; raise `Damaged` where they cannot be, and so nothing else can."""
        self.header = header
        self._source = source
        self._body = _Body(content, source)
        self._types: dict[int, _Type] = {}
        self._read_types(header.metadata)
        self._by_name = {it.name: it for it in self._types.values()}
        # Where each constant is: decoded, the stacks of a chunk would take gigabytes.
        self._pools: dict[str, dict[int, int]] = {}

    def events(self, kinds: Collection[str]) -> list[JfrEvent]:
        """Return the events of some kinds; constants of the chunk can be looked up after that."""
        body, found, pools = self._body, list[tuple[_Type, int]](), list[int]()
        wanted = {number: it for number, it in self._types.items() if it.name in kinds}
        at, end = HEADER_BYTES, len(body.content)
        while at < end:
            self._source.spend(_STEPS)
            body.at = at
            try:
                size, kind = body.number(), body.number()
            except Damaged:
                size, kind = 0, 0
            if size <= body.at - at or size > end - at:
                self._note(at, "the events of the chunk are damaged from here")
                break
            if kind == _POOLS:
                pools.append(body.at)
            elif kind in wanted:
                found.append((wanted[kind], body.at))
            at += size
        self._read_pools(pools)
        return list(self._read(found))

    def constant(self, pool: str, number: Value) -> dict[str, Value]:
        """Return the fields of a constant by name; none if it is missing."""
        place = self._pools.get(pool, {}).get(number) if isinstance(number, int) else None
        kind = self._by_name.get(pool)
        if place is None or kind is None:
            return {}
        self._body.at = place
        return self._fields(kind)

    def text(self, value: Value) -> str:
        """Return a text, looked up if it is a constant; empty if there is none."""
        if isinstance(value, int):
            value = next(iter(self.constant(TEXTS, value).values()), None)
        return value if isinstance(value, str) else ""

    def number_of(self, kind: str) -> int | None:
        return next((number for number, it in self._types.items() if it.name == kind), None)

    def inner_place(self, kind: str, name: str) -> int | None:
        """Return the place of a field in the values of a type."""
        found = self._by_name.get(kind)
        return found.places.get(name) if found and self._parts(found) else None

    def _note(self, at: int, problem: str) -> None:
        self._source.faults.add(f"byte {at} of a chunk", problem)

    def _read(self, places: list[tuple[_Type, int]]) -> Iterator[JfrEvent]:
        body = self._body
        for kind, at in places:
            self._source.spend(_STEPS)
            body.at = at
            try:
                yield JfrEvent(kind.name, self._fields(kind))
            except Damaged:
                self._note(at, f"{kind.name} is damaged")
                return

    def _fields(self, kind: _Type) -> dict[str, Value]:
        values = self._body.values(self._parts(kind))
        return {name: values[place] for name, place in kind.places.items() if place < len(values)}

    # Constants: pools by type, and in each the values by number.

    def _read_pools(self, places: list[int]) -> None:
        left = _MAX_CONSTANTS
        for at in places:
            self._body.at = at
            try:
                left = self._read_pool(left)
            except Damaged as error:
                self._note(error.at, "the constants of the chunk are damaged from here")
            if left <= 0:
                self._note(at, f"more than {_MAX_CONSTANTS:,} constants; the rest is not read")
                return

    def _read_pool(self, left: int) -> int:
        """Read the pools at the place, and return how many more constants may be read."""
        body = self._body
        for _ in range(3):  # when, how long, and where the one before is
            body.number()
        body.skip(1)  # why it was written
        for _ in range(body.count()):
            kind = self._types.get(body.number())
            if kind is None:
                raise Damaged(body.at)
            parts = self._parts(kind)
            kept = self._pools.setdefault(kind.name, {}) if kind.name in _KEPT else None
            for _ in range(body.count()):
                number, start = body.number(), body.at
                self._source.spend(_STEPS * (1 + len(parts)))
                body.pass_over(parts)
                if kept is not None:
                    kept[number] = start
                    left -= 1
                    if left <= 0:
                        return 0
        return left

    # Types: read from the metadata, a tree of elements whose texts come before it.

    def _read_types(self, at: int) -> None:
        body = self._body
        body.at = at
        body.number()  # its size
        if at < HEADER_BYTES or body.number() != _METADATA:
            raise Damaged(at)
        for _ in range(3):  # when, how long, and a number
            body.number()
        texts = []
        for _ in range(body.count()):
            self._source.spend(_STEPS)
            text = body.text()
            texts.append(text if isinstance(text, str) else "")
        self._read_element(texts, None, 0)

    def _read_element(self, texts: list[str], above: _Type | None, depth: int) -> None:
        self._source.spend(4 * _STEPS)
        body = self._body
        if depth > _MAX_DEPTH:
            raise Damaged(body.at)
        name = _listed(texts, body)
        found = {_listed(texts, body): _listed(texts, body) for _ in range(body.count())}
        inside = above
        if name == "class":
            inside = self._types[_number(found.get("id"), body)] = _Type(found.get("name", ""))
        elif name == "field" and above is not None:
            inside = None
            above.fields.append(
                _Field(
                    found.get("name", ""),
                    _number(found.get("class"), body),
                    found.get("constantPool") == "true",
                    "dimension" in found,
                )
            )
        for _ in range(body.count()):
            self._read_element(texts, inside, depth + 1)

    def _parts(self, kind: _Type) -> tuple[_Part, ...]:
        if kind.parts is None:
            parts: tuple[_Part, ...] = ()
            for each in kind.fields:
                kind.places[each.name] = len(parts)
                parts += self._flat(each, 0)
                if len(parts) > _MAX_PARTS:
                    raise Damaged(self.header.metadata)
            if kind.name == TEXTS:
                kind.places, parts = {"": 0}, (_TEXT,)
            kind.parts = parts
        return kind.parts

    def _flat(self, each: _Field, depth: int) -> tuple[_Part, ...]:
        """Return how a field is written, with the fields of its type in its place."""
        kind = self._types.get(each.kind)
        if kind is None or depth > _MAX_DEPTH:
            raise Damaged(self.header.metadata)
        found: tuple[_Part, ...]
        if each.is_constant:
            found = (_VARINT,)
        elif kind.name in _PRIMITIVES:
            found = (_PRIMITIVES[kind.name],)
        else:
            found = ()
            for inner in kind.fields:
                found += self._flat(inner, depth + 1)
                # Types can be nested so that they double at each level.
                if len(found) > _MAX_PARTS:
                    raise Damaged(self.header.metadata)
        if not each.is_array:
            return found
        if not found:  # any number of them would take no bytes
            raise Damaged(self.header.metadata)
        return (found,)


def _listed(texts: list[str], body: _Body) -> str:
    place = body.number()
    if not 0 <= place < len(texts):
        raise Damaged(body.at)
    return texts[place]


def _number(text: str | None, body: _Body) -> int:
    if text is None or not text.isdecimal() or len(text) > 19:  # noqa: PLR2004 - of 64 bits
        raise Damaged(body.at)
    return int(text)
