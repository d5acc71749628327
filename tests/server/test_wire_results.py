"""Results that are too big to send."""

import json
from pathlib import Path

from jsonschema import validate
from mcp.client.client import Client

from everything.serving import kernel_for
from wire import Wire, call, request

SMALL = {"response_bytes": 40_000, "text_chars": 1_000}


async def test_a_long_text_is_cut_at_a_line_and_linked(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"text_chars": 1_000}))
    result = (await wire.call("make_big", rows=100))["result"]
    text, link = result["content"]
    assert len(text["text"]) < 1_200
    assert "900 of 9,999 characters" in text["text"] or "999 of 9,999" in text["text"]
    assert link["type"] == "resource_link"
    assert link["uri"].startswith("result://")
    assert len(result["structuredContent"]["rows"]) == 100
    await wire.close()


async def test_a_caller_may_ask_for_more_text(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"text_chars": 1_000}))
    message = call("make_big", rows=100)
    message["params"]["_meta"] = {"benchpin/max_text_chars": 20_000}
    result = (await wire.ask(message))["result"]
    assert len(result["content"]) == 1
    assert len(result["content"][0]["text"]) == 9_999
    await wire.close()


async def test_a_big_result_is_stored_sampled_and_linked(workspace: Path) -> None:
    async with Client(kernel_for(workspace, limits=SMALL)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        result = await client.call_tool("make_big", {"rows": 1_000})
        assert result.structured_content is not None
        assert len(result.structured_content["rows"]) == 20
        validate(result.structured_content, tools["make_big"].output_schema or {})
        stored = result.structured_content["stored"]
        whole = ""
        cursor = None
        while True:
            arguments = {"id": stored, "cursor": cursor, "max_bytes": 9_000}
            page = await client.call_tool("read_result", arguments)
            assert page.structured_content is not None
            whole += page.structured_content["text"]
            cursor = page.structured_content["next_cursor"]
            if cursor is None:
                break
        assert len(json.loads(whole)["rows"]) == 1_000


async def test_no_answer_is_longer_than_the_limit(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits=SMALL))
    answer = await wire.call("make_big", rows=5_000)
    assert len(json.dumps(answer)) < SMALL["response_bytes"]
    direct = await wire.ask(request("make_big", 2, rows=5_000))
    assert len(json.dumps(direct)) < SMALL["response_bytes"]
    assert direct["result"]["stored"].startswith("result://")
    await wire.close()


async def test_a_stored_result_is_listed_and_read_as_a_resource(workspace: Path) -> None:
    async with Client(kernel_for(workspace, limits=SMALL)) as client:
        await client.call_tool("make_big", {"rows": 1_000})
        listed = (await client.list_resources()).resources
        json_ones = [resource for resource in listed if resource.mime_type == "application/json"]
        contents = await client.read_resource(json_ones[0].uri)
        assert '"rows"' in contents.contents[0].model_dump()["text"]


async def test_a_new_stored_result_changes_the_list_of_resources(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits=SMALL))
    await wire.handshake()
    await wire.ask(request("resources/list", "list"))
    await wire.send(call("make_big", rows=1_000))
    seen = [await wire.receive() for _ in range(2)]
    assert {"notifications/resources/list_changed"} == {
        message["method"] for message in seen if "method" in message
    }
    await wire.close()


async def test_a_result_that_cannot_be_stored_is_cut_all_the_same(workspace: Path) -> None:
    (workspace / "cache").write_text("a file, no folder", encoding="utf-8")
    wire = Wire(kernel_for(workspace, limits=SMALL, cache_dir=workspace / "cache"))
    result = (await wire.call("make_big", rows=1_000))["result"]
    assert result["structuredContent"]["stored"] is None
    assert "could not be stored" in result["content"][0]["text"]
    await wire.close()
