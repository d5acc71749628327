"""Resources: listing, reading, writing, completing, and hearing of changes."""

import asyncio
import base64
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path, PurePosixPath

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

import notes
from benchpin.app import Workbench, configure
from benchpin.app._watching import WatchedChange
from benchpin.server import Kernel
from benchpin.toolsets import server
from benchpin.toolsets.server.skills import read_skills
from waiting import WAIT_S
from wire import Wire, request


def notes_kernel(root: Path, **settings: object) -> Kernel:
    toolsets = [server.TOOLSET, notes.TOOLSET]
    return Kernel(Workbench(configure(root=root, **settings), toolsets))


@pytest.fixture
async def note_wire(workspace: Path) -> AsyncIterator[Wire]:
    connection = Wire(notes_kernel(workspace, allow=["write"]))
    await connection.handshake()
    yield connection
    await connection.close()


@pytest.fixture(params=["legacy", "2026-07-28"])
async def note_client(request: pytest.FixtureRequest, workspace: Path) -> AsyncIterator[Client]:
    async with Client(notes_kernel(workspace), mode=request.param) as connected:
        yield connected


async def test_a_family_is_listed_in_pages(note_client: Client, workspace: Path) -> None:
    for number in range(600):
        (workspace / f"{number:03}.txt").write_text("x", encoding="utf-8")
    seen: list[str] = []
    cursor = None
    pages = 0
    while True:
        page = await note_client.list_resources(cursor=cursor)
        pages += 1
        seen += [str(resource.uri) for resource in page.resources]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert pages == 3
    notes_ = [f"note://{number:03}.txt" for number in range(600)]
    assert seen == [*(skill.uri for skill in read_skills()), "notes://all", *notes_]


async def test_a_page_stays_where_it_was_when_files_come_and_go(
    note_client: Client, workspace: Path
) -> None:
    for number in range(350):
        (workspace / f"{number:03}.txt").write_text("x", encoding="utf-8")
    first = await note_client.list_resources()
    (workspace / "000.txt").unlink()
    (workspace / "0000.txt").write_text("x", encoding="utf-8")
    second = await note_client.list_resources(cursor=first.next_cursor)
    names = {str(resource.uri) for resource in (*first.resources, *second.resources)}
    assert {f"note://{number:03}.txt" for number in range(350)} <= names


async def test_templates_are_listed(note_client: Client) -> None:
    templates = (await note_client.list_resource_templates()).resource_templates
    assert "note://{+path}" in {template.uri_template for template in templates}


async def test_text_is_read_as_text(note_client: Client, workspace: Path) -> None:
    (workspace / "a.txt").write_text("grüße", encoding="utf-8")
    contents = (await note_client.read_resource("note://a.txt")).contents[0].model_dump()
    assert (contents["text"], contents["mime_type"]) == ("grüße", "text/plain")


async def test_bytes_are_read_as_a_blob(note_client: Client, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes(b"\xff\x00")
    contents = (await note_client.read_resource("note://a.txt")).contents[0].model_dump()
    assert base64.b64decode(contents["blob"]) == b"\xff\x00"


@pytest.mark.parametrize(("uri", "kind"), [("gopher://x", "resource_not_found")])
async def test_an_unknown_uri_is_refused_with_the_known_forms(
    note_wire: Wire, uri: str, kind: str
) -> None:
    error = (await note_wire.ask(request("resources/read", uri=uri)))["error"]
    assert error["code"] == -32002
    assert error["data"]["kind"] == kind
    assert "note://{+path}" in error["data"]["suggestion"]


@pytest.mark.parametrize("path", ["../x.txt", "/etc/passwd", ".git/config", ".env"])
async def test_what_is_outside_or_denied_is_not_read(note_wire: Wire, path: str) -> None:
    error = (await note_wire.ask(request("resources/read", uri=f"note://{path}")))["error"]
    assert error["data"]["kind"] in {"path_outside_workspace", "access_denied"}


async def test_values_are_completed(note_client: Client, workspace: Path) -> None:
    for name in ("alpha", "alps", "beta"):
        (workspace / f"{name}.txt").write_text("x", encoding="utf-8")
    reference = ResourceTemplateReference(uri="note://{+path}")
    completed = await note_client.complete(reference, {"name": "path", "value": "al"})
    assert completed.completion.values == ["alpha.txt", "alps.txt"]


async def test_a_resource_is_written_as_text_or_blob(note_wire: Wire, workspace: Path) -> None:
    text = await note_wire.ask(
        request("resources/write", uri="note://a.txt", contents=[{"text": "hi"}])
    )
    assert text["result"] == {}
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "hi"
    named = [{"uri": "note://a.txt", "mimeType": "text/plain", "text": "ho"}]
    again = await note_wire.ask(request("resources/write", uri="note://a.txt", contents=named))
    assert again["result"] == {}
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "ho"
    blob = base64.b64encode(b"\x00\xff").decode()
    await note_wire.ask(request("resources/write", uri="note://a.txt", contents=[{"blob": blob}]))
    assert (workspace / "a.txt").read_bytes() == b"\x00\xff"


@pytest.mark.parametrize(
    ("uri", "contents"),
    [
        ("note://a.txt", []),
        ("note://a.txt", [{}]),
        ("note://a.txt", [{"text": "x", "blob": "eA=="}]),
        ("note://a.txt", [{"blob": "not base64!"}]),
        ("note://a.txt", [{"text": "x"}, {"text": "y"}]),
        ("note://a.txt", [{"uri": "note://b.txt", "text": "x"}]),
        ("notes://all", [{"text": "x"}]),
        ("note://../a.txt", [{"text": "x"}]),
    ],
)
async def test_a_bad_write_is_refused_and_nothing_is_written(
    note_wire: Wire, workspace: Path, uri: str, contents: list[object]
) -> None:
    answer = await note_wire.ask(request("resources/write", uri=uri, contents=contents))
    assert answer["error"]["data"]["kind"] in {"invalid_params", "path_outside_workspace"}
    assert list(workspace.iterdir()) == []
    assert not (workspace.parent / "a.txt").exists()


@pytest.mark.parametrize(("allow", "announced"), [(["write"], True), ([], False)])
async def test_writing_is_announced_where_it_is_possible(
    workspace: Path, allow: list[str], *, announced: bool
) -> None:
    wire = Wire(notes_kernel(workspace, allow=allow))
    answer = await wire.handshake()
    assert answer["result"]["capabilities"]["resources"]["write"] is announced
    await wire.close()


async def test_writing_is_off_until_it_is_allowed(workspace: Path) -> None:
    wire = Wire(notes_kernel(workspace))
    message = request("resources/write", uri="note://a.txt", contents=[{"text": "hi"}])
    error = (await wire.ask(message))["error"]
    assert error["data"]["kind"] == "effect_not_allowed"
    assert "--allow write" in error["data"]["suggestion"]
    await wire.close()


async def test_a_subscriber_hears_of_a_change_and_others_do_not(
    note_wire: Wire, workspace: Path
) -> None:
    (workspace / "a.txt").write_text("one", encoding="utf-8")
    (workspace / "b.txt").write_text("one", encoding="utf-8")
    await note_wire.ask(request("resources/subscribe", uri="note://a.txt"))
    await _changes_until_heard(workspace / "a.txt", note_wire)
    await note_wire.ask(request("resources/unsubscribe", 2, uri="note://a.txt"))
    (workspace / "b.txt").write_text("two", encoding="utf-8")
    assert "result" in await note_wire.ask(request("ping", 3))


async def _changes_until_heard(place: Path, wire: Wire) -> None:
    """Change a file until the watcher, which needs a moment to start, reports it."""
    for attempt in count():
        place.write_text(str(attempt), encoding="utf-8")
        try:
            heard = await asyncio.wait_for(wire.answers.get(), 0.2)
        except TimeoutError:
            continue
        assert heard["method"] == "notifications/resources/updated"
        assert heard["params"] == {"uri": f"note://{place.name}"}
        while not wire.answers.empty():
            wire.answers.get_nowait()
        return


async def test_a_listener_of_the_stateless_era_hears_of_a_change(workspace: Path) -> None:
    place = workspace / "a.txt"
    place.write_text("one", encoding="utf-8")
    async with (
        Client(notes_kernel(workspace), mode="2026-07-28") as client,
        client.listen(resource_subscriptions=["note://a.txt"]) as stream,
    ):
        hearing = asyncio.ensure_future(anext(aiter(stream)))
        for attempt in count():
            place.write_text(str(attempt), encoding="utf-8")
            await asyncio.wait({hearing}, timeout=0.2)
            if hearing.done():
                break
        event = await asyncio.wait_for(hearing, WAIT_S)
    assert getattr(event, "uri", None) == "note://a.txt"


async def test_a_new_file_changes_the_list(note_wire: Wire, workspace: Path) -> None:
    await note_wire.ask(request("resources/list"))
    for attempt in count():
        (workspace / f"{attempt}.txt").write_text("x", encoding="utf-8")
        try:
            heard = await asyncio.wait_for(note_wire.answers.get(), 0.2)
        except TimeoutError:
            continue
        assert heard == {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
        return


async def test_replacing_a_file_does_not_change_the_list(
    note_wire: Wire, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changes come in groups: a replaced file, one that is not listed, a new one, new text."""
    is_listed = asyncio.Event()

    async def changes(*_arguments: object) -> AsyncIterator[list[WatchedChange]]:
        await is_listed.wait()
        yield [WatchedChange(PurePosixPath("a.txt"), is_listing=True)]
        yield [WatchedChange(PurePosixPath("a.log"), is_listing=True)]
        (workspace / "b.txt").write_text("x", encoding="utf-8")
        yield [WatchedChange(PurePosixPath("b.txt"), is_listing=True)]
        (workspace / "a.txt").write_text("changed", encoding="utf-8")
        yield [WatchedChange(PurePosixPath("a.txt"), is_listing=False)]

    monkeypatch.setattr("benchpin.server._subscriptions.watch", changes)
    (workspace / "a.txt").write_text("x", encoding="utf-8")
    await note_wire.ask(request("resources/list"))
    await note_wire.ask(request("resources/subscribe", 2, uri="note://a.txt"))
    is_listed.set()
    heard = [await note_wire.receive() for _ in range(2)]
    assert [it["method"] for it in heard] == [
        "notifications/resources/list_changed",
        "notifications/resources/updated",
    ]
    assert note_wire.answers.empty()


async def test_subscribing_to_nothing_is_refused(note_wire: Wire) -> None:
    error = (await note_wire.ask(request("resources/subscribe", uri="gopher://x")))["error"]
    assert error["data"]["kind"] == "resource_not_found"


@pytest.mark.parametrize("uri", ["note://.env", "note://../x.txt", "note:///etc/passwd"])
async def test_what_is_not_read_is_not_subscribed_to(note_wire: Wire, uri: str) -> None:
    reading = (await note_wire.ask(request("resources/read", uri=uri)))["error"]
    assert (await note_wire.ask(request("resources/subscribe", uri=uri)))["error"] == reading


async def test_a_file_that_is_not_there_yet_may_be_subscribed_to(note_wire: Wire) -> None:
    assert (await note_wire.ask(request("resources/subscribe", uri="note://a.txt")))["result"] == {}


async def test_a_listener_is_told_what_cannot_be_listened_to(workspace: Path) -> None:
    async with Client(notes_kernel(workspace), mode="2026-07-28") as client:
        with pytest.raises(MCPError, match="May not read"):
            async with client.listen(resource_subscriptions=["note://a.txt", "note://.env"]):
                raise AssertionError("it was listened to")


async def test_a_damaged_cursor_is_refused(note_wire: Wire) -> None:
    error = (await note_wire.ask(request("resources/list", cursor="nonsense")))["error"]
    assert error["code"] == -32602
    assert error["data"]["kind"] == "invalid_cursor"
