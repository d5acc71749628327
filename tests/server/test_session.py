import asyncio
import json
from pathlib import Path

import pytest
from mcp.server.runner import ServerRunner

from benchpin.server import State
from benchpin.server.jsonrpc import INVALID_PARAMS, Request
from everything.serving import kernel_for
from waiting import WAIT_S, ever_longer
from wire import HANDSHAKE, Wire, call, request

CONTEXT = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


async def test_a_handshake_makes_the_connection_ready(wire: Wire) -> None:
    answer = await wire.handshake()
    assert answer["result"]["protocolVersion"] == "2025-11-25"
    assert answer["result"]["serverInfo"]["name"] == "benchpin"
    assert wire.session.state is State.READY


async def test_capabilities_say_what_is_true(wire: Wire) -> None:
    capabilities = (await wire.handshake())["result"]["capabilities"]
    assert capabilities == {
        "tools": {"listChanged": False},
        "prompts": {"listChanged": False},
        "resources": {"subscribe": True, "listChanged": True, "write": False},
        "logging": {},
        "completions": {},
        "extensions": {"io.modelcontextprotocol/skills": {}},
    }


@pytest.mark.parametrize("params", [{}, {"protocolVersion": "2024-11-05", "capabilities": {}}])
async def test_initialize_with_little_or_nothing_works_as_2024(
    wire: Wire, params: dict[str, object]
) -> None:
    answer = await wire.ask({**HANDSHAKE, "params": params})
    assert answer["result"]["protocolVersion"] == "2024-11-05"


async def test_an_unknown_version_is_answered_with_the_newest(wire: Wire) -> None:
    answer = await wire.handshake("1.0.0")
    assert answer["result"]["protocolVersion"] == "2025-11-25"


async def test_a_second_handshake_is_refused(wire: Wire) -> None:
    await wire.handshake()
    answer = await wire.ask({**HANDSHAKE, "id": 2})
    assert answer["error"]["code"] == -32600


async def test_a_failed_handshake_may_be_tried_again(wire: Wire) -> None:
    bad = await wire.ask({**HANDSHAKE, "params": {"capabilities": 5}})
    assert bad["error"]["code"] == -32602
    assert "result" in await wire.handshake()


async def test_a_single_line_without_a_handshake_is_served(wire: Wire) -> None:
    answer = await wire.call("echo", text="hi")
    assert answer["result"]["content"] == [{"type": "text", "text": "hi"}]
    assert wire.session.state is State.UNINITIALIZED


async def test_a_handshake_may_follow_single_lines(wire: Wire) -> None:
    await wire.call("echo", text="hi")
    assert (await wire.handshake())["result"]["protocolVersion"] == "2025-11-25"


async def test_a_tool_is_a_method_of_its_own_name(wire: Wire) -> None:
    assert (await wire.ask(request("echo", text="hi")))["result"] == {"text": "hi"}


async def test_tools_call_takes_an_alias(wire: Wire) -> None:
    answer = await wire.call("echo.say", text="hi")
    assert answer["result"]["structuredContent"] == {"text": "hi"}


async def test_an_unknown_method_is_refused_by_name(wire: Wire) -> None:
    answer = await wire.ask(request("no_such_method"))
    assert answer["error"]["code"] == -32601


async def test_ping_is_empty_with_no_params(wire: Wire) -> None:
    answer = await wire.ask({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert answer["result"] == {}


async def test_ping_with_empty_params_and_no_handshake_says_pong(wire: Wire) -> None:
    assert (await wire.ask(request("ping")))["result"] == {"pong": True}


async def test_ping_with_empty_params_from_a_newer_client_is_empty(wire: Wire) -> None:
    await wire.handshake()
    assert (await wire.ask(request("ping")))["result"] == {}


async def test_a_ping_before_the_handshake_does_not_replace_it(wire: Wire) -> None:
    await wire.ask(request("ping"))
    assert "result" in await wire.handshake()


async def test_stateless_requests_need_no_handshake(wire: Wire) -> None:
    answer = await wire.ask(
        request("tools/call", name="echo", arguments={"text": "x"}, _meta=CONTEXT)
    )
    assert answer["result"]["resultType"] == "complete"
    assert answer["result"]["structuredContent"] == {"text": "x"}


async def test_a_stateless_connection_takes_no_handshake(wire: Wire) -> None:
    await wire.ask(request("server/discover", _meta=CONTEXT))
    answer = await wire.ask({**HANDSHAKE, "id": 2})
    assert answer["error"]["code"] == -32022
    assert answer["error"]["data"]["supported"] == ["2026-07-28"]


async def test_a_handshake_connection_takes_no_stateless_request(wire: Wire) -> None:
    await wire.handshake()
    answer = await wire.ask(request("tools/list", _meta=CONTEXT))
    assert answer["error"]["code"] == -32600


async def test_discover_says_the_same_capabilities(wire: Wire) -> None:
    answer = await wire.ask(request("server/discover", _meta=CONTEXT))
    assert answer["result"]["capabilities"]["resources"]["subscribe"] is True
    assert answer["result"]["capabilities"]["tools"] == {"listChanged": False}


async def test_requests_are_answered_in_the_order_of_completion(wire: Wire) -> None:
    for seconds in ever_longer(0.2):
        await wire.send(call("sleep_async", 1, seconds=seconds))
        await wire.send(call("echo", 2, text="first"))
        answered = [(await wire.receive())["id"] for _ in range(2)]
        if answered == [2, 1]:
            return
    pytest.fail(f"answered in the order {answered}")


async def test_an_id_still_in_use_is_refused(wire: Wire) -> None:
    for seconds in ever_longer(0.2):
        await wire.send(call("sleep_async", 1, seconds=seconds))
        refused = await wire.call("echo", text="x")
        answered = await wire.receive()
        if "error" in refused:
            break
    assert refused["error"]["code"] == -32600
    assert "result" in answered


async def test_a_cancelled_request_is_never_answered(wire: Wire) -> None:
    await wire.handshake()
    await wire.send(call("sleep_async", 1, seconds=60))
    cancel = {"requestId": 1, "reason": "enough"}
    await wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
    assert (await wire.ask(call("echo", 2, text="on")))["id"] == 2
    assert wire.answers.empty()


async def test_cancelling_before_the_first_step_gives_the_slot_back(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"in_flight": 1}))
    for number in range(5):
        await wire.session.receive(json.dumps(call("sleep_async", number, seconds=60)))
        cancel = {"method": "notifications/cancelled", "params": {"requestId": number}}
        await wire.session.receive(json.dumps({"jsonrpc": "2.0", **cancel}))
    assert "result" in await wire.ask(call("echo", "next", text="x"))
    await wire.close()


@pytest.mark.parametrize("request_id", [99, "nope", None, {}, [1], True])
async def test_cancelling_what_does_not_exist_is_ignored(wire: Wire, request_id: object) -> None:
    cancel = {"requestId": request_id}
    await wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
    assert "result" in await wire.call("echo", text="still here")


async def test_calls_that_write_run_in_the_order_of_arrival(wire: Wire, workspace: Path) -> None:
    for number in range(20):
        pause = 0.02 if number % 2 == 0 else 0.0
        line = str(number)
        await wire.send(call("append_line", number, path="log.txt", line=line, pause_s=pause))
    answers = [await wire.receive() for _ in range(20)]
    assert {answer["id"] for answer in answers} == set(range(20))
    written = (workspace / "log.txt").read_text(encoding="utf-8").split()
    assert written == [str(number) for number in range(20)]


async def test_a_cancelled_write_does_not_let_the_next_one_overtake(
    wire: Wire, workspace: Path
) -> None:
    await wire.send(call("append_line", 1, path="log.txt", line="one", pause_s=0.2))
    await asyncio.sleep(0)
    await wire.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    )
    await wire.ask(call("append_line", 2, path="log.txt", line="two"))
    assert (workspace / "log.txt").read_text(encoding="utf-8").split() == ["one", "two"]


async def test_past_the_bound_reading_stops_until_a_slot_is_free(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"in_flight": 2}))
    await wire.send(call("sleep_async", 1, seconds=1))
    await wire.send(call("sleep_async", 2, seconds=1))
    third = asyncio.ensure_future(wire.send(call("echo", 3, text="x")))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not third.done()
    await third
    assert {(await wire.receive())["id"] for _ in range(3)} == {1, 2, 3}
    await wire.close()


@pytest.mark.parametrize("is_batch", [True, False])
async def test_requests_that_wait_for_a_slot_are_refused_when_the_session_ends(
    workspace: Path, *, is_batch: bool
) -> None:
    wire = Wire(kernel_for(workspace, limits={"in_flight": 1}))
    await wire.send(call("sleep_async", 1, seconds=600))
    calls = [call("append_line", number, path="log.txt", line="late") for number in (2, 3)]
    messages = [calls] if is_batch else calls
    waiting = [asyncio.ensure_future(wire.send(message)) for message in messages]
    await asyncio.sleep(0)
    await wire.session.finish(wait=False)
    await asyncio.gather(*waiting)
    answers = [await wire.receive() for _ in range(2 if is_batch else 3)]
    refused = answers[-1] if is_batch else answers[1:]
    assert [answer["error"]["data"]["kind"] for answer in refused] == ["shutting_down"] * 2
    assert not (workspace / "log.txt").exists()
    await wire.close()


async def test_past_the_rate_requests_are_refused_with_the_time_to_wait(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"burst": 3, "per_second": 0.001}))
    for _ in range(3):
        assert "result" in await wire.ask(request("ping"))
    refused = (await wire.ask(request("ping")))["error"]
    assert refused["code"] == -32003
    assert refused["data"]["retry_after_ms"] > 0
    assert refused["data"]["kind"] == "rate_limited"
    assert (await wire.ask(b"garbage"))["error"]["code"] == -32003
    await wire.close()


async def test_a_batch_is_answered_as_one(wire: Wire) -> None:
    batch = [
        call("sleep_async", 1, seconds=0.05),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request("no_such_method", 2),
        7,
    ]
    answers = await wire.ask(batch)
    by_id = {answer["id"]: answer for answer in answers}
    assert by_id[1]["result"]["structuredContent"] == {"seconds": 0.05}
    assert by_id[2]["error"]["code"] == -32601
    assert by_id[None]["error"]["code"] == -32600
    assert len(answers) == 3


async def test_a_batch_of_too_many_messages_gets_one_answer_and_one_line_in_the_log(
    wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING", logger="benchpin.requests"):
        answer = await wire.ask([1] * 100_000)
        await wire.ask(request("ping"))
    assert answer["error"]["code"] == -32600
    assert len(caplog.records) == 1


async def test_others_have_their_turns_while_a_batch_is_refused(wire: Wire) -> None:
    refused = asyncio.ensure_future(wire.send([1] * 1000))
    await asyncio.sleep(0)
    assert (await wire.ask(request("ping")))["result"]
    assert not refused.done()
    await refused
    assert len(await wire.receive()) == 1000


async def test_a_batch_of_notifications_is_not_answered(wire: Wire) -> None:
    await wire.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    assert (await wire.call("echo", text="next"))["id"] == 1


async def test_a_batch_whose_answers_are_too_big_is_cut(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"response_bytes": 4000}))
    answers = await wire.ask([call("echo", number, text="x" * 1500) for number in range(5)])
    kinds = [answer["error"]["data"]["kind"] for answer in answers if "error" in answer]
    assert len(answers) == 5
    assert kinds
    assert set(kinds) == {"batch_too_large"}
    await wire.close()


async def test_the_end_waits_for_what_is_in_flight(wire: Wire) -> None:
    for number in range(50):
        await wire.send(call("sleep_async", number, seconds=0.1))
    await wire.session.finish()
    assert wire.answers.qsize() == 50
    assert wire.session.state is State.CLOSED


async def test_the_end_does_not_wait_forever(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"shutdown_s": 0.05}))
    await wire.send(call("sleep_async", 1, seconds=600))
    await wire.session.finish()
    assert (await wire.receive())["error"]["data"]["kind"] == "shutting_down"
    await wire.close()


async def test_a_client_can_be_asked_back_and_its_answer_arrives(wire: Wire) -> None:
    await wire.handshake()
    asking = asyncio.ensure_future(wire.session._outbound.send_raw_request("roots/list", None))
    question = await wire.receive()
    await wire.send({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}})
    assert await asking == {"roots": []}


async def test_an_answer_that_nobody_waits_for_is_ignored(wire: Wire) -> None:
    await wire.send({"jsonrpc": "2.0", "id": "stranger", "result": {}})
    assert "result" in await wire.call("echo", text="fine")


class Taken:
    """A channel that keeps what it gets."""

    can_ask = True
    release = None

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    async def send(self, message: bytes) -> None:
        """Keep it."""
        self.messages.append(message)

    answer = send


async def test_a_request_can_be_served_in_the_task_of_the_caller(wire: Wire) -> None:
    await wire.handshake()
    channel = Taken()
    await wire.session.serve(
        Request(7, "tools/call", {"name": "echo", "arguments": {"text": "x"}}), channel
    )
    assert [json.loads(it)["id"] for it in channel.messages] == [7]


async def test_the_task_of_the_caller_goes_on_when_the_client_cancels(wire: Wire) -> None:
    await wire.handshake()
    channel = Taken()
    params: dict[str, object] = {"name": "count_slowly", "arguments": {"items": 1_000}}
    serving = asyncio.ensure_future(wire.session.serve(Request(7, "tools/call", params), channel))
    await asyncio.sleep(0)
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 7}}
    await wire.send({"jsonrpc": "2.0", **cancelled})
    await asyncio.wait_for(serving, WAIT_S)
    assert not any("id" in json.loads(it) for it in channel.messages)
    assert not serving.cancelled()


@pytest.mark.parametrize("version", ["2024-11-05", "2025-11-25", "2026-07-28"])
async def test_tools_are_called_without_the_runner_of_the_sdk(
    wire: Wire, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await wire.speak(version)
    monkeypatch.setattr(ServerRunner, "_on_request", None)
    answer = await wire.call("echo", text="hi")
    assert answer["result"]["content"][0]["text"] == "hi"


async def test_tools_are_not_called_after_a_handshake_that_failed(wire: Wire) -> None:
    refused = {**HANDSHAKE, "params": {"capabilities": 5}}
    assert "error" in await wire.ask(refused)
    answer = await wire.call("echo", text="hi")
    assert answer["error"]["code"] == INVALID_PARAMS
