"""The same failure in every form that a client may expect."""

from pathlib import Path

import pytest

from everything.serving import kernel_for
from wire import Wire, request

NEWER = ("2025-03-26", "2025-06-18", "2025-11-25")


async def test_a_numbered_error_is_json_rpc_for_clients_of_2024(wire: Wire) -> None:
    await wire.handshake("2024-11-05")
    error = (await wire.call("fail_known", path="x.ts"))["error"]
    assert error == {
        "code": -32001,
        "message": "File not found: x.ts",
        "data": {
            "kind": "file_missing",
            "suggestion": "Check that the file exists.",
            "filePath": "x.ts",
        },
    }


async def test_a_numbered_error_is_json_rpc_without_a_handshake(wire: Wire) -> None:
    assert (await wire.call("fail_known"))["error"]["code"] == -32001


@pytest.mark.parametrize("version", NEWER)
async def test_a_numbered_error_is_a_failed_result_for_newer_clients(
    wire: Wire, version: str
) -> None:
    await wire.handshake(version)
    result = (await wire.call("fail_known", path="x.ts"))["result"]
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert result["_meta"]["benchpin/error"] == {
        "code": -32001,
        "kind": "file_missing",
        "suggestion": "Check that the file exists.",
        "data": {"filePath": "x.ts"},
    }
    text = result["content"][0]["text"]
    for part in ("File not found: x.ts", "Check that the file exists.", "file_missing", "-32001"):
        assert part in text


@pytest.mark.parametrize(("version", "is_result"), [("2024-11-05", False), ("2025-11-25", True)])
async def test_wrong_arguments_follow_the_same_rule(
    wire: Wire, version: str, *, is_result: bool
) -> None:
    await wire.handshake(version)
    answer = await wire.call("echo", txt=5)
    if is_result:
        assert answer["result"]["_meta"]["benchpin/error"]["kind"] == "invalid_params"
    else:
        assert answer["error"]["code"] == -32602


async def test_an_unknown_tool_is_a_protocol_error_with_the_nearest_names(wire: Wire) -> None:
    await wire.handshake()
    error = (await wire.call("eco"))["error"]
    assert error["code"] == -32602
    assert "echo" in error["data"]["nearest"]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-11-25"])
async def test_a_defect_says_nothing_of_its_inside(wire: Wire, version: str) -> None:
    await wire.handshake(version)
    answer = await wire.call("fail_oddly")
    assert "secret detail" not in str(answer)
    assert answer["result"]["_meta"]["benchpin/error"]["kind"] == "internal_error"


async def test_a_direct_method_answers_with_the_toolsets_number(wire: Wire) -> None:
    assert (await wire.ask(request("fail_known")))["error"]["code"] == -32001


async def test_a_direct_method_names_every_wrong_argument(wire: Wire) -> None:
    error = (await wire.ask(request("echo", a=1, b=2)))["error"]
    assert error["code"] == -32602
    assert {problem["path"] for problem in error["data"]["problems"]} == {"text", "a", "b"}


async def test_wrong_params_of_a_standard_method_are_named(wire: Wire) -> None:
    error = (await wire.ask(request("tools/call", arguments={})))["error"]
    assert error["code"] == -32602
    assert "name" in error["message"]


@pytest.mark.parametrize(
    "message",
    [
        b"[]",
        b"5",
        b"null",
        b'{"jsonrpc":"2.0","id":1}',
        b'{"jsonrpc":"2.0","id":1,"method":"tols/list"}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"zzz"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":"zzz"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"resources/templates/list","params":{"cursor":"zzz"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://y"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"resources/write","params":{"uri":"x"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}',
    ],
)
async def test_every_error_has_a_kind_and_says_what_to_do(wire: Wire, message: bytes) -> None:
    data = (await wire.ask(message))["error"]["data"]
    assert data["kind"] != "internal_error"
    assert data["suggestion"]


async def test_a_mistyped_method_is_answered_with_the_nearest(wire: Wire) -> None:
    error = (await wire.ask(request("get_statuss")))["error"]
    assert error["code"] == -32601
    assert "get_status" in error["data"]["suggestion"]


async def test_the_server_itself_uses_no_code_of_a_toolset_but_that_of_the_rate(
    workspace: Path,
) -> None:
    wire = Wire(kernel_for(workspace, allow=[]))
    reserved = set(range(-32007, -31999))
    asked = [
        request("append_line", path="x", line="y"),
        request("fail_oddly"),
        request("echo", txt=1),
        request("no_such_method"),
        request("prompts/get", name="gone"),
        request("resources/write", uri="test://static-text", contents=[]),
        request("completion/complete", ref={"type": "ref/prompt", "name": "x"}, argument={}),
        request("tools/list", cursor="no cursor"),
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
    ]
    codes = [(await wire.ask({**it, "id": at}))["error"]["code"] for at, it in enumerate(asked)]
    assert not reserved & set(codes), codes
    await wire.close()


async def test_a_missing_resource_has_the_code_of_the_standard(wire: Wire) -> None:
    for uri in ("result://0000000000000000", "nothing://here"):
        for method in ("resources/read", "resources/subscribe"):
            error = (await wire.ask(request(method, uri=uri)))["error"]
            assert (error["code"], error["data"]["kind"]) == (-32002, "resource_not_found")


async def test_messages_of_standard_codes_start_with_their_name(wire: Wire) -> None:
    names = {-32602: "Invalid params", -32603: "Internal error", -32601: "Method not found"}
    for message in (request("echo", txt=1), request("fail_oddly"), request("no_such_method")):
        error = (await wire.ask(message))["error"]
        assert error["message"].startswith(names[error["code"]])
