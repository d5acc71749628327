"""The language server under what no editor should send, frame by frame."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from benchpin.app import Workbench, configure
from editor_wire import CODE, NOTE, at, editing, serving
from repositories import Tree
from waiting import WAIT_S

pytest.importorskip("pygls", reason="benchpin[lsp] is not installed")

pytestmark = pytest.mark.slow
INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, NOT_JSON = -32600, -32601, -32602, -32700
NOT_INITIALIZED = -32002


@pytest.fixture
def root(workspace: Path) -> Path:
    Tree(workspace).commit({"pay.py": CODE.encode()})
    shop = Workbench(configure(root=workspace))
    shop.call("add_comment", file_path="pay.py", line=5, text=NOTE, tag="NOTE", author="ada")
    return workspace


MESSAGES: Mapping[str, tuple[object, int | None]] = {
    "a list": ([], INVALID_REQUEST),
    "a batch": ([{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}], INVALID_REQUEST),
    "a number": (5, INVALID_REQUEST),
    "null": (None, INVALID_REQUEST),
    "nothing": ({}, INVALID_REQUEST),
    "another version": ({"jsonrpc": "1.0", "id": 1, "method": "shutdown"}, INVALID_REQUEST),
    "an id of null": ({"jsonrpc": "2.0", "id": None, "method": "shutdown"}, INVALID_REQUEST),
    "an id that is a list": ({"jsonrpc": "2.0", "id": [1], "method": "x"}, INVALID_REQUEST),
    "a method that is an object": ({"jsonrpc": "2.0", "id": 7, "method": {}}, INVALID_REQUEST),
    "an unknown method": ({"jsonrpc": "2.0", "id": 7, "method": "x"}, NO_METHOD),
    "a second initialize": ({"jsonrpc": "2.0", "id": 7, "method": "initialize"}, INVALID_REQUEST),
    "no arguments": ({"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover"}, INVALID_PARAMS),
    "a notification without a method": ({"jsonrpc": "2.0", "method": 5}, None),
    "an answer to nothing": ({"jsonrpc": "2.0", "id": 7, "result": {}}, None),
    "an error of another form": ({"jsonrpc": "2.0", "id": 7, "error": 5}, None),
    "an answer without a version": ({"id": 1}, INVALID_REQUEST),
    "a message within": (
        {"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": {"jsonrpc": 1}},
        INVALID_PARAMS,
    ),
    "a cancelled request that nobody made": (
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "never"}},
        None,
    ),
    "a cancellation of nothing": ({"jsonrpc": "2.0", "method": "$/cancelRequest"}, None),
    "an unknown trace": (
        {"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": "loud"}},
        None,
    ),
    "a document that is a number": (
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 5}},
        None,
    ),
    "an edit of what is not open": (
        {
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {"uri": "file:///nope", "version": 1},
                "contentChanges": [{"text": ""}],
            },
        },
        None,
    ),
}
FRAMES: Mapping[str, tuple[bytes, int | None]] = {
    "blank lines": (b"\r\n\r\n", None),
    "no header": (b"hello\r\n\r\n", None),
    "a negative length": (b"Content-Length: -5\r\n\r\n", None),
    "no length": (b"Content-Length: x\r\n\r\n", None),
    "a length of nothing": (b"Content-Length: 0\r\n\r\n", None),
    "a long header": (b"X" * 300_000 + b"\r\n\r\n", None),
    "lower case and no carriage returns": (b"content-length:2\n\n{}", INVALID_REQUEST),
    "another header first": (
        b"Content-Type: x\r\nContent-Length: 2\r\n\r\n{}",
        INVALID_REQUEST,
    ),
    "no JSON": (b"Content-Length: 3\r\n\r\n{{{", NOT_JSON),
    "no text": (b"Content-Length: 2\r\n\r\n\xff\xfe", NOT_JSON),
    "deep JSON": (b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000, NOT_JSON),
    "half a character": (b'Content-Length: 8\r\n\r\n"\\ud800"', INVALID_REQUEST),
    "NaN": (b'Content-Length: 9\r\n\r\n{"a":NaN}', INVALID_REQUEST),
}


def test_a_malformed_message_is_answered_or_dropped_and_the_next_one_is_read(root: Path) -> None:
    found = {}
    with editing(root) as wire:
        for name, (message, code) in MESSAGES.items():
            wire.frame(message)
            found[name] = wire.read()["error"]["code"] if code else None
            assert wire.is_alive(), name
        for name, (frame, code) in FRAMES.items():
            wire.raw(frame)
            found[name] = wire.read()["error"]["code"] if code else None
            assert wire.is_alive(), name
    assert found == {name: code for name, (_, code) in {**MESSAGES, **FRAMES}.items()}


@pytest.mark.parametrize("digits", [b"99000000000", b"9" * 5000])
def test_a_message_of_any_length_is_refused_before_there_is_room_for_it(
    root: Path, digits: bytes
) -> None:
    with editing(root) as wire:
        wire.raw(b"Content-Length: " + digits + b"\r\n\r\nabc")
        assert "at most 67,108,864 are read" in wire.answer(None)[1]


def test_a_message_that_is_too_long_is_skipped(root: Path) -> None:
    with editing(root) as wire:
        wire.raw(b"Content-Length: 70000000\r\n\r\n")
        for _ in range(70):
            wire.raw(b"x" * 1_000_000)
        assert wire.answer(None)[0] == INVALID_REQUEST
        assert wire.is_alive()


def test_what_comes_before_initialize_and_after_shutdown_is_refused(root: Path) -> None:
    with serving(root) as wire:
        assert wire.hover()[0] == NOT_INITIALIZED
        wire.open(wire.uri, CODE)
        assert wire.ask("shutdown", None)[0] == NOT_INITIALIZED
        assert "capabilities" in wire.initialize()
        wire.open(wire.uri, CODE)
        assert wire.is_alive()
        assert wire.ask("shutdown", None) is None
        assert wire.hover()[0] == INVALID_REQUEST
        wire.tell("exit", None)
        assert wire.process.wait(WAIT_S) == 0


def test_an_end_that_was_not_announced_is_a_failure(root: Path) -> None:
    with serving(root, status=1) as wire:
        wire.initialize()
        wire.tell("exit", None)


@pytest.mark.parametrize("content", [b"", b"Content-Length: 500\r\n\r\nabc", b"Content-Le"])
def test_an_editor_that_is_gone_ends_the_server(root: Path, content: bytes) -> None:
    with editing(root) as wire:
        wire.raw(content)


def test_a_position_out_of_range_has_an_answer(root: Path) -> None:
    asked = ("hover", "definition", "references", "implementation", "codeAction")
    with editing(root) as wire:
        for line, character in ((9999, 0), (0, 9999), (2**31 - 1, 2**31 - 1)):
            for method in asked:
                params = at(wire.uri, line, character)
                place = params["position"]
                params["range"] = {"start": place, "end": place}
                params["context"] = {"includeDeclaration": True, "diagnostics": []}
                found = wire.ask(f"textDocument/{method}", params)
                assert not found or method == "codeAction"
        for wrong in (-1, 2**40, "a", None):
            code, message = wire.hover(line=wrong)
            assert (code, "hover" in message) == (INVALID_PARAMS, True)
        assert wire.is_alive()


def test_a_document_of_any_address_is_no_way_out_of_the_workspace(root: Path) -> None:
    outside = root.parent / "outside.py"
    outside.write_text("x = 1\n", encoding="utf-8")
    start = root.as_uri()
    uris = ["", "x", "file://", "untitled:1", "http://a/b", outside.as_uri(), f"{start}/a%00.py"]
    uris += [f"{start}/../outside.py", f"{start}/%2e%2e/outside.py", f"file://host{root}/pay.py"]
    uris += [f"{start}/a\ud800.py", "file://[::1", "file:///%E0%A4%A", "x" * 100_000]
    with editing(root, review=True) as wire:
        for uri in uris:
            wire.open(uri, "x = 1\n")
            assert wire.hover(uri, 0) is None
            add = {"command": "benchpin.addNote", "arguments": [uri, 1, "hi"]}
            code, message = wire.ask("workspace/executeCommand", add)
            assert code < 0, uri
            assert "Traceback" not in message
        assert wire.is_alive()
    assert outside.read_text(encoding="utf-8") == "x = 1\n"
    assert sorted(it.name for it in root.parent.iterdir() if it.name.startswith("out")) == [
        "outside.py"
    ]


def test_commands_with_other_arguments_say_what_is_wrong(root: Path) -> None:
    given: list[object] = [None, [], ["x"], [1, 2, 3], ["x", {}, "t"], ["x", -5, "t"]]
    given += [["x", 2**70, "t"], [{}, [], None]]
    names = [f"benchpin.{it}Note" for it in ("add", "answer", "resolve", "move")]
    with editing(root) as wire:
        for name in (*names, "nope"):
            for arguments in given:
                asked = {"command": name, "arguments": arguments}
                code, message = wire.ask("workspace/executeCommand", asked)
                assert code < 0
                assert "_add_commands" not in message
        others: list[object] = [None, {}, {"uri": 5}, [], "x"]
        for params in others:
            assert wire.ask("benchpin/notes", params)[0] == INVALID_PARAMS
        assert wire.is_alive()


@pytest.mark.parametrize(
    "quoted", ["a%20b%20%C3%BC%5B1%5D.py", "a%20b%20%c3%bc[1].py", "a b ü[1].py"]
)
def test_a_name_with_spaces_and_accents_has_notes_however_the_editor_quotes_it(
    root: Path, quoted: str
) -> None:
    (root / "a b ü[1].py").write_text("x = 1\n", encoding="utf-8")
    with editing(root) as wire:
        uri = f"{root.as_uri()}/{quoted}"
        wire.open(uri, "x = 1\n")
        add = {"command": "benchpin.addNote", "arguments": [uri, 1, "hi"]}
        wire.ask("workspace/executeCommand", add)
        wire.type(uri, 2, "# a line\nx = 1\n")
        assert wire.hints(uri) == [(1, 5)]


def test_a_workspace_that_was_opened_through_a_link_has_its_notes(
    root: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    with editing(root) as wire:
        uri = f"file://{link}/pay.py"
        wire.open(uri, CODE)
        assert NOTE in str(wire.hover(uri))


def test_a_form_feed_is_no_end_of_a_line(root: Path) -> None:
    text = "a = 1\n\x0c\nb = 2\nc = 3  # \u2028 ü\n"
    (root / "feed.py").write_text(text, encoding="utf-8")
    uri = (root / "feed.py").as_uri()
    with editing(root) as wire:
        wire.open(uri, text)
        add = {"command": "benchpin.addNote", "arguments": [uri, 4, "on c"]}
        wire.ask("workspace/executeCommand", add)
        wire.type(uri, 2, f"# a line\n{text}")
        assert wire.hints(uri) == [(4, 12)]


def test_a_flood_of_edits_and_huge_documents_keep_the_server_answering(root: Path) -> None:
    many = "".join(f"x_{it % 50} = {it % 7}\n" for it in range(60_000))
    with editing(root, review=True, notes=["diagnostics"]) as wire:
        for number in range(2000):
            wire.type(wire.uri, number + 2, f"{CODE}# {number}\n")
        assert wire.is_alive()
        for name, text in (("many.py", many), ("long.py", "a" * 5_000_000), ("n.py", "\n" * 10**6)):
            uri = (root / name).as_uri()
            (root / name).write_text(text, encoding="utf-8")
            wire.open(uri, text)
            wire.type(uri, 2, "".join(reversed(text.splitlines(keepends=True))))
            assert wire.hover(uri, 0) is None
        assert wire.is_alive()


def test_requests_that_are_cancelled_or_overtaken_by_the_end_are_answered_or_gone(
    root: Path,
) -> None:
    with editing(root) as wire:
        asked = {**at(wire.uri, 3, 5), "context": {"includeDeclaration": True}}
        request = {"jsonrpc": "2.0", "method": "textDocument/references", "params": asked}
        for number in range(100):
            wire.frame({**request, "id": f"r{number}"})
            wire.tell("$/cancelRequest", {"id": f"r{number}"})
        left = {f"r{number}" for number in range(100)}
        while left:
            left.discard(wire.read().get("id"))
        assert wire.is_alive()
        for number in range(100):
            wire.frame({**request, "id": f"s{number}"})
        wire.tell("textDocument/didClose", {"textDocument": {"uri": wire.uri}})
        wire.ask("shutdown", None)
        wire.tell("exit", None)
        assert wire.process.wait(WAIT_S) == 0


STORES: Mapping[str, Callable[[], bytes]] = {
    "damaged": lambda: b'{"version": 1, "comments": [{"id": 5',
    "binary": lambda: bytes(range(256)) * 4096,
    "deep": lambda: b"[" * 200_000,
    "huge": lambda: b'{"version": 1, "comments": [' + b'{"id": "x"},' * 500_000 + b"{}]}",
}


@pytest.mark.parametrize("kind", [*STORES, "pipe", "folder", "device"])
def test_a_store_of_notes_that_is_damaged_or_no_file_is_named_and_nothing_hangs(
    root: Path, kind: str
) -> None:
    store = root / "pay.py.comments"
    kept = store.read_bytes()
    with editing(root) as wire:
        store.unlink()
        if kind in STORES:
            store.write_bytes(STORES[kind]())
        elif kind == "pipe":
            os.mkfifo(store)
        elif kind == "folder":
            store.mkdir()
        else:
            store.symlink_to("/dev/zero")
        wire.tell("workspace/didChangeWatchedFiles", {"changes": []})
        assert wire.hover() is None
        assert "pay.py" in "".join(wire.said)
        store.rmdir() if kind == "folder" else store.unlink()
        store.write_bytes(kept)
        wire.tell("workspace/didChangeWatchedFiles", {"changes": []})
        assert wire.is_alive()
