"""A text as anchoring sees it: lines, what of them is compared, and the symbols around them."""

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Protocol

import msgspec

from benchpin.engines.source.detect import detect_language
from benchpin.engines.source.facts import Function, Outline, Type

_ANONYMOUS = "(anonymous)"
_MAX_PARSED_BYTES = 1 << 18
"""A larger text takes seconds to parse; anchors in it do without symbols."""


class Symbol(msgspec.Struct, frozen=True):
    """A function or type, by the lines that it spans."""

    path: str
    """Qualified by what it stands in: `Parser.feed`; parts without a name are left out."""
    kind: str
    line: int
    end_line: int


def symbols_of(outline: Outline) -> tuple[Symbol, ...]:
    """Return the functions and types that have a name, outer ones first."""
    definitions: tuple[Function | Type, ...] = (*outline.functions, *outline.types)
    found = (Symbol(_named(it.name), it.kind, it.line, it.end_line) for it in definitions)
    return tuple(sorted((it for it in found if it.path), key=lambda it: (it.line, -it.end_line)))


def read_symbols(path: str, text: bytes) -> tuple[Symbol, ...]:
    """Return the symbols of a file; none when no grammar reads it, or when it is very large."""
    if len(text) > _MAX_PARSED_BYTES or b"\0" in text:
        return ()
    language = detect_language(path, lambda: text)
    if language is None:
        return ()
    from benchpin.engines.source.extract import extract  # noqa: PLC0415 - few texts are parsed

    return symbols_of(extract(text, language).outline)


def _named(path: str) -> str:
    return ".".join(part for part in path.split(".") if part != _ANONYMOUS)


def open_document(path: str, text: bytes) -> "Document":
    """Return a document that reads its symbols when it is asked for one."""
    return Document(text, partial(read_symbols, path, text))


def key_of(line: str) -> int:
    """Return a number that is the same for lines that differ in white space only."""
    return zlib.crc32("".join(line.split()).encode())


BLANK = key_of("")


def weigh(line: str) -> int:
    """Return how much a line says: its letters and digits."""
    return sum(map(str.isalnum, line))


class Base(Protocol):
    """What is known of the text that an anchor was made in."""

    @property
    def blob_id(self) -> str:
        """The id under which git keeps the text."""

    @property
    def lines(self) -> Sequence[str]:
        """Its lines; empty where a line is not known."""

    @property
    def keys(self) -> Sequence[int]:
        """A number for each line, by which lines are compared."""

    @property
    def places(self) -> Mapping[int, Sequence[int]]:
        """Where each key stands, counted from 0."""

    def symbol_path(self, line: int) -> str:
        """Return the path of the innermost symbol around a line; empty when there is none."""


class Document:
    """A whole text; what is asked of it is worked out once."""

    def __init__(
        self, text: bytes, read_symbols: Callable[[], Sequence[Symbol]] | None = None
    ) -> None:
        self.text = text
        self._read_symbols = read_symbols

    @cached_property
    def blob_id(self) -> str:
        """Return the id under which git keeps this text, with SHA-1."""
        header = b"blob %d\0" % len(self.text)
        return hashlib.sha1(header + self.text, usedforsecurity=False).hexdigest()

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines; what stands behind the last line's end is none."""
        lines = self.text.decode("utf-8", "replace").split("\n")
        if not lines[-1]:
            lines.pop()
        return lines

    @cached_property
    def keys(self) -> list[int]:
        """Return a number for each line, by which lines are compared."""
        return [key_of(line) for line in self.lines]

    @cached_property
    def places(self) -> dict[int, list[int]]:
        """Return where each key stands, counted from 0."""
        return places_of(self.keys)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Return the symbols, outer ones first."""
        return () if self._read_symbols is None else tuple(self._read_symbols())

    def symbol_at(self, line: int) -> Symbol | None:
        """Return the innermost symbol around a line, counted from 1."""
        around = [it for it in self.symbols if it.line <= line <= it.end_line]
        return around[-1] if around else None

    def symbol_path(self, line: int) -> str:
        """Return the path of the innermost symbol around a line; empty when there is none."""
        symbol = self.symbol_at(line)
        return "" if symbol is None else symbol.path

    def symbols_named(self, path: str) -> list[Symbol]:
        """Return the symbols with a path; overloads share one."""
        return [it for it in self.symbols if it.path == path]


def places_of(keys: Sequence[int]) -> dict[int, list[int]]:
    """Return where each key stands, counted from 0."""
    found: dict[int, list[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    return found
