"""The language server over stdio: what editors ask, answered by the tools of the workbench."""

import asyncio
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from benchpin import __version__
from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError
from benchpin.workspace.diffs import unified_diff
from benchpin.workspace.git import git_user

from . import _code_features, _navigation, _note_features
from ._buffer_notes import BufferNote, NotesOfFile, saved_content
from ._calls import ToolCalls
from ._note_features import ADD, ANSWER, MOVE, RESOLVE, SOURCE
from ._options import EditorOptions, read_options
from ._wire import AnsweringProtocol, Frames

logger = logging.getLogger(__name__)
# A buffer is reviewed when nothing was typed for this long.
_PAUSE_S = 1.0
# As the protocol counts lines: not at form feeds and the like, where Python ends them too.
_LINE_END = re.compile(r"\r\n|\n|\r")
_SEVERITY = types.DiagnosticSeverity
_LEVELS = {"error": _SEVERITY.Error, "warning": _SEVERITY.Warning}


class NoteServer(LanguageServer):
    """A language server on one workspace."""

    protocol: AnsweringProtocol

    def __init__(self, workbench: Workbench) -> None:
        # Whole texts: pygls counts a form feed as the end of a line, where editors do not, and
        # would put what is typed below it into another line.
        full = types.TextDocumentSyncKind.Full
        super().__init__("benchpin", __version__, full, protocol_cls=AnsweringProtocol)
        self.workbench = workbench
        self.options = EditorOptions()
        self._notes: dict[str, NotesOfFile] = {}
        self._findings: dict[str, list[types.Diagnostic]] = {}
        self._reviews: dict[str, asyncio.TimerHandle] = {}
        self._turn = asyncio.Lock()
        self.calls = ToolCalls(workbench)
        self._told: set[str] = set()

    def path_of(self, uri: str) -> str | None:
        """Return the path of a document in the workspace; None outside of it."""
        root = self.workbench.bench.workspace.root
        try:
            place = os.path.normpath(to_fs_path(uri) or "")
            if not Path(place).is_relative_to(root):  # the editor may have followed a link
                place = os.path.realpath(place)
            os.fsencode(place)
        except ValueError:  # half a character, a NUL, or half an address
            return None
        inside = Path(place).is_relative_to(root) and "\0" not in place
        return Path(place).relative_to(root).as_posix() if inside else None

    def notes_of(self, uri: str) -> NotesOfFile | None:
        """Return the notes of a document, read once until it is saved or a note changes."""
        path = self.path_of(uri)
        if path is None:
            return None
        notes = self._notes.get(uri)
        if notes is None:
            notes = NotesOfFile(self.workbench, path)
            if self.document(uri):
                self._notes[uri] = notes
            if notes.problem:
                self.tell(f"Notes of {path}: {notes.problem}")
        return notes

    def in_buffer(self, uri: str, *, with_resolved: bool = False) -> list[BufferNote]:
        """Return the notes of a document at their lines in its present text."""
        if self.path_of(uri) is None:
            return []
        text, notes = self.text_of(uri), self.notes_of(uri)
        return notes.in_buffer(text, with_resolved=with_resolved) if notes else []

    def navigates(self, uri: str) -> bool:
        """Whether questions about the code of a document are answered here."""
        opened = self.document(uri)
        language = "" if opened is None else opened.language_id or ""
        return self.options.navigation and language not in self.options.other_servers

    async def unused_in(self, uri: str) -> list[tuple[int, str]]:
        """Return lines of a document as it was saved, and what is unused there."""
        try:
            found = await self.calls.ask("analyze_dead_code", path=self.path_of(uri))
        except BenchpinError as error:  # such as a file that was never saved
            logger.info("no unused code of %s: %s", uri, error.message)
            return []
        return [(it.line, f"unused ({it.confidence:.0%}): {it.reason}") for it in found.items]

    def document(self, uri: str) -> TextDocument | None:
        """Return an open document; editors quote its name in their own ways, pygls unquotes it."""
        found: TextDocument | None = self.workspace.text_documents.get(unquote(uri))
        return found

    def text_of(self, uri: str) -> str:
        """Return the text of an open document; the library would read any other from the disk."""
        opened = self.document(uri)
        if opened is None:
            raise JsonRpcException(f"{uri} is not open in the editor; open it first")
        return str(opened.source)

    def lines(self, uri: str) -> Sequence[str]:
        """Return the lines of a document, without their ends."""
        return _LINE_END.split(self.text_of(uri))

    def length_in(self, uri: str) -> Callable[[int], int]:
        """Return the length of each line of a document, in the units that its editor counts."""
        lines, units = self.lines(uri), self.workspace.position_codec.client_num_units
        return lambda line: units(lines[line]) if line < len(lines) else 0

    def forget(self, uri: str) -> None:
        """Read the notes of a document again when they are next needed."""
        self._notes.pop(uri, None)

    def close(self, uri: str) -> None:
        """Keep nothing of a document."""
        self.forget(uri)
        self._findings.pop(uri, None)
        if uri in self._reviews:
            self._reviews.pop(uri).cancel()

    def show(self, uri: str) -> None:
        """Publish the diagnostics of a document: notes if they are shown so, and findings."""
        found = list(self._findings.get(uri, ()))
        if "diagnostics" in self.options.notes:
            found += _note_features.diagnostics(self.in_buffer(uri), self.length_in(uri))
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))

    def refresh(self, uri: str) -> None:
        """Show notes again after one of them changed."""
        self.forget(uri)
        self.show(uri)
        client = self.client_capabilities.workspace
        if client and client.inlay_hint and client.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if client and client.code_lens and client.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def review_soon(self, uri: str, after_s: float) -> None:
        """Review a document once nothing is typed any more."""
        if not self.options.review or self.path_of(uri) is None:
            return
        if uri in self._reviews:
            self._reviews.pop(uri).cancel()
        loop = asyncio.get_running_loop()
        start: Callable[[], object] = lambda: loop.create_task(self._review(uri))  # noqa: E731 - a callback
        self._reviews[uri] = loop.call_later(after_s, start)

    async def _review(self, uri: str) -> None:
        """Publish the findings on a document: on unsaved edits, or on what is not committed."""
        path = self.path_of(uri)
        async with self._turn:  # a slow review is not joined by one of each pause in typing
            if path is None or not self.document(uri):
                return
            text, found = self.text_of(uri), []
            try:
                found = await self._findings_on(path, text)
            except BenchpinError as error:  # such as no repository
                logger.info("no review of %s: %s", path, error.message)
        opened = self.document(uri)
        if opened is not None and opened.source == text:  # if not, the next review is on its way
            self._findings[uri] = found
            self.show(uri)

    async def _findings_on(self, path: str, text: str) -> list[types.Diagnostic]:
        patch = await self.calls.beside(self._patch, path, text)
        asked = {"patch": patch} if patch else {"path": path}
        found = (await self.calls.ask("review_change", **asked)).findings
        return [
            types.Diagnostic(
                range=_note_features.range_of(max(0, it.line - 1), 10_000),
                message=it.message,
                severity=_LEVELS.get(it.level, _SEVERITY.Information),
                source=f"{SOURCE} review",
                code=it.rule,
            )
            for it in found
            if it.file == path
        ]

    def _patch(self, path: str, text: str) -> str:
        """Return what is not saved as a diff; empty if nothing is."""
        saved = saved_content(self.workbench.bench.workspace.root, path).decode("utf-8", "replace")
        return "" if saved == text else unified_diff(saved, text, path) + "\n"

    def shutdown(self) -> None:
        """Stop serving, without waiting for what runs."""
        self.calls.end()
        super().shutdown()  # type: ignore[no-untyped-call] # of pygls

    def change(self, uri: str, tool: str, **arguments: object) -> object:
        """Call a tool that changes notes, and show them again.

        Raises:
            JsonRpcException: with what went wrong, and what to do.
        """
        try:
            found = self.workbench.call(tool, **arguments)
        except BenchpinError as error:
            raise JsonRpcException(f"{error.message}. {error.suggestion}") from error
        self.refresh(uri)
        return found.model_dump(mode="json", by_alias=True)

    @property
    def author(self) -> str:
        """Who writes notes in this editor."""
        return self.options.author or git_user(self.workbench.bench.workspace.root) or "editor"

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error; one that no request waits for is answered if it is unreadable JSON."""
        if source is JsonRpcException and isinstance(error, ValueError | RecursionError):
            self.protocol.refuse(types.ErrorCodes.ParseError, f"Not JSON: {error}")
        elif source is not FeatureRequestError:
            logger.error("%s", error, exc_info=error)

    def tell(self, message: str) -> None:
        """Show a message, once: notes are read again after each change on disk."""
        if message in self._told:
            return
        self._told.add(message)
        said = types.ShowMessageParams(types.MessageType.Warning, message)
        self.window_show_message(said)

    def configure(self, params: types.InitializeParams) -> None:
        """Take the settings of the editor."""
        document = params.capabilities.text_document
        has_hints = bool(document and document.inlay_hint)
        self.options, problems = read_options(
            params.initialization_options, has_inlay_hints=has_hints
        )
        for problem in problems:
            self.tell(f"Setting of Benchpin: {problem}")


def make_server(workbench: Workbench) -> NoteServer:
    """Return a language server with its features; it does not listen yet."""
    server = NoteServer(workbench)

    @server.feature(types.INITIALIZE)
    def _initialize(params: types.InitializeParams) -> None:
        server.configure(params)
        # Only what is answered is announced: editors ask every server that announces a rename.
        if server.options.navigation:
            _navigation.add_navigation(server)
            _code_features.add_calls(server)
            _code_features.add_rename(server)
            _code_features.add_outline(server)

    _add_documents(server)
    _add_notes(server)
    _add_commands(server)
    return server


def _add_documents(server: NoteServer) -> None:
    """Follow what is opened, typed and saved."""
    feature = server.feature

    @feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _opened(params: types.DidOpenTextDocumentParams) -> None:
        server.show(params.text_document.uri)
        server.review_soon(params.text_document.uri, 0)

    @feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def _changed(params: types.DidChangeTextDocumentParams) -> None:
        server.show(params.text_document.uri)
        server.review_soon(params.text_document.uri, _PAUSE_S)

    @feature(types.TEXT_DOCUMENT_DID_SAVE)
    def _saved(params: types.DidSaveTextDocumentParams) -> None:
        server.refresh(params.text_document.uri)
        server.review_soon(params.text_document.uri, 0)

    @feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def _closed(params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)

    @feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def _written(_params: types.DidChangeWatchedFilesParams) -> None:
        for opened in list(server.workspace.text_documents.values()):
            server.refresh(opened.uri)


def _add_notes(server: NoteServer) -> None:
    """Show notes."""
    feature = server.feature

    @feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def _hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        if "inlayHints" not in server.options.notes:
            return []
        notes = server.in_buffer(uri)
        return _note_features.inlay_hints(notes, server.length_in(uri), params.range)

    @feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def _lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri, options = params.text_document.uri, server.options
        is_wanted = "codeLenses" in options.notes
        found = _note_features.code_lenses(uri, server.in_buffer(uri)) if is_wanted else []
        if server.path_of(uri) is not None and (options.complexity or options.unused):
            facts = await _code_features.facts_of(server, uri) if options.complexity else None
            unused = await server.unused_in(uri) if options.unused else []
            found += _code_features.measured_lenses(facts, unused)
        return found

    @feature(types.TEXT_DOCUMENT_HOVER)
    def _hover(params: types.HoverParams) -> types.Hover | None:
        return _note_features.hover(
            server.in_buffer(params.text_document.uri), params.position.line
        )

    @feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def _actions(params: types.CodeActionParams) -> list[types.Command]:
        uri, notes = params.text_document.uri, server.notes_of(params.text_document.uri)
        if notes is None:
            return []
        line = params.range.start.line
        return _note_features.code_actions(uri, line, server.in_buffer(uri), notes.gone())

    @feature("benchpin/notes")
    def _threads(params: Any) -> list[dict[str, object]]:
        uri = getattr(params, "uri", None)
        if not isinstance(uri, str):
            raise JsonRpcInvalidParams("benchpin/notes needs the uri of a document")
        return _note_features.as_threads(server.in_buffer(uri, with_resolved=True))


def _add_commands(server: NoteServer) -> None:
    """Add the commands that change notes."""

    def saved_line(uri: str, line: int) -> tuple[str, int]:
        notes = server.notes_of(uri)
        if notes is None:
            raise JsonRpcException(f"{uri} is not in the workspace of Benchpin")
        found = notes.saved_line(server.text_of(uri), line - 1)
        if found is None:
            raise JsonRpcException(f"Line {line} is not saved yet. Save the file first")
        return notes.path, found

    @server.command(ADD)
    def _add(uri: str, line: int, *more: object) -> object:
        text = _note_features.text_in(more, ADD)
        path, at = saved_line(uri, line)
        tag = more[1] if more[1:] else "NOTE"
        asked: dict[str, object] = {"file_path": path, "line": at, "text": text, "tag": tag}
        return server.change(uri, "add_comment", **asked, author=server.author)

    @server.command(ANSWER)
    def _answer(uri: str, comment_id: str, *more: object) -> object:
        text = _note_features.text_in(more, ANSWER)
        notes = server.notes_of(uri)
        parent = notes.find(comment_id) if notes else None
        if notes is None or parent is None:
            raise JsonRpcException(f"There is no note {comment_id} in {uri}")
        asked: dict[str, object] = {"file_path": notes.path, "line": parent.line, "text": text}
        asked |= {"tag": parent.tag or "NOTE", "reply_to": comment_id, "author": server.author}
        return server.change(uri, "add_comment", **asked)

    @server.command(RESOLVE)
    def _resolve(uri: str, comment_id: str, *more: object) -> object:
        status = more[0] if more else "resolved"
        asked = {"comment_id": comment_id, "status": status, "author": server.author}
        return server.change(uri, "resolve_comment", file_path=server.path_of(uri), **asked)

    @server.command(MOVE)
    def _move(uri: str, comment_id: str, line: int) -> object:
        path, at = saved_line(uri, line)
        asked: dict[str, object] = {"source_file": path, "target_file": path, "target_line": at}
        return server.change(uri, "move_comment", **asked, comment_id=comment_id)


def serve_editor(workbench: Workbench) -> int:
    """Serve an editor over stdio until it ends; return 1 if it did not announce the end, else 0."""
    server = make_server(workbench)

    def refuse(message: str) -> None:
        server.protocol.refuse(types.ErrorCodes.InvalidRequest, message)

    server.start_io(cast("BinaryIO", Frames(sys.stdin.buffer, refuse)))
    return int(server.protocol.left_early)
