"""What a client of either era reads: the texts and the metadata of the protocol."""

import re
from pathlib import Path

import pytest
from mcp.client.client import Client

from comment_calls import FILE, ask
from wire import Wire

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


async def add(client: Client, line: int, text: str, tag: str = "TODO", **more: object) -> str:
    shown, _ = await ask(
        client, "add_comment", filePath=FILE, line=line, text=text, tag=tag, **more
    )
    found = re.search(r"Comment ID: (c_\d+)", shown)
    assert found is not None
    return found[1]


async def test_adding_a_comment_reports_its_anchor(client: Client) -> None:
    shown, whole = await ask(
        client,
        "add_comment",
        filePath=FILE,
        line=5,
        text="TODO: Add rate limiting to prevent brute force attacks",
        tag="TODO",
        author="claude",
        aiMeta={"model": "claude-sonnet-4.5", "confidence": 0.95, "reasoning": "Security"},
    )
    assert re.fullmatch(
        r"✅ Comment added successfully\n\n"
        r"Comment ID: c_\d+\nGhost Marker ID: gm_\d+\n"
        r"File: src/services/auth\.ts:5\nTag: TODO\n\n"
        r"The comment has been anchored to the method 'validatePassword' "
        r"and will track code changes\.",
        shown,
    )
    assert whole["structuredContent"]["symbol"] == "AuthService.validatePassword"


async def test_editing_deleting_and_resolving_say_what_they_did(client: Client) -> None:
    comment_id = await add(client, 5, "one")
    shown, _ = await ask(client, "edit_comment", filePath=FILE, commentId=comment_id, text="two")
    assert re.fullmatch(
        rf"✅ Comment edited successfully\n\nComment ID: {comment_id}\nFile: {FILE}\n"
        rf"Updated: {TIME}",
        shown,
    )
    for status, done in (
        ("resolved", "resolved"),
        ("wontfix", "marked wontfix"),
        ("open", "reopened"),
    ):
        about = {"filePath": FILE, "commentId": comment_id, "status": status}
        shown, _ = await ask(client, "resolve_comment", **about)
        assert shown.startswith(f"✅ Comment {done}\n\nComment ID: {comment_id}\n")
    shown, _ = await ask(client, "delete_comment", filePath=FILE, commentId=comment_id)
    assert shown == f"✅ Comment deleted\n\nComment ID: {comment_id}\nFile: {FILE}"


async def test_a_search_lists_the_newest_first(client: Client) -> None:
    await add(
        client, 5, "TODO: rate limiting", author="claude", aiMeta={"model": "m", "confidence": 0.95}
    )
    await add(client, 9, "Rate limiter", "FIXME", author="gpt-4")
    shown, _ = await ask(client, "search_comments", query="rate limit")
    assert re.fullmatch(
        r"Found 2 matching comments:\n\n"
        rf'1\. 📝 {FILE}:9 \(FIXME\)\n   "Rate limiter"\n   Author: gpt-4 \| Created: {TIME}\n\n'
        rf'2\. 📝 {FILE}:5 \(TODO\)\n   "TODO: rate limiting"\n'
        rf"   Author: claude \| Created: {TIME}\n   AI: m \(confidence: 0\.95\)",
        shown,
    )
    filters = {"tag": "TODO", "hasAIMetadata": True}
    shown, whole = await ask(client, "search_comments", query="rate", filters=filters, limit=50)
    assert shown.startswith("Found 1 matching comment:")
    assert whole["structuredContent"]["totalResults"] == 1


async def test_the_comments_of_a_file_have_a_summary(client: Client) -> None:
    first = await add(client, 5, "Implement rate limiting", author="claude")
    second = await add(client, 9, "Timing attacks", "FIXME", author="claude")
    third = await add(client, 3, "All authentication logic", "NOTE", author="user")
    shown, whole = await ask(client, "get_file_comments", filePath=FILE)
    assert shown == (
        f"Comments for {FILE}\n\n"
        "📊 Summary:\n- Total comments: 3\n- TODO: 1\n- FIXME: 1\n- NOTE: 1\n- Orphaned: 0\n\n"
        "---\n\n"
        f'1. TODO (Line 5) - {first}\n   "Implement rate limiting"\n'
        "   Author: claude | Anchored to: validatePassword()\n\n"
        f'2. FIXME (Line 9) - {second}\n   "Timing attacks"\n'
        "   Author: claude | Anchored to: comparePasswords()\n\n"
        f'3. NOTE (Line 3) - {third}\n   "All authentication logic"\n'
        "   Author: user | Anchored to: AuthService class"
    )
    assert whole["structuredContent"]["commentCount"] == 3


async def test_moving_a_comment_reports_both_places(client: Client, workspace: Path) -> None:
    target = workspace / "src/services/security/auth.ts"
    target.parent.mkdir()
    target.write_text((workspace / FILE).read_text(encoding="utf-8"), encoding="utf-8")
    comment_id = await add(client, 5, "one")
    shown, _ = await ask(
        client,
        "move_comment",
        sourceFile=FILE,
        targetFile="src/services/security/auth.ts",
        commentId=comment_id,
        targetLine=6,
    )
    assert shown == (
        "✅ Comment moved successfully\n\n"
        f"From: {FILE}:5\nTo: src/services/security/auth.ts:6\n\n"
        f"Comment ID: {comment_id}\nNew anchor: validatePassword() in AuthService"
    )


async def test_an_export_is_a_resource(client: Client) -> None:
    await add(client, 5, "Add rate limiting", author="claude")
    options = {"includeSourceContext": True, "contextLines": 1}
    result = await client.call_tool("export_comments", {"format": "jsonl", "options": options})
    whole = result.model_dump(by_alias=True)
    [content] = whole["content"]
    assert content["type"] == "resource"
    assert str(content["resource"]["uri"]) == "export://training-data.jsonl"
    assert content["resource"]["mimeType"] == "application/x-ndjson"
    assert content["resource"]["text"].startswith('{"prompt":"Analyze this code:\\n  validate')
    assert whole["structuredContent"] == {
        "format": "jsonl",
        "totalComments": 1,
        "sizeBytes": len(content["resource"]["text"]),
        "uri": "export://training-data.jsonl",
    }


@pytest.mark.parametrize("version", ["2024-11-05", "2025-11-25"])
async def test_metadata_is_beside_the_content(old_wire: Wire, version: str) -> None:
    await old_wire.handshake(version)
    await old_wire.call("add_comment", filePath=FILE, line=5, text="rate", tag="TODO")
    filters = {"tag": "TODO"}
    found = await old_wire.call("search_comments", query="rate", filters=filters)
    assert found["result"]["metadata"] == {"totalResults": 1, "query": "rate", "filters": filters}
    listed = await old_wire.call("get_file_comments", filePath=FILE)
    assert listed["result"]["metadata"] == {
        "filePath": FILE,
        "commentCount": 1,
        "orphanedCount": 0,
    }
    exported = await old_wire.call("export_comments", format="markdown")
    [content] = exported["result"]["content"]
    assert exported["result"]["metadata"] == {
        "format": "markdown",
        "totalComments": 1,
        "sizeBytes": len(content["resource"]["text"]),
    }
