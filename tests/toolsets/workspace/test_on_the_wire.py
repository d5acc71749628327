"""The workspace through the protocol: what clients of both eras see of files and prompts."""

import asyncio
import hashlib
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_types import ResourceTemplateReference, TextResourceContents

from benchpin.app import Workbench, configure
from benchpin.server import Kernel
from benchpin.workspace.writing import _writing as writing
from waiting import WAIT_S, ever_longer
from wire import Wire, call, request


def kernel(root: Path) -> Kernel:
    return Kernel(Workbench(configure(root=root, allow=["write"])))


@pytest.fixture(autouse=True)
def files(workspace: Path) -> None:
    (workspace / "src").mkdir()
    (workspace / "src/main.py").write_text("print('Hello, World!')\n", encoding="utf-8")
    (workspace / "README.md").write_text("# Read me\n", encoding="utf-8")


@pytest.fixture(params=["legacy", "2026-07-28"])
async def client(request: pytest.FixtureRequest, workspace: Path) -> AsyncIterator[Client]:
    async with Client(kernel(workspace), mode=request.param) as connected:
        yield connected


@pytest.fixture
async def wire(workspace: Path) -> AsyncIterator[Wire]:
    connection = Wire(kernel(workspace))
    await connection.handshake()
    yield connection
    await connection.close()


async def test_files_are_listed_and_read(client: Client, workspace: Path) -> None:
    listed = {str(it.uri): it.mime_type for it in (await client.list_resources()).resources}
    assert listed[f"file://{workspace}/src/main.py"] == "text/x-python"
    assert listed[f"file://{workspace}/README.md"] == "text/markdown"
    for uri in ("file://src/main.py", f"file://{workspace}/src/main.py"):
        [content] = (await client.read_resource(uri)).contents
        assert isinstance(content, TextResourceContents)
        assert content.text == "print('Hello, World!')\n"
        assert content.uri == uri


async def test_paths_are_completed(client: Client) -> None:
    reference = ResourceTemplateReference(uri="file://{+path}")
    completed = await client.complete(reference, {"name": "path", "value": "src/"})
    assert completed.completion.values == ["src/main.py"]


async def test_a_resource_is_written_and_its_subscriber_hears(wire: Wire, workspace: Path) -> None:
    await wire.ask(request("resources/subscribe", uri="file://src/main.py"))
    for attempt in count():
        contents = [{"text": f"print({attempt})\n"}]
        message = request(
            "resources/write", attempt + 2, uri="file://src/main.py", contents=contents
        )
        await wire.send(message)
        heard = [await wire.receive()]
        while heard[-1].get("id") != attempt + 2:
            heard.append(await wire.receive())
        with suppress(TimeoutError):
            heard.append(await asyncio.wait_for(wire.answers.get(), 0.2))
        methods = {it.get("method") for it in heard}
        if "notifications/resources/updated" not in methods:
            continue
        assert (workspace / "src/main.py").read_text() == f"print({attempt})\n"
        return


@pytest.mark.parametrize("name", ["expected_sha256", "expectedSha256"])
async def test_a_resource_is_written_only_over_the_expected_content(
    wire: Wire, workspace: Path, name: str
) -> None:
    place = workspace / "src/main.py"
    seen = hashlib.sha256(place.read_bytes()).hexdigest()
    write = {"uri": "file://src/main.py", "contents": [{"text": "new"}], name: seen}
    assert (await wire.ask(request("resources/write", 1, **write)))["result"] == {}
    refused = await wire.ask(request("resources/write", 2, **write))
    assert refused["error"]["data"]["kind"] == "file_changed"
    wrong = await wire.ask(request("resources/write", 3, **{**write, name: "abc"}))
    assert wrong["error"]["code"] == -32602
    assert place.read_text() == "new"


@pytest.mark.parametrize(
    ("uri", "kind"),
    [
        ("file://.env", "access_denied"),
        ("file:///etc/passwd", "path_outside_workspace"),
        ("file://src/main.py?x", "invalid_params"),
        ("file://src", "invalid_path"),
        ("gopher://x", "resource_not_found"),
    ],
)
async def test_what_cannot_be_read_cannot_be_subscribed_to(wire: Wire, uri: str, kind: str) -> None:
    error = (await wire.ask(request("resources/subscribe", uri=uri)))["error"]
    assert error["data"]["kind"] == kind


async def test_a_subscriber_hears_of_a_file_that_comes(wire: Wire, workspace: Path) -> None:
    await wire.ask(request("resources/subscribe", uri="file://src/new.py"))
    for _ in count():
        (workspace / "src/new.py").write_text("x = 1\n", encoding="utf-8")
        try:
            heard = await asyncio.wait_for(wire.answers.get(), 0.2)
        except TimeoutError:
            (workspace / "src/new.py").unlink()
            continue
        if heard.get("method") == "notifications/resources/updated":
            assert heard["params"] == {"uri": "file://src/new.py"}
            return


async def test_a_listener_of_the_stateless_era_hears_of_a_change(workspace: Path) -> None:
    place = workspace / "src/main.py"
    async with (
        Client(kernel(workspace), mode="2026-07-28") as client,
        client.listen(resource_subscriptions=["file://src/main.py"]) as stream,
    ):
        hearing = asyncio.ensure_future(anext(aiter(stream)))
        for attempt in count():
            place.write_text(str(attempt), encoding="utf-8")
            await asyncio.wait({hearing}, timeout=0.2)
            if hearing.done():
                break
        event = await asyncio.wait_for(hearing, WAIT_S)
    assert getattr(event, "uri", None) == "file://src/main.py"


async def test_prompts_have_categories_and_both_forms_of_content(wire: Wire) -> None:
    listed = await wire.ask(request("prompts/list", category="agent"))
    names = {prompt["name"]: prompt["category"] for prompt in listed["result"]["prompts"]}
    assert names["workspace_assistant"] == "agent"
    arguments = {"task": "Write a function", "context": "{{task}} again"}
    got = await wire.ask(request("prompts/get", 2, name="workspace_assistant", arguments=arguments))
    result = got["result"]
    assert "Your task: Write a function\n" in result["content"]
    assert "{{task}} again" in result["content"]
    assert "Your task: {{task}}\n" in result["raw_content"]
    assert result["messages"][0]["content"]["text"] == result["content"]


async def test_the_assistant_of_the_document_is_shipped(wire: Wire) -> None:
    listed = (await wire.ask(request("prompts/list", category="agent")))["result"]["prompts"]
    alice = next(prompt for prompt in listed if prompt["name"] == "alice_assistant")
    assert alice["description"].startswith("You are Alice")
    assert [(it["name"], it["required"]) for it in alice["arguments"]] == [
        ("task", True),
        ("context", False),
    ]
    arguments = {"task": "Write a Python function", "context": "It calculates fibonacci numbers"}
    got = await wire.ask(request("prompts/get", 2, name="alice_assistant", arguments=arguments))
    result = got["result"]
    assert result["content"].startswith("# Alice - AI Assistant\n\nYou are Alice")
    task = "Your task is: {}\nContext: {}"
    assert task.format(*arguments.values()) in result["content"]
    assert task.format("{{task}}", "{{context}}") in result["raw_content"]


async def test_a_missing_argument_of_a_prompt_is_named(wire: Wire) -> None:
    refused = await wire.ask(request("prompts/get", name="workspace_assistant", arguments={}))
    assert "task is required" in refused["error"]["message"]


async def test_writing_a_resource_does_not_overtake_an_earlier_change(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edit is kept from its lock until the write has been sent."""
    is_sent = threading.Event()
    replace = writing.edit_atomically

    def edit_later(*arguments: Any, **named: Any) -> object:
        assert is_sent.wait(WAIT_S)
        return replace(*arguments, **named)

    monkeypatch.setattr("benchpin.toolsets.workspace.edit_file.edit_atomically", edit_later)
    wire = Wire(kernel(workspace))
    await wire.handshake()
    edits = [{"old_text": "# Read me", "new_text": "edited"}]
    await wire.send(call("edit_file", 1, path="README.md", edits=edits))
    await wire.send(
        request("resources/write", 2, uri="file://README.md", contents=[{"text": "written"}])
    )
    await wire.send(call("read_file", 3, path="README.md"))
    assert (await wire.receive())["id"] == 3  # what only reads may overtake
    is_sent.set()
    answers = [await wire.receive() for _ in range(2)]
    assert [(answer["id"], "result" in answer) for answer in answers] == [(1, True), (2, True)]
    assert (workspace / "README.md").read_text(encoding="utf-8") == "written"
    await wire.close()


@asynccontextmanager
async def running_for(workspace: Path, limit_s: float) -> AsyncIterator[Wire]:
    """Give a connection that may run programs, each for some seconds."""
    settings = configure(root=workspace, allow=["execute"], unconfined=True, tool_timeout=limit_s)
    connection = Wire(Kernel(Workbench(settings)))
    await connection.handshake()
    yield connection
    await connection.close()


@pytest.fixture
async def running(workspace: Path) -> AsyncIterator[Wire]:
    """Give a connection that may run programs, each for a minute."""
    async with running_for(workspace, 60) as connection:
        yield connection


@pytest.mark.slow
async def test_a_program_can_see_who_runs_it(running: Wire) -> None:
    command = "echo $BENCHPIN_AGENT_ID $BENCHPIN_FROM_AGENT $BENCHPIN_SESSION_ID"
    answer = await running.call("execute_command", command=command)
    said = answer["result"]["structuredContent"]["stdout"]
    assert said == f"mcp_client mcp {running.session._peer.id}\n"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("execute_command", {"command": "touch made"}),
        ("python_executor", {"code": "open('made')"}),
    ],
)
async def test_a_timeout_above_the_limit_of_the_server_is_refused_before_anything_runs(
    running: Wire, workspace: Path, tool: str, arguments: dict[str, str]
) -> None:
    answer = await running.call(tool, timeout=61, **arguments)
    assert answer["result"]["isError"] is True
    details = answer["result"]["_meta"]["benchpin/error"]
    assert details["kind"] == "invalid_params"
    assert details["data"]["limit_s"] == 60
    assert f"tool_timeouts.{tool}" in details["suggestion"]
    assert not (workspace / "made").exists()


@pytest.mark.slow
async def test_a_timeout_at_the_limit_of_the_server_is_taken(running: Wire) -> None:
    answer = await running.call("execute_command", command="echo fine", timeout=60)
    assert answer["result"]["structuredContent"]["stdout"] == "fine\n"


@pytest.mark.slow
async def test_waiting_for_earlier_commands_takes_nothing_from_the_time_of_a_command(
    workspace: Path,
) -> None:
    for limit_s in ever_longer(2):
        commands = (f"sleep {0.65 * limit_s}", f"sleep {0.65 * limit_s}", "echo three")
        async with running_for(workspace, limit_s) as wire:
            for number, command in enumerate(commands):
                await wire.send(call("execute_command", number, command=command))
            answers = [await wire.receive() for _ in commands]
        results = [answer["result"]["structuredContent"] for answer in answers]
        assert [answer["id"] for answer in answers] == [0, 1, 2]
        if not any(it["timed_out"] for it in results):
            break
    assert [it["exit_code"] for it in results] == [0, 0, 0]
    assert results[2]["stdout"] == "three\n"
