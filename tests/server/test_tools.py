"""Tools through a real client, in both protocol eras."""

import os
import threading
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp_types import CallToolRequestParams, TextContent
from mcp_types.methods import serialize_server_result, validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from benchpin.app import Workbench
from benchpin.core.calls._job import BRIEF_BYTES
from benchpin.core.tools import Effect
from benchpin.server import Kernel
from benchpin.server._tools import is_plain_call
from benchpin.workspace.files import read_whole
from everything.serving import kernel_for
from kept_workers import end_spare_workers
from waiting import WAIT_S, ever_longer
from wire import Wire, call, request


def text_of(content: list[object]) -> str:
    [first, *_] = content
    assert isinstance(first, TextContent)
    return first.text


async def test_the_full_list_has_all_four_hints_and_both_schemas(workspace: Path) -> None:
    kernel = kernel_for(workspace, schemas="full")
    async with Client(kernel) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for tool in tools.values():
        assert tool.annotations is not None
        hints = tool.annotations
        assert None not in {
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        }
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema or {})
    read = tools["echo"].annotations
    write = tools["append_line"].annotations
    assert read is not None
    assert write is not None
    assert read.read_only_hint is True
    assert write.destructive_hint is True


async def test_the_list_has_no_titles_no_output_schemas_and_hints_only_where_they_differ(
    client: Client,
) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools.values()]
    keys = {"name", "description", "inputSchema", "annotations"}
    assert all(it.keys() <= keys for it in listed)
    for tool in tools.values():
        Draft202012Validator.check_schema(tool.input_schema)
    hints = {name: tool.annotations for name, tool in tools.items()}
    shown = {name: it and it.model_dump(exclude_none=True) for name, it in hints.items()}
    assert shown["echo"] == {"read_only_hint": True, "open_world_hint": False}
    assert shown["append_line"] == {"open_world_hint": False}


async def test_the_list_is_the_same_every_time(client: Client) -> None:
    first = await client.list_tools()
    again = await client.list_tools()
    assert first.tools == again.tools


async def test_a_call_returns_text_and_structure(client: Client) -> None:
    result = await client.call_tool("echo", {"text": "hi"})
    assert text_of(list(result.content)) == "hi"
    assert result.structured_content == {"text": "hi"}
    assert not result.is_error


async def test_a_plain_function_runs_off_the_loop(client: Client) -> None:
    result = await client.call_tool("sleep_for", {"seconds": 0})
    assert result.structured_content == {"seconds": 0.0}


async def test_progress_is_reported_with_totals(client: Client) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    arguments = {"items": 30, "pause_s": 0.02}
    await client.call_tool("count_slowly", arguments, progress_callback=note)
    assert seen[-1] == (30.0, 30.0, "items")
    assert [step[0] for step in seen] == sorted({step[0] for step in seen})
    assert len(seen) > 2


async def test_time_runs_out_with_what_there_is(workspace: Path) -> None:
    for limit_s in ever_longer(0.2):
        kernel = kernel_for(workspace, tool_timeouts={"count_slowly": limit_s})
        async with Client(kernel) as client:
            result = await client.call_tool("count_slowly", {"items": 1000, "pause_s": 0.01})
        assert result.structured_content is not None
        counted = result.structured_content["counted"]
        if counted:
            break
    assert result.structured_content["partial"] is True
    assert 0 < counted < 1000
    assert result.structured_content["missing"] == [f"{1000 - counted} of 1000 items"]


async def test_a_tool_that_never_looks_at_the_clock_is_given_up(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchpin.server._scheduler._GRACE_S", 0.05)
    async with Client(kernel_for(workspace, tool_timeout=0.05)) as client:
        result = await client.call_tool("sleep_for", {"seconds": 5})
    assert result.is_error
    assert "time_limit_exceeded" in text_of(list(result.content))


@pytest.mark.slow
async def test_cancelling_ends_the_child_process(wire: Wire, workspace: Path) -> None:
    await wire.handshake()
    await wire.send(call("run_child", 7, pid_file="pid"))
    pid_file = workspace / "pid"
    child = psutil.Process(await _appears(pid_file, wire))
    await wire.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    )
    assert "result" in await wire.ask(call("echo", 8, text="x"))
    gone, alive = psutil.wait_procs([child], timeout=WAIT_S)
    assert (len(gone), alive) == (1, [])


async def _appears(pid_file: Path, wire: Wire) -> int:
    while True:
        await wire.call("echo", text="waiting")
        if pid_file.exists() and (text := pid_file.read_text(encoding="utf-8")):
            return int(text)


async def test_log_lines_reach_a_handshake_client_at_the_level_it_set(wire: Wire) -> None:
    await wire.handshake()
    await wire.send(call("count_slowly", 1, items=1))
    log = await wire.receive()
    assert log["method"] == "notifications/message"
    assert log["params"] == {"level": "info", "logger": "benchpin", "data": "counting begins"}
    assert (await wire.receive())["id"] == 1
    level = {"level": "error"}
    await wire.ask({"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": level})
    assert (await wire.ask(call("count_slowly", 3, items=1)))["id"] == 3


async def test_metadata_stands_beside_the_content(wire: Wire) -> None:
    answer = await wire.call("append_line", path="a.txt", line="x")
    assert answer["result"]["metadata"] == {"lines": 1}
    assert "benchpin/extras" not in str(answer)


async def test_a_tool_that_is_off_says_how_to_turn_it_on(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, allow=[]))
    await wire.handshake()
    result = (await wire.call("append_line", path="a", line="b"))["result"]
    assert result["isError"] is True
    assert "--allow write" in result["content"][0]["text"]
    await wire.close()


async def test_the_caller_cannot_choose_who_it_is(wire: Wire) -> None:
    answer = await wire.call("echo", text="x", _session_id="admin")
    assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("effect", list(Effect))
def test_every_effect_has_hints(effect: Effect) -> None:
    assert effect.hints.read_only is (effect is Effect.READ)


def test_no_test_left_a_process_behind() -> None:
    end_spare_workers()
    assert psutil.Process(os.getpid()).children() == []


@pytest.fixture
def ran_on(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the threads that files were read on."""
    threads: list[str] = []

    def note(*arguments: object) -> object:
        content = read_whole(*arguments)  # type: ignore[arg-type]  # handed on as they are
        threads.append(threading.current_thread().name)
        return content

    monkeypatch.setattr("benchpin.toolsets.workspace.read_file.read_whole", note)
    return threads


async def _read(workspace: Path, size: int) -> str:
    (workspace / "a.txt").write_text("x" * size, encoding="utf-8")
    wire = Wire(Kernel(Workbench.open(workspace)))
    await wire.handshake()
    answer = await wire.call("read_file", path="a.txt")
    await wire.close()
    return str(answer["result"]["structuredContent"]["content"])


@pytest.mark.parametrize("is_local", [True, False])
async def test_a_small_file_is_read_without_a_thread_on_a_local_disk(
    workspace: Path, ran_on: list[str], monkeypatch: pytest.MonkeyPatch, *, is_local: bool
) -> None:
    monkeypatch.setattr("benchpin.server._scheduler.is_local", lambda _root: is_local)
    assert await _read(workspace, 5) == "xxxxx"
    assert [name.startswith("tool") for name in ran_on] == [not is_local]


async def test_a_large_file_is_read_on_a_worker_thread(
    workspace: Path, ran_on: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchpin.server._scheduler.is_local", lambda _root: True)
    assert len(await _read(workspace, BRIEF_BYTES + 1)) == BRIEF_BYTES + 1
    assert [name.startswith("tool") for name in ran_on] == [True]


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS + MODERN_PROTOCOL_VERSIONS)
@pytest.mark.parametrize(
    "tool",
    [
        ("echo", {"text": "hi"}),
        ("make_big", {"rows": 3}),
        ("test_multiple_content_types", {}),
        ("test_audio_content", {}),
    ],
)
async def test_a_result_is_what_the_sdk_would_send_in_every_protocol_version(
    workspace: Path, version: str, tool: tuple[str, dict[str, object]]
) -> None:
    name, arguments = tool
    wire = Wire(kernel_for(workspace))
    message = call(name, 1, **arguments)
    if version in MODERN_PROTOCOL_VERSIONS:
        message["params"]["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    else:
        await wire.handshake(version)
    result = (await wire.ask(message))["result"]
    await wire.close()
    assert result == serialize_server_result("tools/call", version, result)
    assert ("resultType" in result) is (version in MODERN_PROTOCOL_VERSIONS)


async def test_a_request_is_logged_after_its_answer(
    wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="benchpin.requests")
    logged: list[int] = []
    write = wire.write

    async def note(message: bytes) -> None:
        logged.append(len(caplog.records))
        await write(message)

    wire.write = note
    await wire.ask(request("ping"))
    await wire.ask(request("ping", 2))
    assert logged == [0, 1]


@given(
    st.dictionaries(
        st.sampled_from(("name", "arguments", "task", "_meta")),
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.text(), max_size=2)
        )
        | st.dictionaries(st.text(), st.none() | st.text() | st.lists(st.integers())),
    )
)
@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_what_is_taken_for_a_plain_call_is_accepted_by_the_sdk(
    version: str, params: dict[str, object]
) -> None:
    assert is_plain_call({"name": "echo", "arguments": {"text": "hello"}})
    if is_plain_call(params):
        validate_client_request("tools/call", version, params)
        CallToolRequestParams.model_validate(params, by_name=False)
