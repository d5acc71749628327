"""Definitions, references, implementations and symbols from our index, where they are wanted."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types

from benchpin.core.errors import BenchpinError

if TYPE_CHECKING:
    from ._server import NoteServer

_At = types.DefinitionParams | types.ReferenceParams | types.ImplementationParams
_MAX_PLACES = 200
_WORD = re.compile(r"[A-Za-z_$][\w$]*+")
_KINDS = {
    "class": types.SymbolKind.Class,
    "method": types.SymbolKind.Method,
    "interface": types.SymbolKind.Interface,
    "enum": types.SymbolKind.Enum,
    "struct": types.SymbolKind.Struct,
    "variable": types.SymbolKind.Variable,
}


def add_navigation(server: "NoteServer") -> None:
    """Add the features; they answer nothing unless the editor asks for navigation."""

    def ask(tool: str, **arguments: object) -> Any:
        try:
            return cast("Any", server.workbench.call(tool, **arguments))
        except BenchpinError:  # such as a word that is no symbol, or several
            return None

    def named(params: _At) -> str:
        if not server.options.navigation:
            return ""
        line = server.lines(params.text_document.uri)[params.position.line]
        at = params.position.character
        return next((it[0] for it in _WORD.finditer(line) if it.start() <= at <= it.end()), "")

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    @server.thread()
    def _definition(params: types.DefinitionParams) -> list[types.Location]:
        name = named(params)
        found = ask("find_symbol", symbol=name) if name else None
        exact = [it for it in found.symbols if it.name == name] if found else []
        return _locations(server, exact)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    @server.thread()
    def _references(params: types.ReferenceParams) -> list[types.Location]:
        name = named(params)
        found = ask("find_references", symbol=name, limit=_MAX_PLACES) if name else None
        return _locations(server, found.uses if found else ())

    @server.feature(types.TEXT_DOCUMENT_IMPLEMENTATION)
    @server.thread()
    def _implementations(params: types.ImplementationParams) -> list[types.Location]:
        name = named(params)
        found = ask("find_implementations", symbol=name, limit=_MAX_PLACES) if name else None
        return _locations(server, found.implementations if found else ())

    @server.feature(types.WORKSPACE_SYMBOL)
    @server.thread()
    def _symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        if not (server.options.navigation and params.query):
            return []
        found = ask("find_symbol", symbol=params.query, limit=_MAX_PLACES)
        return [
            types.WorkspaceSymbol(
                name=it.name,
                kind=_KINDS.get(it.kind, types.SymbolKind.Function),
                location=_location(server, it.file, it.line),
            )
            for it in (found.symbols if found else ())
        ]


def _locations(server: "NoteServer", found: Iterable[Any]) -> list[types.Location]:
    return [_location(server, it.file, it.line) for it in found]


def _location(server: "NoteServer", path: str, line: int) -> types.Location:
    place = Path(server.workbench.bench.workspace.root) / path
    at = types.Position(line - 1, 0)
    return types.Location(place.as_uri(), types.Range(at, at))
