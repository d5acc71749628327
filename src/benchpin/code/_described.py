"""A symbol as it is shown: signature, documentation, container, who exports it."""

import inspect
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from benchpin.code.names import Module, Symbol
from benchpin.facts import Function, Type

from ._code_index import CodeIndex
from ._source_text import SourceText

_MAX_BODY_LINES = 400
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


def describe(
    index: CodeIndex, symbol: Symbol, text: SourceText, *, include_body: bool = False
) -> FoundSymbol:
    """Return what is shown of a symbol."""
    module = index.symbols.modules[symbol.file]
    last = min(symbol.end_line, symbol.line + _MAX_BODY_LINES - 1)
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
        body=text.numbered(symbol.file, symbol.line, last) if include_body else None,
    )


def signature_of(symbol: Symbol, text: SourceText) -> str:
    """Return the declaration of a symbol on one line."""
    declared = symbol.declared
    if isinstance(declared, Function):
        written = declared.shown_signature().rstrip(" {:=>")
        return written if symbol.name in written else f"{symbol.name}{written}"
    if isinstance(declared, Type):
        bases = f"({', '.join(declared.bases)})" if declared.bases else ""
        return f"{declared.kind} {symbol.name}{bases}"
    return text.line(symbol.file, symbol.line)


def _doc(module: Module, symbol: Symbol) -> str:
    """Return the first paragraph of the documentation, on one line."""
    found = _docstring(module, symbol) or _comment(module, symbol)
    paragraph = inspect.cleandoc(found).partition("\n\n")[0]
    line = " ".join(paragraph.split())
    return line if len(line) <= _MAX_DOC_CHARS else f"{line[:_MAX_DOC_CHARS]}…"


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
    above = 1 + (0 if symbol.declared is None else len(symbol.declared.decorators))
    near = [
        it
        for it in module.facts.comments.comments
        if symbol.line - above <= it.end_line < symbol.line and not it.is_trailing
    ]
    if not near:
        return ""
    lines = (it.strip().lstrip("/*#! ").removesuffix("*/") for it in near[-1].text.splitlines())
    return "\n".join(lines)


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
