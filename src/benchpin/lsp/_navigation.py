"""Definitions, references, implementations and symbols from our index, where they are wanted."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchpin.core.errors import BenchpinError

if TYPE_CHECKING:
    from ._server import NoteServer

_At = types.DefinitionParams | types.ReferenceParams | types.ImplementationParams
_MAX_PLACES = 200
_WORD = re.compile(r"[A-Za-z_$][\w$]*+")
KINDS = {
    "class": types.SymbolKind.Class,
    "method": types.SymbolKind.Method,
    "interface": types.SymbolKind.Interface,
    "enum": types.SymbolKind.Enum,
    "struct": types.SymbolKind.Struct,
    "variable": types.SymbolKind.Variable,
}


def add_navigation(server: "NoteServer") -> None:
    """Add the features; documents of which another server takes care get no answer."""

    async def ask(tool: str, symbol: str, **arguments: object) -> Any:
        if not symbol:
            return None
        try:
            return await server.calls.ask(tool, symbol=symbol, **arguments)
        except BenchpinError:  # such as a word that is no symbol, or several
            return None

    def named(params: _At) -> str:
        uri = params.text_document.uri
        return word_at(server, uri, params.position) if server.navigates(uri) else ""

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def _definition(params: types.DefinitionParams) -> list[types.Location]:
        name = named(params)
        found = await ask("find_symbol", name)
        exact = [it for it in found.symbols if it.name == name] if found else []
        return _locations(server, exact)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def _references(params: types.ReferenceParams) -> list[types.Location]:
        found = await ask("find_references", named(params), limit=_MAX_PLACES)
        return _locations(server, found.uses if found else ())

    @server.feature(types.TEXT_DOCUMENT_IMPLEMENTATION)
    async def _implementations(params: types.ImplementationParams) -> list[types.Location]:
        found = await ask("find_implementations", named(params), limit=_MAX_PLACES)
        return _locations(server, found.implementations if found else ())

    @server.feature(types.WORKSPACE_SYMBOL)
    async def _symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        found = await ask("find_symbol", params.query, limit=_MAX_PLACES)
        return [
            types.WorkspaceSymbol(
                name=it.name,
                kind=KINDS.get(it.kind, types.SymbolKind.Function),
                location=_location(server, it.file, it.line),
            )
            for it in (found.symbols if found else ())
        ]


def word_at(server: "NoteServer", uri: str, position: types.Position) -> str:
    """Return the name at a position of a document; empty when there is none."""
    lines = server.lines(uri)
    if position.line >= len(lines):
        return ""
    at = server.workspace.position_codec.position_from_client_units(lines, position).character
    words = _WORD.finditer(lines[position.line])
    return next((it[0] for it in words if it.start() <= at <= it.end()), "")


def _locations(server: "NoteServer", found: Iterable[Any]) -> list[types.Location]:
    return [_location(server, it.file, it.line) for it in found]


def _location(server: "NoteServer", path: str, line: int) -> types.Location:
    place = Path(server.workbench.bench.workspace.root) / path
    at = types.Position(line - 1, 0)
    return types.Location(place.as_uri(), types.Range(at, at))
