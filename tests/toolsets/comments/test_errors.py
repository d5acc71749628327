"""Every code of the protocol, with its data."""

from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client

from comment_calls import FILE, sidecar
from wire import Wire, request

ADD: dict[str, Any] = {"filePath": FILE, "line": 5, "text": "x", "tag": "TODO"}


@pytest.fixture(autouse=True)
def files(workspace: Path) -> None:
    (workspace / "broken.py").write_text("def f(:\n    pass\n", encoding="utf-8")
    (workspace / "plain.txt").write_text("words\n", encoding="utf-8")
    (workspace / "image.bin").write_bytes(b"\0\1\2")
    (workspace / ".env").write_text("SECRET=1\n", encoding="utf-8")
    (workspace / "damaged.py").write_text("x = 1\n", encoding="utf-8")
    (workspace / "damaged.py.comments").write_text('{"comments": [', encoding="utf-8")


CASES = [
    ("add_comment", {**ADD, "filePath": "src/missing.ts"}, -32001, "File not found"),
    ("get_file_comments", {"filePath": "src/missing.ts"}, -32001, "File not found"),
    ("edit_comment", {"filePath": FILE, "commentId": "c_9", "text": "x"}, -32002, "Comment not"),
    ("delete_comment", {"filePath": FILE, "commentId": "c_9"}, -32002, "Comment not found"),
    ("resolve_comment", {"filePath": FILE, "commentId": "c_9"}, -32002, "Comment not found"),
    (
        "edit_comment",
        {"filePath": FILE, "commentId": "nine", "text": "x"},
        -32602,
        "'nine' is not",
    ),
    (
        "delete_comment",
        {"filePath": FILE, "commentId": "c_"},
        -32602,
        "'c_' is not a comment ID",
    ),
    (
        "resolve_comment",
        {"filePath": FILE, "commentId": "c_9a"},
        -32602,
        "'c_9a' is not a comment",
    ),
    ("add_comment", {**ADD, "replyTo": "9"}, -32602, "'9' is not a comment ID"),
    ("add_comment", {**ADD, "replyTo": "c_9"}, -32002, "Comment not found"),
    ("add_comment", {**ADD, "filePath": "../x.ts"}, -32003, "Invalid file path"),
    ("add_comment", {**ADD, "filePath": "src"}, -32003, "Invalid file path"),
    ("add_comment", {**ADD, "filePath": f"{FILE}.comments"}, -32003, "Invalid file path"),
    ("add_comment", {**ADD, "filePath": "image.bin"}, -32003, "Invalid file path"),
    ("add_comment", {**ADD, "filePath": ".env"}, -32004, "File access denied"),
    ("add_comment", {**ADD, "line": 999}, -32005, "Invalid line number"),
    ("add_comment", {**ADD, "line": 0}, -32005, "Invalid line number"),
    (
        "add_comment",
        {**ADD, "filePath": "broken.py", "line": 2, "anchor": "symbol"},
        -32006,
        "Failed to parse source code",
    ),
    (
        "add_comment",
        {**ADD, "filePath": "plain.txt", "line": 1, "anchor": "symbol"},
        -32006,
        "Failed to parse source code",
    ),
    ("add_comment", {**ADD, "line": 1, "anchor": "symbol"}, -32006, "Failed to parse source"),
    ("add_comment", {**ADD, "filePath": "damaged.py", "line": 1}, -32007, "Comment file corrupt"),
    ("get_file_comments", {"filePath": "damaged.py"}, -32007, "Comment file corrupted"),
]


@pytest.mark.parametrize(("tool", "arguments", "code", "message"), CASES)
async def test_an_old_client_gets_the_code(
    old_wire: Wire, tool: str, arguments: dict[str, object], code: int, message: str
) -> None:
    error = (await old_wire.call(tool, **arguments))["error"]
    assert error["code"] == code
    assert error["message"].removeprefix("Invalid params: ").startswith(message)
    assert error["data"]["filePath"] == arguments["filePath"]
    assert error["data"]["suggestion"]
    assert error["data"]["suggestion"] == error["data"]["suggestion"].strip()


@pytest.mark.parametrize(("tool", "arguments", "code", "message"), CASES[::6])
async def test_a_new_client_reads_the_code_in_the_result(
    client: Client, tool: str, arguments: dict[str, object], code: int, message: str
) -> None:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    shown = getattr(result.content[0], "text", "")
    assert message in shown
    assert f"code: {code}" in shown
    assert f'"filePath":"{arguments["filePath"]}"' in shown


async def test_the_data_of_the_protocol_is_there(old_wire: Wire, workspace: Path) -> None:
    async def data(tool: str, **arguments: object) -> dict[str, Any]:
        details: dict[str, Any] = (await old_wire.call(tool, **arguments))["error"]["data"]
        details.pop("kind")
        return details

    assert await data("add_comment", **{**ADD, "filePath": "src/missing.ts"}) == {
        "filePath": "src/missing.ts",
        "suggestion": "Check that the file exists in the workspace",
        "workspaceRoot": str(workspace),
    }
    assert await data("add_comment", **{**ADD, "line": 999}) == {
        "filePath": FILE,
        "line": 999,
        "fileLineCount": 12,
        "suggestion": "Line must be between 1 and 12",
    }
    assert await data("delete_comment", filePath=FILE, commentId="c_9999999") == {
        "filePath": FILE,
        "commentId": "c_9999999",
        "suggestion": "Use get_file_comments to list valid comment IDs",
    }
    broken = await data(
        "add_comment", **{**ADD, "filePath": "broken.py", "line": 2, "anchor": "symbol"}
    )
    assert broken["parseError"] == "Missing ')' at line 1"
    damaged = await data("add_comment", **{**ADD, "filePath": "damaged.py", "line": 1})
    assert damaged["commentFile"] == "damaged.py.comments"
    assert "not JSON" in damaged["parseError"]


async def test_a_file_that_does_not_parse_takes_comments(old_wire: Wire, workspace: Path) -> None:
    for path in ("broken.py", "plain.txt"):
        answer = await old_wire.call("add_comment", **{**ADD, "filePath": path, "line": 1})
        assert "anchored to" in answer["result"]["content"][0]["text"]
        assert sidecar(workspace, path).is_file()


async def test_arguments_that_do_not_fit_are_named(old_wire: Wire) -> None:
    error = (await old_wire.call("add_comment", filePath=FILE, line=5, text="", tag="LATER"))[
        "error"
    ]
    assert error["code"] == -32602
    assert {it["path"] for it in error["data"]["problems"]} == {"text", "tag"}


@pytest.mark.parametrize(
    ("file_path", "code", "message"),
    [
        ("src/missing.ts", -32001, "File not found"),
        ("../x.ts", -32003, "Invalid file path"),
        (".env", -32004, "File access denied"),
    ],
)
@pytest.mark.parametrize("prompt", ["review_code", "explain_complexity", "fix_orphans"])
async def test_prompts_have_the_codes_of_the_protocol(
    old_wire: Wire, prompt: str, file_path: str, code: int, message: str
) -> None:
    asked = request("prompts/get", name=prompt, arguments={"filePath": file_path})
    error = (await old_wire.ask(asked))["error"]
    assert (error["code"], error["message"]) == (code, message)
    assert error["data"]["filePath"] == file_path


async def test_the_unexpected_token_is_named(old_wire: Wire, workspace: Path) -> None:
    lines = ["function f() {", *["  call();"] * 39, "}", "}", "function g() {}"]
    (workspace / "broken.ts").write_text("\n".join(lines), encoding="utf-8")
    given = {**ADD, "filePath": "broken.ts", "line": 43, "anchor": "symbol"}
    error = (await old_wire.call("add_comment", **given))["error"]
    assert error["code"] == -32006
    assert error["message"] == "Failed to parse source code"
    assert error["data"]["parseError"] == "Unexpected token '}' at line 42"
