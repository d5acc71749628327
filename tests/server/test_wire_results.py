"""Results that are too big to send."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate
from mcp.client.client import Client

from benchpin.core.calls import Limits
from benchpin.core.errors import ResponseTooLarge
from benchpin.core.results import ResultStore
from benchpin.present import Report, View
from benchpin.server.jsonrpc import ENCODED, encode_answer, parsed
from benchpin.server.wire import Presenter
from everything.make_big import Big
from everything.serving import kernel_for
from wire import Wire, call, request

SMALL = {"response_bytes": 40_000, "text_chars": 1_000}


async def test_a_long_text_is_cut_at_a_line_and_linked(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"text_chars": 1_000}))
    await wire.handshake()
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


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
async def test_a_client_without_links_gets_a_line_of_text_instead(
    workspace: Path, version: str
) -> None:
    wire = Wire(kernel_for(workspace, limits=SMALL))
    await wire.handshake(version)
    result = (await wire.call("make_big", rows=1_000))["result"]
    cut, line = result["content"]
    assert {cut["type"], line["type"]} == {"text"}
    assert "read_result with id=" in cut["text"]
    stored = result["structuredContent"]["stored"]
    assert line["text"].startswith(f"The whole result, too large to send: {stored} (")
    page = (await wire.call("read_result", id=stored, max_bytes=1_000))["result"]
    assert page["structuredContent"]["text"].startswith('{"rows":')
    await wire.close()


async def test_a_client_of_the_first_version_gets_sound_as_a_resource(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace))
    first = (await wire.call("test_audio_content"))["result"]["content"]
    assert [it["type"] for it in first] == ["resource"]
    assert first[0]["resource"]["mimeType"] == "audio/wav"
    await wire.close()


DOCUMENTS = {
    "json": json.dumps({"rows": list(range(400))}, separators=(",", ":")),
    "csv": "a,b\n" + "1,2\n" * 400,
    "sarif": json.dumps({"runs": ["x" * 2_000]}, separators=(",", ":")),
}


class Listing(Report):
    """A report whose text is whatever the test gives."""

    body: str
    view = View["Listing"](title="Listing", headline=lambda _: ["400 rows"], tables=())

    def to_text(self) -> str:
        """Return the given text."""
        return self.body


@pytest.mark.parametrize("style", DOCUMENTS)
def test_a_document_for_programs_is_whole_or_replaced_by_its_headline(
    tmp_path: Path, style: str
) -> None:
    store = ResultStore(tmp_path)
    report = Listing(format=style, body=DOCUMENTS[style])
    length = len(report.body)
    fits: Any = Presenter(Limits(text_chars=length), store).tool_result(report, "2025-11-25")
    fitting: Any = parsed(fits)["content"]
    assert [it["text"] for it in fitting] == [report.body]
    short = Presenter(Limits(text_chars=length - 1), store).tool_result(report, "2025-11-25")
    shortened: Any = parsed(short)["content"]
    text, link = shortened
    assert text["text"].startswith(f"400 rows\nThe {link['mimeType']} has {length:,} characters")
    assert store.read(link["uri"].removeprefix("result://"), 0, 10**6).text == report.body


def test_json_that_is_too_long_only_by_its_indentation_is_sent_without_it(tmp_path: Path) -> None:
    rows = {"rows": list(range(400))}
    report = Listing(format="json", body=json.dumps(rows, indent=2))
    presenter = Presenter(Limits(text_chars=2_000), ResultStore(tmp_path))
    [block] = json.loads(presenter.tool_result(report, "2025-11-25")[ENCODED][1])  # type: ignore[index]  # a tuple
    assert len(block["text"]) < 2_000 < len(report.body)
    assert json.loads(block["text"]) == rows


ESCAPED = "\x01" * 3_000
"""Each character takes six bytes in JSON."""


@pytest.mark.parametrize("rows", [["x" * 100] * 900, [ESCAPED] * 3, ["ä" * 4_000] * 2])
@pytest.mark.parametrize("limit", [3_000, 40_000])
def test_an_answer_is_within_the_limit_whatever_it_holds(
    tmp_path: Path, rows: list[str], limit: int
) -> None:
    presenter = Presenter(Limits(response_bytes=limit), ResultStore(tmp_path))
    result = presenter.tool_result(Big(rows=rows), "2025-11-25", max_chars=10**7)
    assert len(encode_answer(1, result)) <= limit


def test_a_result_that_cannot_be_made_short_enough_is_refused(tmp_path: Path) -> None:
    presenter = Presenter(Limits(response_bytes=1_100), ResultStore(tmp_path))
    with pytest.raises(ResponseTooLarge, match=r"1,100 bytes"):
        presenter.tool_result(Big(rows=["x" * 5_000]), "2025-11-25")


async def test_no_answer_of_any_method_is_longer_than_the_limit(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"response_bytes": 2_000}))
    error = (await wire.ask(request("tools/list")))["error"]
    assert error["data"]["kind"] == "response_too_large"
    assert error["data"]["setting"] == "limits.response_bytes"
    await wire.close()
