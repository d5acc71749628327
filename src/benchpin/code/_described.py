"""Symbols as they are shown: lines of code, signature, documentation, container, who exports it."""

import inspect
import os
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from benchpin.code.names import Module, Symbol
from benchpin.facts import Function, SourceComment, Type
from benchpin.workspace.files import Unreadable, read_regular

from ._code_index import CodeIndex

_MAX_BYTES = 8 << 20
_MAX_COLUMNS = 200
_MAX_IMPORT_LINES = 200
# The strings and comments of an import statement: no name is imported there.
_STRING = re.compile(r"'[^'\n]*+'|\"[^\"\n]*+\"|#.*+|//.*+")
_MODULE = re.compile(r"\s*from\s.*?\simport\b")
_ALIAS = re.compile(r"\bas\s+$")


def whole_word(name: str) -> re.Pattern[str]:
    """Return a pattern that finds a name, but not as a part of a longer one."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


class SourceText:
    def __init__(self, root: Path) -> None:
        self._root = os.fsencode(root)
        self._lines: dict[str, list[str]] = {}

    def content(self, file: str) -> bytes:
        """Return the bytes of a file; none if it cannot be read."""
        try:
            return read_regular(self._root, file, _MAX_BYTES)[0]
        except Unreadable:
            return b""

    def lines(self, file: str) -> list[str]:
        """Return the lines of a file; none if it cannot be read."""
        if file not in self._lines:
            # Not splitlines, which also splits at form feeds: lines of code end at line feeds.
            lines = self.content(file).decode(errors="surrogateescape").split("\n")
            self._lines[file] = [it.removesuffix("\r") for it in lines]
        return self._lines[file]

    def line(self, file: str, line: int) -> str:
        """Return one line without its indentation, cut if it is very long."""
        lines = self.lines(file)
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        text = text.encode(errors="surrogateescape").decode(errors="replace")
        return text if len(text) <= _MAX_COLUMNS else f"{text[:_MAX_COLUMNS]}…"

    def place(self, file: str, line: int, name: str, ahead: int = 1) -> tuple[int, int]:
        """Return the line and column of a name in some lines; column 0 if none of them has it."""
        word = whole_word(name)
        lines = self.lines(file)
        for number in range(line, min(line + ahead, len(lines) + 1)):
            found = word.search(lines[number - 1])
            if found is not None:
                return number, found.start() + 1
        return line, 0

    def column(self, file: str, line: int, words: Sequence[str]) -> int:
        """Return the column of the last of some tokens, which are the first ones of a line.

        They are looked for one after the other, so that the same name in a string is not taken for
        it. Where a file holds several languages, a line may lack some of its tokens: then the last
        is found by how often it occurs before. 0 if the line does not have it.
        """
        lines = self.lines(file)
        if not words or not 0 < line <= len(lines):
            return 0
        text, at = lines[line - 1], 0
        for word in words[:-1]:
            found = text.find(word.partition("\n")[0], at)
            at = found + len(word.partition("\n")[0]) if found >= 0 else at
        pattern = whole_word(words[-1])
        last = pattern.search(text, at)
        if last is None:
            places = [it.start() for it in pattern.finditer(text)]
            return places[min(len(places), words.count(words[-1])) - 1] + 1 if places else 0
        return last.start() + 1

    def places_in_import(
        self, file: str, line: int, name: str, *, is_alias: bool = False, on_path: bool = False
    ) -> list[tuple[int, int]]:
        """Return the lines and columns where an import names something, not its module.

        On the path: where it names what it takes something from, as `use a::Kind::*` does.
        """
        word, lines, depth = whole_word(name), self.lines(file), 0
        found: list[tuple[int, int]] = []
        for number in range(line, min(line + _MAX_IMPORT_LINES, len(lines) + 1)):
            # Blanks of the same length: the columns have to stay.
            code = _STRING.sub(lambda it: " " * len(it[0]), lines[number - 1])
            head = _MODULE.match(code)
            found += [
                (number, it.start() + 1)
                for it in word.finditer(code, head.end() if head else 0)
                if code[it.end() :].lstrip().startswith((".", "::")) is on_path
                if is_alias or not _ALIAS.search(code, 0, it.start())
            ]
            # An import ends with the line where no bracket is open and nothing says that it goes
            # on.
            depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
            if depth <= 0 and not code.rstrip().endswith(("\\", ",")):
                break
        return found

    def numbered(self, file: str, first: int, last: int) -> str:
        lines = self.lines(file)[first - 1 : last]
        width = len(str(last))
        return "\n".join(f"{first + at:>{width}} {line}" for at, line in enumerate(lines))


_MAX_BODY_LINES = 400
_CHARS_PER_TOKEN = 4
_MAX_DOC_CHARS = 300
_MAX_EXPORTERS = 5


@dataclass(frozen=True, slots=True)
class FoundSymbol:
    """A symbol and what there is to know before using it."""

    id: str
    """The path, `::` and the qualified name; other tools accept it."""
    name: str
    kind: str
    file: str
    line: int
    end_line: int
    container: str
    """The qualified name of the enclosing symbol; empty at the top level."""
    signature: str
    doc: str
    """The first paragraph of its documentation."""
    exported_by: tuple[str, ...]
    """Files that export it under its name, beside its own."""
    body: Annotated[str | None, Field(exclude_if=lambda it: it is None)] = None
    """Its lines with their numbers, if asked for."""


class CodeRoom:
    """How much code there is still room for, in lines of symbols that are shown in turn."""

    def __init__(self, tokens: int) -> None:
        """Take the budget in tokens."""
        self._left = tokens * _CHARS_PER_TOKEN

    def take(self, lines: Sequence[str]) -> int:
        """Return how many of some lines there is room for."""
        for at, line in enumerate(lines):
            self._left -= len(line) + 1
            if self._left < 0:
                return at
        return len(lines)


def describe(
    index: CodeIndex,
    symbol: Symbol,
    text: SourceText,
    *,
    include_body: bool = False,
    room: CodeRoom | None = None,
) -> FoundSymbol:
    """Return what there is to know of a symbol; its code if asked for, or as there is room."""
    module = index.symbols.modules[symbol.file]
    last = min(symbol.end_line, symbol.line + _MAX_BODY_LINES - 1)
    if room is not None and not include_body:
        last = symbol.line + room.take(text.lines(symbol.file)[symbol.line - 1 : last]) - 1
    return FoundSymbol(
        id=symbol.id,
        name=symbol.qualified,
        kind=symbol.kind,
        file=symbol.file,
        line=symbol.line,
        end_line=symbol.end_line,
        container=symbol.owner,
        signature=signature_of(symbol, text),
        doc=_doc(module, symbol),
        exported_by=tuple(_exporters(index, symbol)),
        body=_body(symbol, text, last) if include_body or room is not None else None,
    )


def _body(symbol: Symbol, text: SourceText, last: int) -> str | None:
    if last < symbol.line:
        return None
    more = symbol.end_line - last
    shown = text.numbered(symbol.file, symbol.line, last)
    return shown + (f"\n… {more:,} more lines" if more > 0 else "")


def signature_of(symbol: Symbol, text: SourceText) -> str:
    """Return the declaration of a symbol on one line."""
    declared = symbol.declared
    if isinstance(declared, Function):
        # Some grammars have the name in the signature, others begin with the parameters.
        written = declared.shown_signature().rstrip(" {:=>")
        return written if symbol.name in written else f"{symbol.name}{written}"
    if isinstance(declared, Type):
        bases = f"({', '.join(declared.bases)})" if declared.bases else ""
        return f"{declared.kind} {symbol.name}{bases}"
    return text.line(symbol.file, symbol.line)


def _doc(module: Module, symbol: Symbol) -> str:
    """Return the first paragraph of the documentation, on one line."""
    paragraph = documentation(module, symbol).partition("\n\n")[0]
    line = " ".join(paragraph.split())
    return line if len(line) <= _MAX_DOC_CHARS else f"{line[:_MAX_DOC_CHARS]}…"


def documentation(module: Module, symbol: Symbol) -> str:
    """Return what documents a symbol, in its body or above it, without quotes and marks."""
    return inspect.cleandoc(_docstring(module, symbol) or _comment(module, symbol))


def _docstring(module: Module, symbol: Symbol) -> str:
    code = module.code
    scope = None if code is None else code.scope_of.get(symbol.qualified)
    if code is None or scope is None or not module.navigation.has_docstrings:
        return ""
    first, last = scope.span
    at = (
        code.header(scope).body
        if scope.is_function
        else _after_colon(code.stream.words, first, last)
    )
    if at >= last or not code.stream.is_literal(at):
        return ""
    literal = code.stream.words[at].lstrip("rRuUbB")
    for quote in ('"""', "'''", '"', "'"):
        if literal.startswith(quote):
            return literal.removeprefix(quote).removesuffix(quote)
    return ""


def _after_colon(words: list[str], first: int, last: int) -> int:
    depth = 0
    for at in range(first, last):
        word = words[at]
        depth += (word in {"(", "["}) - (word in {")", "]"})
        if word == ":" and not depth:
            return at + 1
    return last


def _comment(module: Module, symbol: Symbol) -> str:
    """Return the comment right above a symbol; consecutive line comments are one."""
    # Decorators come between the comment and the symbol, mostly one on a line.
    top = symbol.line - (0 if symbol.declared is None else len(symbol.declared.decorators))
    texts: list[str] = []
    comments = module.facts.comments.comments
    for comment in reversed(comments[: bisect_left(comments, symbol.line, key=_first_line)]):
        if comment.end_line < top - 1:
            break
        if comment.end_line < symbol.line and not comment.is_trailing:
            texts.append(comment.text)
            top = min(top, comment.line)
    lines = (line for text in reversed(texts) for line in text.splitlines())
    return "\n".join(it.strip().lstrip("/*#! ").removesuffix("*/") for it in lines)


def _first_line(comment: SourceComment) -> int:
    return comment.line


def _exporters(index: CodeIndex, symbol: Symbol) -> list[str]:
    """Return the files that import a symbol in order to offer it themselves."""
    if symbol.owner:
        return []
    found = []
    for module, alias in index.importers(symbol.name):
        is_offered = alias in module.facts.links.exports or _is_front(module.path)
        if is_offered and index.symbols.exported(module.path, alias) is symbol:
            found.append(module.path)
    return found[:_MAX_EXPORTERS]


def _is_front(path: str) -> bool:
    """Whether a file is what a package offers, by its name."""
    return path.rpartition("/")[2].partition(".")[0] in {"__init__", "index", "mod", "lib"}
