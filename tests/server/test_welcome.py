"""The answers before the SDK is imported are those of the kernel, and nothing heavy is imported."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from benchpin.app import Workbench
from benchpin.server import Kernel, instructions, tool_definitions
from benchpin.server.jsonrpc import Request, decode
from benchpin.server.pipes._welcome import HANDSHAKE_VERSIONS, STATELESS_VERSION, Welcome
from wire import session_of

INFO = {"name": "test", "version": "1"}
META = "io.modelcontextprotocol/"
ENVELOPE = {
    f"{META}protocolVersion": STATELESS_VERSION,
    f"{META}clientInfo": INFO,
    f"{META}clientCapabilities": {"sampling": {}},
}


def line(method: str, params: object = None, request_id: object = 1) -> bytes:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return json.dumps(message if params is None else {**message, "params": params}).encode()


def hello(version: str = HANDSHAKE_VERSIONS[-1], **more: object) -> bytes:
    known = {"protocolVersion": version, "capabilities": {"roots": {"listChanged": True}}}
    return line("initialize", {**known, "clientInfo": INFO, **more})


INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


async def from_kernel(workbench: Workbench, *lines: bytes) -> list[Any]:
    answers: list[Any] = []

    async def keep(answer: bytes) -> None:
        answers.append(json.loads(answer))

    session = session_of(Kernel(workbench), keep)
    for raw in lines:
        await session.receive(raw)
        # One after another, because answers may come in any order.
        await session._drain(None, None)
    await session.finish()
    return answers


def from_welcome(workbench: Workbench, *lines: bytes) -> list[Any]:
    welcome = Welcome(workbench)
    answers = [welcome.answer(decode(raw)) for raw in lines]
    assert None not in answers
    return [json.loads(answer) for answer in answers if answer]


def test_the_versions_are_those_of_the_sdk() -> None:
    assert HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert (STATELESS_VERSION,) == MODERN_PROTOCOL_VERSIONS


@pytest.mark.parametrize("schemas", ["thin", "full"])
@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "1999-01-01"])
async def test_a_handshake_is_answered_as_the_kernel_does(
    tmp_path: Path, version: str, schemas: str
) -> None:
    bench = Workbench.open(tmp_path, schemas=schemas, allow=["write"])
    lines = (hello(version), INITIALIZED, line("tools/list", None, "two"), line("ping", None, 3))
    assert from_welcome(bench, *lines) == await from_kernel(bench, *lines)


async def test_a_stateless_client_is_answered_as_the_kernel_does(tmp_path: Path) -> None:
    bench = Workbench.open(tmp_path)
    params = {"_meta": ENVELOPE}
    lines = (line("server/discover", params, 1), line("tools/list", params, 2))
    assert from_welcome(bench, *lines) == await from_kernel(bench, *lines)


@pytest.mark.parametrize(
    "raw",
    [
        line("ping"),
        line("tools/list"),
        line("tools/list", {"cursor": "x"}),
        hello(capabilities={"roots": {"listChanged": "yes"}}),
        hello(clientInfo={"name": "x"}),
        hello(clientInfo={**INFO, "icons": [{"src": 1}]}),
        hello(protocolVersion=7),
        hello(_meta={}),
        line("initialize"),
        line("server/discover", {"_meta": {**ENVELOPE, f"{META}protocolVersion": "2030-01-01"}}),
        line("tools/call", {"name": "get_status", "arguments": {}}),
        b"[]",
        b"{",
        INITIALIZED,
    ],
)
def test_everything_else_is_left_to_the_kernel(tmp_path: Path, raw: bytes) -> None:
    assert Welcome(Workbench.open(tmp_path)).answer(decode(raw)) is None


def test_a_second_handshake_is_left_to_the_kernel(tmp_path: Path) -> None:
    welcome = Welcome(Workbench.open(tmp_path))
    assert welcome.answer(decode(hello()))
    assert welcome.answer(decode(hello())) is None
    assert [it.method for it in welcome.heard if isinstance(it, Request)] == ["initialize"]


def test_a_client_that_only_lists_is_left_to_the_kernel_in_the_end(tmp_path: Path) -> None:
    welcome = Welcome(Workbench.open(tmp_path))
    assert welcome.answer(decode(hello()))
    answers = [welcome.answer(decode(line("tools/list", None, at))) for at in range(30)]
    assert answers[-1] is None
    assert len(welcome.heard) < len(answers)


IMPORTED = """
import asyncio, sys
from benchpin.app import Workbench
from benchpin.server.jsonrpc import decode
from benchpin.server.pipes import serve_stdio
from benchpin.server.pipes._welcome import Welcome
welcome = Welcome(Workbench.open(sys.argv[1]))
assert all(welcome.answer(decode(it)) for it in sys.argv[2:])
print(*sys.modules)
"""


@pytest.mark.slow
def test_the_first_answers_need_neither_the_sdk_nor_an_engine(tmp_path: Path) -> None:
    lines = (hello().decode(), line("tools/list").decode())
    code = [sys.executable, "-c", IMPORTED, str(tmp_path), *lines]
    done = subprocess.run(code, capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert not {"mcp", "mcp_types", "anyio", "starlette", "click"} & imported
    assert not {it for it in imported if it.endswith(".resources") and "benchpin" in it}


@pytest.mark.slow
def test_a_server_remembers_for_the_next_start_that_a_sandbox_works(tmp_path: Path) -> None:
    lines = b"\n".join((hello(), line("tools/list"), b""))
    environment = {**os.environ, "BENCHPIN_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "benchpin", "serve", "--root", str(tmp_path)]
    done = subprocess.run(command, input=lines, capture_output=True, check=True, env=environment)
    is_listed = b'"run_script"' in done.stdout
    assert (tmp_path / "cache" / "sandbox-works").exists() == is_listed


@pytest.mark.parametrize("profile", ["full", "lean"])
def test_the_instructions_are_short_and_begin_with_what_to_do_first(
    tmp_path: Path, profile: str
) -> None:
    said = instructions(Workbench.open(tmp_path, profile=profile), "")
    assert len(said) <= 1200
    assert said.startswith("For a question about the code call explore; before you finish a change")
    assert "In a repository that you do not know, call analyze_repository first." in said
    assert ("find_tools" in said) is (profile == "lean")


# As they are sent; the last one is a stranger.
CODING_HOSTS = [
    "claude-code",
    "codex-mcp-client",
    "Codex",
    "cursor-vscode",
    "gemini-cli-mcp-client",
    "gemini-cli-mcp-client-benchpin",
    "github-copilot-developer",
    "Visual Studio Code",
    "Visual-Studio-Code",
    "Visual Studio Code - Insiders",
    "JetBrains-IU-copilot-intellij",
    "windsurf-client",
    "opencode",
    "Zed",
    "Cline",
    "Roo-Code",
    "claude-code (via mcp-remote 0.1.37)",
]
OTHER_HOSTS = ["claude-ai", "ChatGPT", "inspector-client", "mcp", "", "zedge", "my-claude-code"]


@pytest.mark.parametrize("host", CODING_HOSTS)
async def test_a_host_with_file_tools_is_shown_the_lean_list_in_either_era(
    tmp_path: Path, host: str
) -> None:
    workbench = Workbench.open(tmp_path)
    info = {"name": host, "version": "1"}
    handshake = (hello(clientInfo=info), INITIALIZED, line("tools/list"))
    envelope = {"_meta": {**ENVELOPE, f"{META}clientInfo": info}}
    stateless = (line("server/discover", envelope), line("tools/list", envelope))
    for lines in (handshake, stateless):
        welcomed = from_welcome(workbench, *lines)
        assert welcomed == await from_kernel(workbench, *lines)
        said, listed = (it["result"] for it in welcomed)
        names = {it["name"] for it in listed["tools"]}
        assert {"explore", "find_references", "find_tools", "call_tool"} <= names
        assert not {"read_file", "list_directory", "search_files", "outline_file"} & names
        assert "find_tools" in said["instructions"]


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_other_hosts_are_shown_every_tool(tmp_path: Path, host: str) -> None:
    listed = {it["name"] for it in tool_definitions(Workbench.open(tmp_path), host)}
    assert {"read_file", "list_directory", "outline_file"} <= listed
    assert "call_tool" not in listed


def test_what_the_operator_named_is_listed_in_any_host(tmp_path: Path) -> None:
    chosen = Workbench.open(tmp_path, toolsets=["workspace"])
    assert "read_file" in {it["name"] for it in tool_definitions(chosen, "claude-code")}
    every = Workbench.open(tmp_path, profile="full")
    assert "read_file" in {it["name"] for it in tool_definitions(every, "claude-code")}


async def test_a_tool_that_a_host_is_not_shown_can_be_called_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("here", encoding="utf-8")
    call = line("tools/call", {"name": "read_file", "arguments": {"path": "a.txt"}}, 2)
    first = hello(clientInfo={"name": "claude-code", "version": "1"})
    answers = await from_kernel(Workbench.open(tmp_path), first, INITIALIZED, call)
    assert "here" in json.dumps(answers[-1])


def test_hosts_that_hide_tools_are_told_which_to_show(tmp_path: Path) -> None:
    listed = tool_definitions(Workbench.open(tmp_path), "")
    shown = {it["name"] for it in listed if it.get("_meta") == {"anthropic/alwaysLoad": True}}
    assert shown == {"explore", "find_references", "find_tests", "review_change", "trace_calls"}


def test_the_instructions_name_no_tool_that_is_not_listed(tmp_path: Path) -> None:
    said = instructions(Workbench.open(tmp_path, toolsets=["templates"]), "claude-code")
    assert "analyze" not in said
    assert "templates: " in said
