"""The language server, driven by the client of pygls over stdio."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from benchpin.app import Workbench, configure
from repositories import Tree

pytest.importorskip("pygls", reason="benchpin[lsp] is not installed")
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

pytestmark = [pytest.mark.slow, pytest.mark.anyio]
CODE = """\
RETRIES = 3


def charge(card):
    return send(card, retries=RETRIES)
"""


@pytest.fixture
def place(workspace: Path) -> Path:
    """Return a file with a note on its last line."""
    tree = Tree(workspace)
    tree.commit({"pay.py": CODE.encode()})
    shop = Workbench(configure(root=workspace))
    text = "three `RETRIES` are enough"
    shop.call("add_comment", file_path="pay.py", line=5, text=text, tag="NOTE", author="ada")
    return workspace / "pay.py"


class Editor:
    """A client with one open file."""

    def __init__(self, place: Path, options: object) -> None:
        self.client = LanguageClient("editor", "1")
        self.place, self.uri = place, place.as_uri()
        self.options = options
        self.version = 1
        self.capabilities = types.ServerCapabilities()
        self.published: list[list[types.Diagnostic]] = []
        self._new = anyio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator] # of pygls
        def _published(params: types.PublishDiagnosticsParams) -> None:
            self.published.append(list(params.diagnostics))
            self._new.set()

    async def start(self) -> None:
        await self.client.start_io(sys.executable, "-m", "benchpin", "lsp", str(self.place.parent))
        hint = types.TextDocumentClientCapabilities(inlay_hint=types.InlayHintClientCapabilities())
        found = await self.client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(text_document=hint),
                initialization_options=self.options,
                root_uri=self.place.parent.as_uri(),
            )
        )
        self.capabilities = found.capabilities
        self.client.initialized(types.InitializedParams())
        text = self.place.read_text(encoding="utf-8")
        item = types.TextDocumentItem(self.uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, text: str) -> None:
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def save(self, text: str) -> None:
        self.place.write_text(text, encoding="utf-8")
        document = types.TextDocumentIdentifier(self.uri)
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))

    async def hints(self) -> list[tuple[int, str]]:
        whole = types.Range(types.Position(0, 0), types.Position(10_000, 0))
        document = types.TextDocumentIdentifier(self.uri)
        found = await self.client.text_document_inlay_hint_async(
            types.InlayHintParams(document, whole)
        )
        return [(it.position.line, str(it.label)) for it in found or ()]

    async def hover(self, line: int) -> str | None:
        document = types.TextDocumentIdentifier(self.uri)
        found = await self.client.text_document_hover_async(
            types.HoverParams(document, types.Position(line, 0))
        )
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def actions(self, line: int) -> dict[str, types.Command]:
        here = types.Range(types.Position(line, 0), types.Position(line, 0))
        asked = types.CodeActionParams(
            types.TextDocumentIdentifier(self.uri), here, types.CodeActionContext([])
        )
        found = await self.client.text_document_code_action_async(asked)
        return {it.title: it for it in found or () if isinstance(it, types.Command)}

    async def run(self, command: types.Command, *more: object) -> Any:
        asked = types.ExecuteCommandParams(command.command, [*(command.arguments or ()), *more])
        return await self.client.workspace_execute_command_async(asked)

    async def diagnostics(self, source: str) -> list[types.Diagnostic]:
        """Return the next diagnostics that have one of a source."""
        while True:
            for each in self.published:
                if found := [it for it in each if it.source == source]:
                    return found
            self._new = anyio.Event()
            await self._new.wait()


@asynccontextmanager
async def editing(place: Path, **options: object) -> AsyncIterator[Editor]:
    editor = Editor(place, {"review": False, **options})
    with anyio.fail_after(60):
        await editor.start()
        try:
            yield editor
        finally:
            await editor.client.shutdown_async(None)
            editor.client.exit(None)
            await editor.client.stop()  # type: ignore[no-untyped-call] # of pygls


async def test_a_note_is_a_hint_that_follows_the_line_while_typing(place: Path) -> None:
    async with editing(place) as editor:
        assert await editor.hints() == [(4, "📝 ada: three `RETRIES` are enough")]
        editor.type("# a line\n" + CODE)
        assert await editor.hints() == [(5, "📝 ada: three `RETRIES` are enough")]
        editor.type("# a line\n" + CODE.replace("send(card, ", "send("))
        [(line, label)] = await editor.hints()
        assert (line, "being edited" in label) == (5, True)


async def test_a_saved_change_says_what_the_note_quotes_in_vain(place: Path) -> None:
    async with editing(place) as editor:
        editor.type(CODE.replace("retries=RETRIES", "retries=5"))
        editor.save(CODE.replace("retries=RETRIES", "retries=5"))
        [(_, label)] = await editor.hints()
        assert "the code changed since; no longer there: RETRIES" in label
        thread = await editor.hover(4)
        assert thread is not None
        assert "three `RETRIES` are enough" in thread


async def test_notes_are_added_answered_and_resolved(place: Path) -> None:
    async with editing(place, author="eve") as editor:
        actions = await editor.actions(3)
        await editor.run(actions["Add a note"], "who calls it?")
        assert (3, "📝 eve: who calls it?") in await editor.hints()
        actions = await editor.actions(3)
        await editor.run(actions["Answer “who calls it?”"], "the shop")
        thread = await editor.hover(3)
        assert thread is not None
        assert "the shop" in thread
        await editor.run((await editor.actions(3))["Resolve “who calls it?”"])
        assert [line for line, _ in await editor.hints()] == [4]


async def test_a_note_whose_code_is_gone_is_moved_to_a_line(place: Path) -> None:
    async with editing(place) as editor:
        rest = "RETRIES = 3\n\n\nprint(RETRIES)\n"
        editor.type(rest)
        editor.save(rest)
        assert await editor.hints() == []
        await editor.run((await editor.actions(0))["Move “three `RETRIES` are enough” here"])
        assert await editor.hints() == [(0, "📝 ada: three `RETRIES` are enough")]


async def test_a_line_that_is_not_saved_gets_no_note(place: Path) -> None:
    async with editing(place) as editor:
        editor.type("# a line\n" + CODE)
        actions = await editor.actions(0)
        with pytest.raises(JsonRpcException, match="not saved yet"):
            await editor.run(actions["Add a note"], "too early")
        with pytest.raises(JsonRpcException, match="needs the text"):
            await editor.run(actions["Add a note"])


async def test_a_document_that_is_a_pipe_a_nul_or_not_open_is_refused_and_nothing_hangs(
    place: Path,
) -> None:
    os.mkfifo(place.with_name("pipe.py"))
    async with editing(place) as editor:
        for uri in (place.with_name("pipe.py").as_uri(), place.with_name("b.py").as_uri()):
            asked = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 0))
            with pytest.raises(JsonRpcException, match="not open"):
                await editor.client.text_document_hover_async(asked)
        nul = types.TextDocumentIdentifier(place.as_uri() + "%00")
        asked = types.HoverParams(nul, types.Position(0, 0))
        assert await editor.client.text_document_hover_async(asked) is None
        actions = await editor.actions(0)
        with pytest.raises(JsonRpcException, match="needs the text"):
            await editor.run(actions["Add a note"], {"a": 1})
        assert "three" in (await editor.hover(4) or "")


async def test_notes_are_diagnostics_where_the_editor_wants_them(place: Path) -> None:
    async with editing(place, notes=["diagnostics"]) as editor:
        [found] = await editor.diagnostics("benchpin")
        assert (found.range.start.line, found.severity) == (4, types.DiagnosticSeverity.Hint)
        assert await editor.hints() == []


async def test_the_buffer_is_reviewed_before_it_is_saved(place: Path) -> None:
    async with editing(place, review=True) as editor:
        editor.type(CODE + '\n\ndef pay():\n    key = "AKIAIOSFODNN7ABCDEFG"\n    return key\n')
        found = await editor.diagnostics("benchpin review")
        assert found


async def test_navigation_is_answered_only_where_it_is_asked_for(place: Path) -> None:
    (place.parent / "shop.py").write_text("from pay import charge\n\ncharge(1)\n", encoding="utf-8")
    document = types.TextDocumentIdentifier(place.as_uri())
    at = types.Position(3, 5)
    asked = types.ReferenceParams(types.ReferenceContext(include_declaration=False), document, at)
    async with editing(place) as editor:
        assert editor.capabilities.references_provider is None
        assert editor.capabilities.rename_provider is None
    async with editing(place, otherServers=["python"]) as editor:
        assert not await editor.client.text_document_references_async(asked)
    async with editing(place, navigation=True) as editor:
        found = await editor.client.text_document_references_async(asked)
        assert {it.range.start.line for it in found or () if it.uri.endswith("shop.py")} == {0, 2}


SHOP = "from pay import charge\n\n\nclass Shop:\n    def sell(self):\n        return charge(1)\n"


async def test_calls_of_a_function_are_followed_in_both_directions(place: Path) -> None:
    (place.parent / "shop.py").write_text(SHOP, encoding="utf-8")
    at = types.Position(3, 5)
    async with editing(place, otherServers=["go"]) as editor:
        [item] = (
            await editor.client.text_document_prepare_call_hierarchy_async(
                types.CallHierarchyPrepareParams(types.TextDocumentIdentifier(editor.uri), at)
            )
        ) or ()
        assert (item.name, item.range.start.line) == ("charge", 3)
        [incoming] = (
            await editor.client.call_hierarchy_incoming_calls_async(
                types.CallHierarchyIncomingCallsParams(item)
            )
        ) or ()
        assert (incoming.from_.name, incoming.from_.detail) == ("sell", "shop.py")
        assert [it.start.line for it in incoming.from_ranges] == [5]
        [outgoing] = (
            await editor.client.call_hierarchy_outgoing_calls_async(
                types.CallHierarchyOutgoingCallsParams(incoming.from_)
            )
        ) or ()
        assert outgoing.to.name == "charge"


async def test_a_rename_changes_every_file_and_refuses_unsaved_text(place: Path) -> None:
    (place.parent / "shop.py").write_text(SHOP, encoding="utf-8")
    document, at = types.TextDocumentIdentifier(place.as_uri()), types.Position(3, 5)
    async with editing(place, navigation=True) as editor:
        client = editor.client
        prepared = types.PrepareRenameParams(document, at)
        assert await client.text_document_prepare_rename_async(prepared) is not None
        found = await client.text_document_rename_async(types.RenameParams(document, at, "pay"))
        assert found is not None
        assert found.changes is not None
        edits = {Path(uri).name: it for uri, it in found.changes.items()}
        assert sorted(edits) == ["pay.py", "shop.py"]
        assert [(it.range.start.line, it.new_text) for it in edits["shop.py"]] == [
            (0, "from pay import pay\n"),
            (5, "        return pay(1)\n"),
        ]
        with pytest.raises(JsonRpcException, match="1x"):
            await client.text_document_rename_async(types.RenameParams(document, at, "1x"))
        editor.type(CODE + "\n")
        with pytest.raises(JsonRpcException, match="not saved"):
            await client.text_document_rename_async(types.RenameParams(document, at, "pay"))


async def test_the_symbols_of_unsaved_text_are_listed_as_they_are_nested(place: Path) -> None:
    async with editing(place, navigation=True) as editor:
        editor.type(SHOP)
        found = await editor.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(types.TextDocumentIdentifier(editor.uri))
        )
        [shop] = found or ()
        assert isinstance(shop, types.DocumentSymbol)
        assert [(it.name, it.range.start.line) for it in shop.children or ()] == [("sell", 4)]


async def test_complexity_and_unused_code_are_lenses_only_where_they_are_wanted(
    place: Path,
) -> None:
    place.write_text(CODE + "\n\ndef _never():\n    return 1\n", encoding="utf-8")
    asked = types.CodeLensParams(types.TextDocumentIdentifier(place.as_uri()))
    async with editing(place) as editor:
        assert not await editor.client.text_document_code_lens_async(asked)
    async with editing(place, complexity=True, unused=True) as editor:
        found = await editor.client.text_document_code_lens_async(asked)
        titles = [(it.range.start.line, it.command.title) for it in found or () if it.command]
        assert (3, "complexity 1, cognitive 0") in titles
        assert any(line == 7 and title.startswith("unused") for line, title in titles)


async def test_a_wrong_setting_is_named(place: Path) -> None:
    said: list[str] = []
    editor = Editor(place, {"otherServers": "python", "complexity": 7})

    @editor.client.feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator] # of pygls
    def _said(params: types.ShowMessageParams) -> None:
        said.append(params.message)

    with anyio.fail_after(60):
        await editor.start()
        assert editor.capabilities.rename_provider is None
        await editor.hints()
        await editor.client.shutdown_async(None)
        editor.client.exit(None)
        await editor.client.stop()  # type: ignore[no-untyped-call] # of pygls
    assert any("otherServers is 'python'" in it for it in said)
    assert any("complexity is 7" in it for it in said)
