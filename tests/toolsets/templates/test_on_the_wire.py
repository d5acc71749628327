"""Templates over MCP: the seed's messages, its codes, and resources."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

from benchpin.app import Workbench, configure
from benchpin.server import Kernel
from benchpin.toolsets import templates
from wire import Wire, call, request

URI = "template://makefile/rust/cli"


def kernel(root: Path) -> Kernel:
    return Kernel(Workbench(configure(root=root), [templates.TOOLSET]))


@pytest.fixture
async def wire(workspace: Path) -> AsyncIterator[Wire]:
    """Give a connection without a handshake, as a piped line has."""
    connection = Wire(kernel(workspace))
    yield connection
    await connection.close()


async def test_the_seeds_call_gives_the_makefile_as_text(wire: Wire) -> None:
    arguments = {"project_name": "my-project", "has_tests": True}
    answer = await wire.call("generate_template", resource_uri=URI, parameters=arguments)
    [content] = answer["result"]["content"]
    assert content["type"] == "text"
    assert "cargo test" in content["text"]


async def test_templates_are_resources_in_the_order_of_their_uris(wire: Wire) -> None:
    answer = await wire.ask(request("resources/list"))
    every = answer["result"]["resources"]
    assert "nextCursor" not in answer["result"]  # all of them are on the first page
    assert len(every) > 100
    assert [it["uri"] for it in every] == sorted(it["uri"] for it in every)
    [makefile] = [it for it in every if it["uri"] == URI]
    assert makefile["name"] == "Rust CLI Makefile"
    assert makefile["mimeType"] == "text/x-makefile"
    assert makefile["description"].startswith("Makefile for Rust CLI projects")


ERRORS = [
    ({"resource_uri": "template://../x", "parameters": {}}, -32001, "invalid_template_uri"),
    ({"resource_uri": f"{URI}/x", "parameters": {}}, -32001, "invalid_template_uri"),
    ({"resource_uri": "template://a/b/%2e%2e", "parameters": {}}, -32001, "invalid_template_uri"),
    ({"resource_uri": f"{URI}x", "parameters": {}}, -32000, "template_not_found"),
    (
        {"resource_uri": "template://makefile/go/cli", "parameters": {}},
        -32002,
        "invalid_template_parameters",
    ),
]


@pytest.mark.parametrize(("arguments", "code", "kind"), ERRORS)
async def test_a_line_without_a_handshake_gets_the_seeds_codes(
    wire: Wire, arguments: dict[str, Any], code: int, kind: str
) -> None:
    for message in (
        call("generate_template", 1, **arguments),
        request("generate_template", 2, **arguments),
        call("validate_template", 3, **arguments),
    ):
        if code == -32002 and message["id"] == 3:
            continue  # validation reports problems in its result
        error = (await wire.ask(message))["error"]
        assert error["code"] == code
        assert error["data"]["kind"] == kind
        assert error["data"]["suggestion"]


async def test_newer_clients_get_a_result_that_a_model_can_read(workspace: Path) -> None:
    connection = Wire(kernel(workspace))
    await connection.handshake("2025-11-25")
    answer = await connection.call("generate_template", resource_uri=f"{URI}x", parameters={})
    await connection.close()
    assert answer["result"]["isError"]
    text = answer["result"]["content"][0]["text"]
    assert "code: -32000" in text
    assert f"Nearest: {URI}" in text


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("template://", -32001),
        ("template://../", -32001),
        ("template://makefile/rust/%2e%2e", -32001),
        (f"{URI}/extra", -32001),
        ("template://makefile/rust/clii", -32000),
    ],
)
@pytest.mark.parametrize("version", [None, "2025-11-25"])
async def test_reading_what_is_no_template_has_a_code(
    workspace: Path, uri: str, code: int, version: str | None
) -> None:
    connection = Wire(kernel(workspace))
    if version is not None:
        await connection.handshake(version)
    answer = await connection.ask(request("resources/read", 1, uri=uri))
    watched = await connection.ask(request("resources/subscribe", 2, uri=uri))
    await connection.close()
    assert answer["error"]["code"] == code
    assert watched["error"] == answer["error"]
    title = {-32000: "Template not found", -32001: "Invalid template URI"}[code]
    assert answer["error"]["message"].startswith(title)
    if code == -32000:
        assert len(answer["error"]["data"]["nearest"]) == 3


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_client_reads_and_completes_templates(workspace: Path, era: str) -> None:
    async with Client(kernel(workspace), mode=era) as client:
        [contents] = (await client.read_resource(URI)).contents
        assert "{% for task in" in getattr(contents, "text", "")
        [many] = (await client.read_resource("template://project/go/library")).contents
        assert "==> go.mod <==" in getattr(many, "text", "")
        [family] = (await client.list_resource_templates()).resource_templates
        completed = await client.complete(
            ResourceTemplateReference(type="ref/resource", uri=family.uri_template),
            {"name": "path", "value": "makefile/ru"},
        )
        assert completed.completion.values == [
            "makefile/rust/cli",
            "makefile/rust/library",
            "makefile/rust/web",
        ]
        with pytest.raises(MCPError) as caught:
            await client.read_resource("template://makefile/rust/clii")
        assert caught.value.code == -32000


@pytest.mark.parametrize("allow", [(), ("write",)])
async def test_a_client_learns_whether_scaffolding_may_write(
    workspace: Path, allow: tuple[str, ...]
) -> None:
    settings = configure(root=workspace, allow=allow, schemas="full")
    async with Client(Kernel(Workbench(settings, [templates.TOOLSET]))) as client:
        tools = {it.name: it.annotations for it in (await client.list_tools()).tools}
    scaffolding, listing = tools["scaffold_project"], tools["list_templates"]
    assert scaffolding is not None
    assert scaffolding.read_only_hint == (not allow)
    assert scaffolding.destructive_hint == bool(allow)
    assert listing is not None
    assert listing.read_only_hint
