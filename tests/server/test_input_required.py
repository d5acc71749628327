"""What a tool asks back without a connection: `input_required`, and the same request again."""

from typing import Any

import pytest

from wire import ENVELOPE, HANDSHAKE, Wire, request

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
EVERYTHING: dict[str, object] = {"elicitation": {}, "sampling": {}, "roots": {}}
NAME = {"action": "accept", "content": {"name": "Ada"}}
ROUNDS = "test_input_required_result_multi_round"


async def ask(
    wire: Wire,
    name: str,
    capabilities: object = EVERYTHING,
    method: str = "tools/call",
    **more: Any,
) -> Any:
    meta = {**ENVELOPE, CAPABILITIES: capabilities}
    given: dict[str, Any] = {"arguments": {}} if method == "tools/call" else {}
    return await wire.ask(request(method, 1, name=name, **given, **more, _meta=meta))


async def test_a_call_ends_with_what_is_asked_and_goes_on_with_the_answers(wire: Wire) -> None:
    first = (await ask(wire, ROUNDS))["result"]
    assert first["resultType"] == "input_required"
    assert first["inputRequests"]["step1"]["method"] == "elicitation/create"
    second = (
        await ask(wire, ROUNDS, inputResponses={"step1": NAME}, requestState=first["requestState"])
    )["result"]
    assert list(second["inputRequests"]) == ["step2"]
    assert second["requestState"] != first["requestState"]
    blue = {"action": "accept", "content": {"color": "blue"}}
    last = (
        await ask(wire, ROUNDS, inputResponses={"step2": blue}, requestState=second["requestState"])
    )["result"]
    assert last["resultType"] == "complete"
    assert last["content"][0]["text"] == "{'name': 'Ada'} likes {'color': 'blue'}"


async def test_state_counts_only_as_it_was_sent_and_for_the_same_request(wire: Wire) -> None:
    state = (await ask(wire, ROUNDS))["result"]["requestState"]
    for name, changed in (
        (ROUNDS, state + "x"),
        (ROUNDS, state[1:]),
        (ROUNDS, ""),
        (ROUNDS, "é.x"),
        ("test_input_required_result_elicitation", state),
    ):
        answer = await ask(wire, name, inputResponses={"step1": NAME}, requestState=changed)
        assert answer["error"]["code"] == -32602, changed
        assert "requestState" in answer["error"]["message"]


async def test_answers_are_checked_and_what_was_not_asked_is_ignored(wire: Wire) -> None:
    name = "test_input_required_result_elicitation"
    wrongs: list[dict[str, object]] = [{"action": "maybe"}, {"content": {}}]
    for wrong in wrongs:
        answer = await ask(wire, name, inputResponses={"user_name": wrong})
        assert answer["error"]["code"] == -32602
    asked = (await ask(wire, name, inputResponses={"other": NAME}))["result"]
    assert list(asked["inputRequests"]) == ["user_name"]
    both = {"user_name": NAME, "other": NAME}
    assert (await ask(wire, name, inputResponses=both))["result"]["resultType"] == "complete"


async def test_only_what_the_client_declared_is_asked(wire: Wire) -> None:
    answer = await ask(wire, "test_missing_capability", {"roots": {}})
    assert answer["error"]["code"] == -32021
    assert answer["error"]["data"]["requiredCapabilities"] == {"sampling": {}}
    asked = await ask(wire, "test_input_required_result_capabilities", {"sampling": {}})
    assert list(asked["result"]["inputRequests"]) == ["capital"]


async def test_a_prompt_asks_as_a_tool_does(wire: Wire) -> None:
    name = "test_input_required_result_prompt"
    asked = (await ask(wire, name, method="prompts/get"))["result"]
    assert (asked["resultType"], list(asked["inputRequests"])) == (
        "input_required",
        ["user_context"],
    )
    given = {"action": "accept", "content": {"context": "shop"}}
    answer = await ask(wire, name, method="prompts/get", inputResponses={"user_context": given})
    assert "shop" in answer["result"]["messages"][0]["content"]["text"]


async def test_there_is_no_handshake_in_the_stateless_era(wire: Wire) -> None:
    params = {**HANDSHAKE["params"], "_meta": ENVELOPE}
    answer = await wire.ask({**HANDSHAKE, "params": params})
    assert answer["error"]["code"] == -32601
    listed = await wire.ask(request("tools/list", 2, _meta=ENVELOPE))
    assert listed["result"]["tools"]


@pytest.mark.parametrize("capabilities", [{"sampling": {}}, {}])
async def test_with_a_connection_the_client_is_asked_on_it(
    wire: Wire, capabilities: dict[str, object]
) -> None:
    params = {**HANDSHAKE["params"], "capabilities": capabilities}
    await wire.ask({**HANDSHAKE, "params": params})
    await wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    asked = await wire.ask(
        request("tools/call", 1, name="test_input_required_result_capabilities", arguments={})
    )
    if not capabilities:
        assert asked["result"]["content"][0]["text"] == "Answers: []"
        return
    assert asked["method"] == "sampling/createMessage"
    content = {"type": "text", "text": "Paris"}
    answer = {"role": "assistant", "content": content, "model": "m"}
    done = await wire.ask({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
    assert done["result"]["content"][0]["text"] == "Answers: ['capital']"
