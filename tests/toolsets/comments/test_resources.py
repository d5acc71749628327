"""Comments as resources, and notifications of their changes."""

import asyncio
import json
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_types import ResourceTemplateReference, TextResourceContents

from benchpin.app import Workbench, configure
from benchpin.server import Kernel
from benchpin.toolsets.comments import resources as module
from comment_calls import FILE, add, sidecar
from waiting import WAIT_S
from wire import Wire, call, request

BASE = "comment://workspace/"


async def read(client: Client, uri: str) -> dict[str, Any]:
    [content] = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert content.mime_type == "application/json"
    document: dict[str, Any] = json.loads(content.text)
    return document


async def test_all_comments_are_read_by_file(client: Client, shop: Workbench) -> None:
    comment_id = add(shop, 5)
    document = await read(client, f"{BASE}all")
    assert set(document) == {"files", "totalComments"}
    assert document["totalComments"] == 1
    [file] = document["files"]
    assert (file["filePath"], file["comments"][0]["id"]) == (FILE, comment_id)


async def test_files_tags_orphans_and_ai_comments_have_resources_of_their_own(
    client: Client, shop: Workbench, source: Path
) -> None:
    todo = add(shop, 5, aiMeta={"model": "m"})
    note = add(shop, 3, "class", tag="NOTE")
    source.write_text(
        source.read_text(encoding="utf-8").replace("    const digest = hash(given);\n", ""),
        encoding="utf-8",
    )

    async def ids(uri: str) -> list[str]:
        document = await read(client, BASE + uri)
        return [it["id"] for file in document["files"] for it in file["comments"]]

    assert await ids("tags/TODO") == [todo]
    assert await ids("tags/STAR") == []
    assert await ids("orphaned") == [todo]
    assert await ids("ai-enriched") == [todo]
    document = await read(client, f"{BASE}{FILE}.comments")
    assert [it["id"] for it in document["comments"]] == [todo, note]
    assert document["orphanedComments"] == 1


async def test_many_comments_come_in_pages(
    client: Client, shop: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAGE", 2)
    ids = [add(shop, 5, f"number {number}") for number in range(5)]
    uri: str | None = f"{BASE}all"
    seen: list[str] = []
    while uri is not None:
        document = await read(client, uri)
        assert (document["totalComments"], document["pages"]) == (5, 3)
        seen += [it["id"] for file in document["files"] for it in file["comments"]]
        uri = document.get("next")
    assert seen == ids


async def test_resources_are_listed_and_completed(client: Client, shop: Workbench) -> None:
    add(shop, 5)
    listed = {str(it.uri) for it in (await client.list_resources()).resources}
    assert {
        f"{BASE}all",
        f"{BASE}orphaned",
        f"{BASE}ai-enriched",
        f"{BASE}{FILE}.comments",
    } <= listed
    templates = {
        it.uri_template for it in (await client.list_resource_templates()).resource_templates
    }
    assert {f"{BASE}{{+filePath}}.comments", f"{BASE}tags/{{tag}}"} <= templates
    path = ResourceTemplateReference(uri=f"{BASE}{{+filePath}}.comments")
    found = await client.complete(path, {"name": "filePath", "value": "src/s"})
    assert found.completion.values == [FILE]
    tag = ResourceTemplateReference(uri=f"{BASE}tags/{{tag}}")
    found = await client.complete(tag, {"name": "tag", "value": "TO"})
    assert found.completion.values == ["TODO"]


async def test_odd_names_have_uris(client: Client, shop: Workbench, workspace: Path) -> None:
    for name in ("odd name #1?.py", "all/x.py", "tags/y.py", "%41.py"):
        place = workspace / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("x\n", encoding="utf-8")
        add(shop, 1, name, filePath=name)
    uris = [str(it.uri) for it in (await client.list_resources()).resources]
    members = [uri for uri in uris if uri.startswith(BASE) and uri.endswith(".comments")]
    texts = {(await read(client, uri))["comments"][0]["text"] for uri in members}
    assert texts == {"odd name #1?.py", "all/x.py", "tags/y.py", "%41.py"}


@pytest.mark.parametrize(
    "uri", ["tags/NOPE", "all/0", "all/9", "all/x", "missing.py.comments", "../x.comments"]
)
async def test_missing_resources_are_refused(old_wire: Wire, uri: str) -> None:
    answer = await old_wire.ask(request("resources/read", uri=BASE + uri))
    assert answer["error"]["data"]["suggestion"]


@pytest.fixture
async def wire(workspace: Path) -> AsyncIterator[Wire]:
    connection = Wire(Kernel(Workbench(configure(root=workspace))))
    await connection.handshake()
    yield connection
    await connection.close()


async def hears(wire: Wire, uri: str, act: Any) -> bool:
    """Whether a subscriber is notified; repeats the change until the watcher has started."""
    for attempt in count():
        act(attempt)
        try:
            heard = await asyncio.wait_for(wire.answers.get(), 0.2)
        except TimeoutError:
            continue
        if heard.get("method") == "notifications/resources/updated":
            return bool(heard["params"] == {"uri": uri})
    return False


@pytest.mark.parametrize(
    ("uri", "cause"),
    [
        (f"{BASE}{FILE}.comments", "comment"),
        (f"{BASE}{FILE}.comments", "source"),
        (f"{BASE}all", "comment"),
        (f"{BASE}all", "source"),
        (f"{BASE}orphaned", "source"),
    ],
)
async def test_a_subscriber_is_notified_of_comments_and_of_their_source(
    wire: Wire, shop: Workbench, source: Path, uri: str, cause: str
) -> None:
    add(shop, 5)
    await wire.ask(request("resources/subscribe", uri=uri))

    def act(attempt: int) -> None:
        if cause == "comment":
            add(shop, 5, f"number {attempt}")  # another process would do the same
        else:
            source.write_text(f"// {attempt}\n", encoding="utf-8")

    assert await hears(wire, uri, act)


async def test_a_subscriber_of_a_tag_is_notified_of_that_tag_only(
    wire: Wire, shop: Workbench
) -> None:
    await wire.ask(request("resources/subscribe", 1, uri=f"{BASE}tags/TODO"))
    await wire.ask(request("resources/subscribe", 2, uri=f"{BASE}tags/FIXME"))

    def act(attempt: int) -> None:
        add(shop, 5, f"number {attempt}", tag="FIXME")

    assert await hears(wire, f"{BASE}tags/FIXME", act)
    assert wire.answers.empty()


async def test_a_subscriber_is_notified_of_comments_outside_the_workspace(
    workspace: Path, tmp_path: Path
) -> None:
    settings = {"data_dir": tmp_path / "records", "comments": {"store": "central"}}
    shop = Workbench(configure(root=workspace, **settings))
    wire = Wire(Kernel(shop))
    await wire.handshake()
    uri = f"{BASE}{FILE}.comments"
    await wire.ask(request("resources/subscribe", uri=uri))
    assert await hears(wire, uri, lambda attempt: add(shop, 5, f"number {attempt}"))
    await wire.close()


async def test_a_stateless_client_is_notified_of_a_comment(
    workspace: Path, shop: Workbench
) -> None:
    uri = f"{BASE}{FILE}.comments"
    kernel = Kernel(Workbench(configure(root=workspace)))
    async with (
        Client(kernel, mode="2026-07-28") as client,
        client.listen(resource_subscriptions=[uri]) as stream,
    ):
        hearing = asyncio.ensure_future(anext(aiter(stream)))
        for attempt in count():
            add(shop, 5, f"number {attempt}")
            await asyncio.wait({hearing}, timeout=0.2)
            if hearing.done():
                break
        event = await asyncio.wait_for(hearing, WAIT_S)
    assert getattr(event, "uri", None) == uri


def test_a_change_concerns_only_files_with_comments(shop: Workbench, workspace: Path) -> None:

    concerns = module.all_comments.concerns
    assert concerns is not None
    assert not concerns({}, PurePosixPath(FILE), shop.bench)
    add(shop, 5)
    assert sidecar(workspace).exists()
    assert concerns({}, PurePosixPath(FILE), shop.bench)
    assert concerns({}, PurePosixPath("x.py.comments"), shop.bench)
    of_file = module.file_comments.concerns
    assert of_file is not None
    assert of_file({"filePath": FILE}, PurePosixPath(f"{FILE}.comments"), shop.bench)
    assert not of_file({"filePath": FILE}, PurePosixPath("x.py.comments"), shop.bench)


async def test_a_comment_says_which_session_wrote_it(wire: Wire, source: Path) -> None:
    assert source.exists()
    arguments = {"filePath": FILE, "line": 5, "text": "x", "tag": "TODO", "author": "claude"}
    answer = await wire.ask(call("add_comment", 1, **arguments))
    assert answer["result"]["isError"] is False
    answer = await wire.ask(request("resources/read", 2, uri=f"{BASE}{FILE}.comments"))
    [comment] = json.loads(answer["result"]["contents"][0]["text"])["comments"]
    assert comment["author"] == "claude"
    assert comment["extra"]["writtenBy"] == {
        "agentId": "mcp_client",
        "fromAgent": "mcp",
        "sessionId": wire.session._peer.id,
    }
