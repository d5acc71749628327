"""Exports in every format, as their readers see them."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.content import EmbeddedResource, ResourceLink
from benchpin.toolsets.comments import export_comments as module
from comment_calls import FILE, add
from parquet_reading import read_rows
from wire import Wire, request


def export(shop: Workbench, **arguments: object) -> str | bytes:
    [content] = shop.call("export_comments", **arguments).to_content()
    assert isinstance(content, EmbeddedResource)
    return content.body


@pytest.fixture
def written(shop: Workbench) -> tuple[str, str]:
    first = add(shop, 5, "Add rate limiting", author="claude", aiMeta={"confidence": 0.5})
    return first, add(shop, 9, "NOTE: `x`", tag="NOTE")


def test_json_has_the_format_of_the_resources(shop: Workbench, written: tuple[str, str]) -> None:
    options = {"includeSourceContext": True, "contextLines": 1}
    document = json.loads(export(shop, format="json", options=options))
    assert document["totalComments"] == 2
    [file] = document["files"]
    assert file["filePath"] == FILE
    assert [it["id"] for it in file["comments"]] == list(written)
    assert file["comments"][0]["context"] == {
        "startLine": 4,
        "lines": [
            "  validatePassword(given: string, wanted: string): boolean {",
            "    const digest = hash(given);",
            "    return digest === wanted;",
        ],
    }
    assert "context" not in json.loads(export(shop, format="json"))["files"][0]["comments"][0]


@pytest.mark.usefixtures("written")
def test_training_data_has_prompts_and_completions(shop: Workbench) -> None:
    lines = str(export(shop, format="jsonl")).splitlines()
    examples = [json.loads(line) for line in lines]
    assert [it["completion"] for it in examples] == ["TODO: Add rate limiting", "NOTE: `x`"]
    assert examples[0]["prompt"] == "Analyze this code:\n    const digest = hash(given);\n"
    assert examples[0]["metadata"]["tag"] == "TODO"


@pytest.mark.usefixtures("written")
def test_an_orphan_is_exported_with_the_code_that_it_was_about(
    shop: Workbench, source: Path
) -> None:
    source.write_text("gone\n", encoding="utf-8")
    options = {"includeSourceContext": True, "contextLines": 1}
    document = json.loads(export(shop, format="json", options=options))
    first = document["files"][0]["comments"][0]
    assert (first["isOrphaned"], first["lineText"]) == (True, "    const digest = hash(given);")
    assert (first["context"]["startLine"], len(first["context"]["lines"])) == (4, 3)


def test_markdown_fences_are_longer_than_those_in_the_code(shop: Workbench, source: Path) -> None:
    source.write_text("const a = `\n````\n`;\n", encoding="utf-8")
    add(shop, 2)
    options = {"includeSourceContext": True}
    text = str(export(shop, format="markdown", options=options))
    assert "\n`````typescript\nconst a" in text


def test_parquet_is_readable_by_pyarrow(shop: Workbench, written: tuple[str, str]) -> None:
    body = export(shop, format="parquet", options={"includeSourceContext": True})
    assert isinstance(body, bytes)
    _, rows = read_rows(body)
    assert [row["id"] for row in rows] == list(written)
    assert (rows[0]["line"], rows[0]["tag"], rows[0]["aiConfidence"]) == (5, "TODO", 0.5)
    assert rows[1]["aiConfidence"] is None
    assert rows[0]["created"].tzinfo is not None
    assert rows[0]["context"].count("\n") == 7


async def test_a_large_export_is_stored_and_linked(
    shop: Workbench, old_wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(shop, 5)
    monkeypatch.setattr(module, "_MAX_EMBEDDED_BYTES", 10)
    uri = ""
    for form in ("jsonl", "parquet"):
        _, link = shop.call("export_comments", format=form).to_content()
        assert isinstance(link, ResourceLink)
        uri = link.uri
        answer: dict[str, Any] = await old_wire.ask(request("resources/read", uri=link.uri))
        [content] = answer["result"]["contents"]
        assert content["mimeType"] == link.mime_type
        whole = content["text"].encode() if form == "jsonl" else base64.b64decode(content["blob"])
        assert len(whole) == link.size_bytes
    refused = await old_wire.call("read_result", id=uri)
    assert refused["error"]["code"] == -32602
