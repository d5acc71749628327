"""Call hierarchy, rename and symbols of a document, from the index of code."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchpin.code import CodeIndex, SourceText, index_of, one_symbol
from benchpin.code.names import Symbol
from benchpin.code.references import Direction, FunctionCall, plan_rename, trace
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.facts import FileFacts, FileSelection, Function, Type, open_index
from benchpin.facts.languages import detect_language
from benchpin.workspace.diffs import line_numbers, map_lines
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.writing import FileChange

from ._navigation import KINDS, word_at

if TYPE_CHECKING:
    from ._server import NoteServer

R = TypeVar("R")
_MAX_CALLS = 200
_TIME_S = 30.0


class _Answerer:
    """Answers questions about code on the threads for calls."""

    def __init__(self, server: "NoteServer") -> None:
        self.server = server

    async def ask(self, question: Callable[[CodeIndex, Job], R]) -> R:
        """Ask the index; the question ends when the editor cancels its request.

        Raises:
            BenchpinError: when there is no answer.
        """
        job = Job(time_limit_s=_TIME_S)
        bench = self.server.workbench.bench

        def run() -> R:
            selection = FileSelection(bench.session, bench.permissions, job)
            return question(index_of(selection), job)

        try:
            return await self.server.calls.beside(run)
        except asyncio.CancelledError:
            job.cancel()
            raise

    async def symbol_at(self, uri: str, position: types.Position) -> Symbol | None:
        """Return the function or type that is named at a position, if it is plain which."""
        name, path = word_at(self.server, uri, position), self.server.path_of(uri)
        if not name or path is None:
            return None
        question = partial(_symbol_named, name=name, path=path, line=position.line + 1)
        try:
            return await self.ask(question)
        except BenchpinError:  # such as a word that is no symbol, or several
            return None


def _symbol_named(index: CodeIndex, job: Job, *, name: str, path: str, line: int) -> Symbol | None:
    module = index.symbols.modules.get(path)
    for symbol in module.symbols.values() if module else ():
        if symbol.name.rpartition(".")[2] == name and symbol.line == line:
            return symbol
    return one_symbol(index, name, job)[0]


def add_calls(server: "NoteServer") -> None:
    """Answer who calls a function and what it calls."""
    answerer = _Answerer(server)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    async def _prepare(params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem]:
        uri = params.text_document.uri
        if not server.navigates(uri):
            return []
        symbol = await answerer.symbol_at(uri, params.position)
        return [] if symbol is None else [_item(server, symbol)]

    async def calls(item: types.CallHierarchyItem, direction: Direction) -> list[_Linked]:
        if not isinstance(item.data, str):
            return []
        question = partial(_calls_of, name=item.data, direction=direction)
        try:
            return await answerer.ask(question)
        except BenchpinError:  # such as a function that is gone since
            return []

    @server.feature(types.CALL_HIERARCHY_INCOMING_CALLS)
    async def _incoming(
        params: types.CallHierarchyIncomingCallsParams,
    ) -> list[types.CallHierarchyIncomingCall]:
        return [
            types.CallHierarchyIncomingCall(_item(server, symbol), _ranges(call))
            for symbol, call in await calls(params.item, "callers")
        ]

    @server.feature(types.CALL_HIERARCHY_OUTGOING_CALLS)
    async def _outgoing(
        params: types.CallHierarchyOutgoingCallsParams,
    ) -> list[types.CallHierarchyOutgoingCall]:
        return [
            types.CallHierarchyOutgoingCall(_item(server, symbol), _ranges(call))
            for symbol, call in await calls(params.item, "callees")
        ]


_Linked = tuple[Symbol, FunctionCall]


def _calls_of(index: CodeIndex, job: Job, *, name: str, direction: Direction) -> list[_Linked]:
    symbol, _ = one_symbol(index, name, job)
    found = trace(index, symbol, direction, 1, job).calls[:_MAX_CALLS]
    ends = ((it.caller if direction == "callers" else it.callee, it) for it in found)
    # Code outside of functions has no symbol.
    known = ((index.symbol(end), call) for end, call in ends)
    return [(end, call) for end, call in known if end is not None]


def _item(server: "NoteServer", symbol: Symbol) -> types.CallHierarchyItem:
    place = Path(server.workbench.bench.workspace.root) / symbol.file
    first = types.Position(symbol.line - 1, 0)
    return types.CallHierarchyItem(
        name=symbol.name,
        kind=KINDS.get(symbol.kind, types.SymbolKind.Function),
        uri=place.as_uri(),
        range=types.Range(first, types.Position(max(symbol.end_line, symbol.line), 0)),
        selection_range=types.Range(first, first),
        detail=symbol.file,
        data=symbol.id,
    )


def _ranges(call: FunctionCall) -> list[types.Range]:
    places = (types.Position(line - 1, 0) for line in call.lines or (call.line,))
    return [types.Range(it, it) for it in places]


# Rename.


def add_rename(server: "NoteServer") -> None:
    """Rename a symbol where it is certain; the editor shows and writes the changes."""
    answerer = _Answerer(server)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def _rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        uri = params.text_document.uri
        if not server.navigates(uri):
            return None
        for opened in list(server.workspace.text_documents.values()):
            path = server.path_of(opened.uri)
            if path is not None and _content(server, path) != opened.source.encode():
                raise JsonRpcException(f"{path} is not saved. Save all files first")
        symbol = await answerer.symbol_at(uri, params.position)
        if symbol is None:
            raise JsonRpcException("There is no symbol here that has only one meaning")
        text = SourceText(server.workbench.bench.workspace.root)
        try:
            plan = await answerer.ask(
                lambda index, job: plan_rename(index, symbol, params.new_name, text, job)
            )
        except BenchpinError as error:
            raise JsonRpcException(f"{error.message}. {error.suggestion}") from error
        if plan.undecided:
            server.tell(
                f"{len(plan.undecided)} places may mean {symbol.name} and were left as they are: "
                f"benchpin edit rename {symbol.id} {params.new_name}"
            )
        root = Path(server.workbench.bench.workspace.root)
        changes = {(root / it.path).as_uri(): _edits(it) for it in plan.changes}
        return types.WorkspaceEdit(changes=changes)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def _prepare(params: types.PrepareRenameParams) -> types.PrepareRenameResult | None:
        uri = params.text_document.uri
        symbol = await answerer.symbol_at(uri, params.position) if server.navigates(uri) else None
        if symbol is None:
            return None
        return types.PrepareRenameDefaultBehavior(default_behavior=True)


def _content(server: "NoteServer", path: str) -> bytes:
    try:
        root = str(server.workbench.bench.workspace.root).encode()
        return read_regular(root, path, 16 << 20)[0]
    except Unreadable:
        return b""


def _edits(change: FileChange) -> list[types.TextEdit]:
    """Return the changed lines of a file as edits."""
    numbers: dict[bytes, int] = {}
    before, after = change.before or b"", change.after or b""
    hunks = map_lines(line_numbers(before, numbers), line_numbers(after, numbers)).hunks
    lines = after.decode("utf-8", "replace").split("\n")
    last = after.count(b"\n")
    edits = []
    for hunk in hunks:
        new = lines[hunk.new_start : hunk.new_end]
        ending = "\n" if hunk.new_end <= last else ""
        edits.append(
            types.TextEdit(
                types.Range(types.Position(hunk.old_start, 0), types.Position(hunk.old_end, 0)),
                "\n".join(new) + ending if new else "",
            )
        )
    return edits


# Symbols of a document, and what is measured of them.


def add_outline(server: "NoteServer") -> None:
    """List the functions and types of a document."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def _symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        uri = params.text_document.uri
        if not server.navigates(uri):
            return []
        facts = await facts_of(server, uri)
        return [] if facts is None else _nested(server, uri, facts)


async def facts_of(server: "NoteServer", uri: str) -> FileFacts | None:
    """Return what the present text of a document defines; None if it cannot be parsed."""
    path, content = server.path_of(uri), server.text_of(uri).encode("utf-8", "replace")
    language = None if path is None else detect_language(path, lambda: content)
    if path is None or language is None:
        return None
    session, texts = server.workbench.bench.session, {path: (language, content)}
    read = partial(open_index(session).read_texts, texts, ("outline",), Job(time_limit_s=_TIME_S))
    return (await server.calls.beside(read)).get(path)


def _nested(server: "NoteServer", uri: str, facts: FileFacts) -> list[types.DocumentSymbol]:
    length = server.length_in(uri)
    top: list[types.DocumentSymbol] = []
    inside: dict[str, list[types.DocumentSymbol]] = {}
    listed: list[Function | Type] = [*facts.outline.types, *facts.outline.functions]
    for fact in sorted(listed, key=lambda it: (it.line, -it.end_line)):
        container, _, name = fact.name.rpartition(".")
        first, last = max(fact.line - 1, 0), max(fact.end_line - 1, fact.line - 1)
        own: list[types.DocumentSymbol] = []
        symbol = types.DocumentSymbol(
            name=name or fact.name,
            kind=KINDS.get(fact.kind, types.SymbolKind.Function),
            range=types.Range(types.Position(first, 0), types.Position(last, length(last))),
            selection_range=types.Range(
                types.Position(first, 0), types.Position(first, length(first))
            ),
            children=own,
        )
        inside.get(container, top).append(symbol)
        inside.setdefault(fact.name, own)
    return top


def measured_lenses(
    facts: FileFacts | None, unused: Sequence[tuple[int, str]]
) -> list[types.CodeLens]:
    """Return lenses with the complexity of functions, and with what nothing uses."""
    found = [
        (it.line, f"complexity {it.cyclomatic}, cognitive {it.cognitive}")
        for it in (facts.outline.functions if facts else ())
    ]
    return [
        types.CodeLens(
            types.Range(types.Position(line - 1, 0), types.Position(line - 1, 0)),
            # A lens without a command is asked for again; one that does nothing is only shown.
            types.Command(title, ""),
        )
        for line, title in sorted([*found, *unused])
    ]
