"""A text as anchoring sees it: lines, what of them is compared, and the symbols around them."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property

import msgspec

from benchpin.engines.source.detect import detect_language
from benchpin.engines.source.extract import extract
from benchpin.engines.source.facts import Outline

_ANONYMOUS = "(anonymous)"


class Symbol(msgspec.Struct, frozen=True):
    """A function or type, by the lines that it spans."""

    path: str
    """Qualified by what it stands in: `Parser.feed`; parts without a name are left out."""
    kind: str
    line: int
    end_line: int


def symbols_of(outline: Outline) -> tuple[Symbol, ...]:
    """Return the functions and types that have a name, outer ones first."""
    found = (
        Symbol(_named(it.name), it.kind, it.line, it.end_line)
        for it in (*outline.functions, *outline.types)
    )
    return tuple(sorted((it for it in found if it.path), key=lambda it: (it.line, -it.end_line)))


def read_symbols(path: str, text: bytes) -> tuple[Symbol, ...]:
    """Return the symbols of a file; none when no grammar reads it."""
    language = detect_language(path, lambda: text)
    return () if language is None else symbols_of(extract(text, language).outline)


def _named(path: str) -> str:
    return ".".join(part for part in path.split(".") if part != _ANONYMOUS)


def squeeze(line: str) -> str:
    """Return a line without any white space, by which lines are compared."""
    return "".join(line.split())


def weigh(squeezed: str) -> int:
    """Return how much a line says: its letters and digits."""
    return len(squeezed) if squeezed.isalnum() else sum(map(str.isalnum, squeezed))


class Document:
    """A text; what is asked of it is worked out once."""

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
    def squeezed(self) -> list[str]:
        """Return the lines without white space."""
        return ["".join(line.split()) for line in self.lines]

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Return where each squeezed line stands, counted from 0."""
        found: dict[str, list[int]] = {}
        for place, line in enumerate(self.squeezed):
            found.setdefault(line, []).append(place)
        return found

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Return the symbols, outer ones first."""
        return () if self._read_symbols is None else tuple(self._read_symbols())

    def symbol_at(self, line: int) -> Symbol | None:
        """Return the innermost symbol around a line, counted from 1."""
        around = [it for it in self.symbols if it.line <= line <= it.end_line]
        return around[-1] if around else None

    def symbols_named(self, path: str) -> list[Symbol]:
        """Return the symbols with a path; overloads share one."""
        return [it for it in self.symbols if it.path == path]
