"""The text of a source file as anchoring compares it: lines, their keys, and the symbols in it."""

import hashlib
import zlib
from collections.abc import Callable, Sequence
from functools import cached_property, partial

import msgspec

from benchpin.facts import Function, Outline, Type
from benchpin.facts.languages import detect_language

_ANONYMOUS = "(anonymous)"
# Larger texts take seconds to parse; anchors in them have no symbols.
_MAX_PARSED_BYTES = 1 << 18


class SymbolSpan(msgspec.Struct, frozen=True):
    """The lines of a function or type."""

    path: str
    """The qualified name, `Parser.feed`, without parts that have no name."""
    kind: str
    line: int
    end_line: int


def symbols_of(outline: Outline) -> tuple[SymbolSpan, ...]:
    """Return the functions and types that have a name, outer ones first."""
    definitions: tuple[Function | Type, ...] = (*outline.functions, *outline.types)
    found = []
    for definition in definitions:
        path = ".".join(it for it in definition.name.split(".") if it != _ANONYMOUS)
        if path:
            span = SymbolSpan(path, definition.kind, definition.line, definition.end_line)
            found.append(span)
    return tuple(sorted(found, key=lambda it: (it.line, -it.end_line)))


def read_symbols(path: str, text: bytes) -> tuple[SymbolSpan, ...]:
    """Return the symbols of a file; none for unknown languages, binary and very large files."""
    if len(text) > _MAX_PARSED_BYTES or b"\0" in text:
        return ()
    language = detect_language(path, lambda: text)
    if language is None:
        return ()
    from benchpin.facts.parsing import extract  # noqa: PLC0415 - few texts are parsed

    return symbols_of(extract(text, language).outline)


def open_text(path: str, text: bytes) -> "TrackedText":
    """Return a text that is parsed when a symbol is first asked for."""
    return TrackedText(text, partial(read_symbols, path, text))


def key_of(line: str) -> int:
    """Return a checksum that is equal for lines that differ only in white space."""
    return zlib.crc32("".join(line.split()).encode())


BLANK = key_of("")


def weigh(line: str) -> int:
    """Return how much a line says: its letters and digits."""
    return sum(map(str.isalnum, line))


class TrackedText:
    """The text of a file; lines, keys and symbols are computed on first use."""

    def __init__(
        self, text: bytes, read_symbols: Callable[[], Sequence[SymbolSpan]] | None = None
    ) -> None:
        self.text = text
        self._read_symbols = read_symbols

    @cached_property
    def blob_id(self) -> str:
        """The id of the text in git: SHA-1 of the blob."""
        header = b"blob %d\0" % len(self.text)
        return hashlib.sha1(header + self.text, usedforsecurity=False).hexdigest()

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without an empty one after the last line feed."""
        lines = self.text.decode("utf-8", "replace").split("\n")
        if not lines[-1]:
            lines.pop()
        return lines

    @cached_property
    def keys(self) -> list[int]:
        """The key of each line."""
        return [key_of(line) for line in self.lines]

    @property
    def is_complete(self) -> bool:
        """Whether the text of every line is known."""
        return True

    @cached_property
    def places(self) -> dict[int, list[int]]:
        """The lines of each key, counted from 0."""
        found: dict[int, list[int]] = {}
        for place, key in enumerate(self.keys):
            found.setdefault(key, []).append(place)
        return found

    @cached_property
    def symbols(self) -> tuple[SymbolSpan, ...]:
        """The symbols, outer ones first."""
        return () if self._read_symbols is None else tuple(self._read_symbols())

    def symbol_at(self, line: int) -> SymbolSpan | None:
        """Return the innermost symbol around a line, counted from 1."""
        around = [it for it in self.symbols if it.line <= line <= it.end_line]
        return around[-1] if around else None

    def symbol_path(self, line: int) -> str:
        """Return the path of the innermost symbol around a line; empty when there is none."""
        symbol = self.symbol_at(line)
        return "" if symbol is None else symbol.path

    def symbols_named(self, path: str) -> list[SymbolSpan]:
        """Return the symbols with a path; overloads share one."""
        return [it for it in self.symbols if it.path == path]
