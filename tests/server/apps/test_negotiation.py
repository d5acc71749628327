import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.server import Kernel
from benchpin.server.apps import APPS, MIME_TYPE, UI, add_app
from benchpin.server.apps._apps import DATA
from benchpin.server.jsonrpc import ENCODED
from wire import ENVELOPE, HANDSHAKE, Wire, request

SHOWS_APPS = {"extensions": {UI: {"mimeTypes": [MIME_TYPE]}}}
CODE = "def risky(a, b):\n" + "".join(f"    if a == {it}:\n        b += 1\n" for it in range(30))
CODE += "    return b\n"


@pytest.fixture
async def wire(workspace: Path) -> AsyncIterator[Wire]:
    """Give a connection to a server with all of its own tools."""
    (workspace / "risky.py").write_text(CODE)
    connection = Wire(Kernel(Workbench.open(workspace)))
    yield connection
    await connection.close()


@pytest.fixture
async def host(wire: Wire) -> Wire:
    """Give a connection of a client that shows apps."""
    params = {**HANDSHAKE["params"], "capabilities": SHOWS_APPS}
    announced = await wire.ask({**HANDSHAKE, "params": params})
    assert announced["result"]["capabilities"]["extensions"][UI] == {}
    await wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return wire


def gate() -> dict[str, Any]:
    return request("tools/call", name="quality_gate", arguments={"project_path": "."})


async def test_tools_with_an_app_point_to_it(host: Wire) -> None:
    tools = (await host.ask(request("tools/list")))["result"]["tools"]
    metas = {it["name"]: it.get("_meta", {}) for it in tools}
    uris = {name: it["ui"]["resourceUri"] for name, it in metas.items() if "ui" in it}
    assert uris == {name: f"ui://benchpin/{app.name}" for name, app in APPS.items()}
    assert metas["review_change"]["anthropic/alwaysLoad"] is True


async def test_other_clients_see_nothing_of_apps(wire: Wire) -> None:
    answer = await wire.handshake()
    assert UI not in json.dumps(answer)
    tools = (await wire.ask(request("tools/list")))["result"]["tools"]
    assert {key for it in tools for key in it.get("_meta", {})} == {"anthropic/alwaysLoad"}
    listed = json.dumps(tools)
    assert "ui://" not in listed + json.dumps(await wire.ask(request("resources/list")))
    assert DATA not in json.dumps(await wire.ask(gate()))


async def test_a_client_that_shows_other_types_only_gets_no_app(wire: Wire) -> None:
    capabilities = {"extensions": {UI: {"mimeTypes": ["text/uri-list"]}}}
    await wire.ask({**HANDSHAKE, "params": {**HANDSHAKE["params"], "capabilities": capabilities}})
    listed = await wire.ask(request("tools/list"))
    assert "ui://" not in json.dumps(listed)


async def test_a_stateless_client_negotiates_with_each_request(wire: Wire) -> None:
    envelope = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": SHOWS_APPS}
    listed = await wire.ask(request("tools/list", _meta=envelope))
    assert "ui://benchpin/gate" in json.dumps(listed)
    plain = await wire.ask(request("tools/list", _meta=ENVELOPE))
    assert "ui://" not in json.dumps(plain)


@pytest.mark.slow
@pytest.mark.parametrize("app", APPS.values(), ids=lambda it: it.name)
async def test_the_page_of_an_app_needs_nothing_from_elsewhere(host: Wire, app: Any) -> None:
    answer = await host.ask(request("resources/read", uri=app.uri))
    [page] = answer["result"]["contents"]
    assert (page["uri"], page["mimeType"]) == (app.uri, MIME_TYPE)
    assert page["_meta"] == {"ui": {"csp": {}, "prefersBorder": True}}
    assert page["text"].startswith("<!doctype html>")
    assert "src=" not in page["text"].partition("<script")[0]


async def test_the_result_brings_what_the_app_shows_beside_the_same_text(host: Wire) -> None:
    shown = (await host.ask(gate()))["result"]
    page = shown["_meta"].pop(DATA)["html"]
    assert 'href="#open:risky.py' in page
    other = Wire(host.kernel)
    await other.handshake()
    plain = (await other.ask(gate()))["result"]
    await other.close()
    assert shown["content"] == plain["content"]
    assert shown["structuredContent"] == plain["structuredContent"]


async def test_a_call_that_fails_brings_no_app(host: Wire) -> None:
    arguments = {"project_path": "../x"}
    failed = await host.ask(request("tools/call", name="quality_gate", arguments=arguments))
    assert failed["result"]["isError"]
    assert DATA not in json.dumps(failed)


@pytest.mark.parametrize("extensions", [None, [], {UI: None}, {UI: {"mimeTypes": MIME_TYPE}}])
async def test_malformed_extensions_are_no_apps(wire: Wire, extensions: object) -> None:
    params = {**HANDSHAKE["params"], "capabilities": {"extensions": extensions}}
    await wire.ask({**HANDSHAKE, "params": params})
    assert "ui://" not in json.dumps(await wire.ask(request("tools/list")))


def test_an_app_is_left_out_of_a_result_that_would_be_too_large(workspace: Path) -> None:
    (workspace / "risky.py").write_text(CODE)
    report = Workbench.open(workspace).call("quality_gate", project_path=".", format="html")
    answer: dict[str, Any] = {ENCODED: (b"{}",), "_meta": {}}
    add_app(answer, report, 2_000)
    assert answer["_meta"] == {}
    add_app(answer, report, 10_000_000)
    assert "risky.py" in answer["_meta"][DATA]["html"]


async def test_an_app_is_drawn_without_writing_again(workspace: Path) -> None:
    (workspace / "risky.py").write_text(CODE)
    wire = Wire(Kernel(Workbench.open(workspace, allow=("write",))))
    await wire.ask({**HANDSHAKE, "params": {**HANDSHAKE["params"], "capabilities": SHOWS_APPS}})
    arguments = {"project_path": ".", "baseline": "known.json", "update_baseline": True}
    written = await wire.ask(request("tools/call", name="quality_gate", arguments=arguments))
    await wire.close()
    assert not written["result"]["isError"]
    assert (workspace / "known.json").exists()
    assert DATA not in json.dumps(written)
