"""Streamable HTTP and WebSocket on one port, from the same kernel."""

import asyncio
import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from benchpin.app import Settings
from benchpin.core.errors import ConfigError
from benchpin.server.network._guard import AccessRules
from benchpin.server.network._http_response import Accepted
from long_texts import Long, whole
from serving import network_server
from waiting import WAIT_S, ever_longer
from wire import call, request

pytestmark = pytest.mark.slow

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give one open server for the whole module."""
    with network_server(tmp_path_factory.mktemp("workspace")) as (host, _process):
        yield host


async def ask(socket: ClientConnection, message: object) -> Any:
    await socket.send(message if isinstance(message, str) else json.dumps(message))
    return json.loads(await asyncio.wait_for(socket.recv(), WAIT_S))


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_an_http_client_holds_a_session_in_each_era(address: str, mode: str) -> None:
    async with Client(f"http://{address}/mcp", mode=mode) as client:
        assert "echo" in {tool.name for tool in (await client.list_tools()).tools}
        result = await client.call_tool("echo", {"text": "hi"})
        assert result.structured_content == {"text": "hi"}


async def test_progress_reaches_an_http_client(address: str) -> None:
    seen: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert (total, message) == (20, "items")
        seen.append(progress)

    async with Client(f"http://{address}/mcp", mode="legacy") as client:
        arguments = {"items": 20, "pause_s": 0.02}
        await client.call_tool("count_slowly", arguments, progress_callback=note)
    assert seen[-1] == 20


async def test_a_websocket_client_is_served_with_and_without_a_handshake(address: str) -> None:
    async with connect(f"ws://{address}/mcp") as socket:
        single = await ask(socket, call("echo", text="hi"))
        assert single["result"]["structuredContent"] == {"text": "hi"}
        hello = await ask(socket, request("initialize", 2))
        assert hello["result"]["protocolVersion"] == "2024-11-05"


async def test_requests_on_one_websocket_run_side_by_side(address: str) -> None:
    async with connect(f"ws://{address}/mcp") as socket:
        for seconds in ever_longer(0.3):
            await socket.send(json.dumps(call("sleep_async", 1, seconds=seconds)))
            first = await ask(socket, call("echo", 2, text="x"))
            second = json.loads(await socket.recv())
            if first["id"] == 2:
                break
        assert (first["id"], second["id"]) == (2, 1)


async def test_websocket_sessions_do_not_see_one_another(address: str) -> None:
    async with connect(f"ws://{address}/mcp") as one, connect(f"ws://{address}/mcp") as two:
        await ask(one, request("initialize", 1))
        await one.send(json.dumps(call("sleep_async", 7, seconds=0.3)))
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        await two.send(json.dumps(cancel))
        assert "result" in await ask(two, request("initialize", 1))
        assert json.loads(await one.recv())["id"] == 7


@pytest.mark.parametrize(
    ("frame", "code"),
    [("{", -32700), ("[]", -32600), (Long("x", 2_000_000), -32600), ("[" * 100_000, -32700)],
)
async def test_a_bad_frame_is_answered_and_the_connection_lives(
    address: str, frame: str | Long[str], code: int
) -> None:
    async with connect(f"ws://{address}/mcp") as socket:
        assert (await ask(socket, whole(frame)))["error"]["code"] == code
        assert (await ask(socket, request("ping")))["result"] == {"pong": True}


async def test_a_frame_of_11_mb_ends_the_connection_and_not_the_server(address: str) -> None:
    async with connect(f"ws://{address}/mcp") as socket:
        with pytest.raises(ConnectionClosed):
            await ask(socket, "x" * 11_000_000)
    async with connect(f"ws://{address}/mcp") as socket:
        assert "result" in await ask(socket, request("ping"))


async def test_compressed_frames_are_not_offered(address: str) -> None:
    async with connect(f"ws://{address}/mcp") as socket:
        assert socket.protocol.extensions == []


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1.evil.example"},
    ],
)
async def test_a_foreign_origin_gets_403_before_the_upgrade(
    address: str, headers: dict[str, str]
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with connect(f"ws://{address}/mcp", additional_headers=headers):
            pass
    assert refused.value.response.status_code == 403


def http(address: str, head: list[str], body: str = "") -> str:
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=WAIT_S) as connection:
        connection.sendall("\r\n".join([*head, "connection: close", "", body]).encode())
        return connection.makefile("rb").readline().decode()


@pytest.mark.parametrize(
    "headers",
    [
        ["host: attacker.example"],
        ["host: 127.0.0.1.attacker.example"],
        ["host: 127.0.0.1", "origin: http://attacker.example"],
        ["x-nothing: 1"],
    ],
)
def test_http_with_a_foreign_host_or_origin_gets_403(address: str, headers: list[str]) -> None:
    version = "HTTP/1.0" if not any(line.startswith("host") for line in headers) else "HTTP/1.1"
    assert " 403 " in http(address, [f"POST /mcp {version}", *headers])


def test_a_body_over_the_limit_gets_413(address: str) -> None:
    head = [
        "POST /mcp HTTP/1.1",
        f"host: {address}",
        "content-type: application/json",
        "accept: application/json, text/event-stream",
        "content-length: 5000000",
    ]
    assert " 413 " in http(address, head)


@pytest.mark.parametrize(
    ("token", "status"), [(None, 401), ("Bearer wrong", 403), ("Basic czNjcjN0", 403)]
)
async def test_a_missing_or_wrong_token_is_refused(
    workspace: Path, token: str | None, status: int
) -> None:
    headers = {} if token is None else {"authorization": token}
    with network_server(workspace, auth_token="s3cr3t") as (address, _process):
        with pytest.raises(InvalidStatus) as refused:
            async with connect(f"ws://{address}/mcp", additional_headers=headers):
                pass
        assert refused.value.response.status_code == status
        lines = ["POST /mcp HTTP/1.1", f"host: {address}"]
        assert f" {status} " in http(address, [*lines, *(f"{k}: {v}" for k, v in headers.items())])


async def test_the_right_token_lets_in(workspace: Path) -> None:
    with network_server(workspace, auth_token="s3cr3t") as (address, _process):
        headers = {"authorization": "Bearer s3cr3t"}
        async with connect(f"ws://{address}/mcp", additional_headers=headers) as socket:
            assert "result" in await ask(socket, request("ping"))


async def test_one_connection_too_many_is_turned_away(workspace: Path) -> None:
    with network_server(workspace, limits={"connections": 2}) as (address, _process):
        async with connect(f"ws://{address}/mcp"), connect(f"ws://{address}/mcp"):
            with pytest.raises(InvalidStatus) as refused:
                async with connect(f"ws://{address}/mcp"):
                    pass
            assert refused.value.response.status_code == 503


async def test_http_requests_past_the_rate_are_refused(workspace: Path) -> None:
    limits = {"burst": 10, "per_second": 0.001}
    codes: list[int] = []
    with network_server(workspace, limits=limits) as (address, _process):
        async with Client(f"http://{address}/mcp", mode="legacy") as client:
            for _ in range(20):
                try:
                    await client.call_tool("echo", {"text": "x"})
                except MCPError as error:
                    codes.append(error.code)
    assert set(codes) == {-32003}
    assert 10 <= len(codes) < 20


async def test_each_stateless_client_has_a_rate_of_its_own(workspace: Path) -> None:
    limits = {"burst": 12, "per_second": 0.001}
    with network_server(workspace, limits=limits) as (address, _process):
        for _ in range(3):
            async with Client(f"http://{address}/mcp", mode="2026-07-28") as client:
                for _ in range(5):
                    result = await client.call_tool("echo", {"text": "x"})
                    assert result.structured_content == {"text": "x"}


async def test_a_signal_lets_websocket_requests_finish(workspace: Path) -> None:
    with network_server(workspace) as (address, process):
        async with connect(f"ws://{address}/mcp") as socket:
            await socket.send(json.dumps(call("sleep_async", 1, seconds=0.5)))
            await ask(socket, request("ping", 2))
            process.send_signal(signal.SIGTERM)
            answer = json.loads(await asyncio.wait_for(socket.recv(), WAIT_S))
            assert answer["result"]["structuredContent"] == {"seconds": 0.5}
        assert await asyncio.to_thread(process.wait, WAIT_S) == 0


async def test_a_signal_ends_listening_streams_at_once(workspace: Path) -> None:
    with network_server(workspace) as (address, process):
        async with Client(f"http://{address}/mcp", mode="legacy") as client:
            await client.list_tools()
            process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(process.wait, 10) == 0


def test_only_loopback_is_listened_on_by_default(workspace: Path) -> None:
    with network_server(workspace) as (_address, process):
        listening = [
            connection.laddr.ip
            for connection in psutil.Process(process.pid).net_connections()
            if connection.status == psutil.CONN_LISTEN
        ]
        assert listening == ["127.0.0.1"]


def test_another_address_needs_a_token(workspace: Path, benchpin: str) -> None:
    done = subprocess.run(
        [benchpin, "serve", "--transport", "http", "--host", "0.0.0.0", "--port", "0"],  # noqa: S104 - to be refused
        cwd=workspace,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 2
    assert "--auth-token" in done.stderr


def test_a_port_in_use_is_said_plainly(workspace: Path, benchpin: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [benchpin, "serve", "--transport", "ws", "--port", port],
            cwd=workspace,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=False,
        )
    assert done.returncode == 2
    assert f"port {port}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:3000", True),
        ("localhost", True),
        ("[::1]:3000", True),
        ("LOCALHOST:1", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("127.0.0.1@evil.example", False),
        ("", False),
        ("[", False),
    ],
)
def test_hosts_are_compared_as_names(host: str, *, allowed: bool) -> None:
    rules = AccessRules.at("127.0.0.1", None)
    assert (rules.check([(b"host", host.encode())]) is None) is allowed


@pytest.mark.parametrize(
    "twice", [(b"origin", b"http://localhost"), (b"Host", b"localhost"), (b"authorization", b"x")]
)
def test_a_header_that_decides_about_access_may_not_appear_twice(
    twice: tuple[bytes, bytes],
) -> None:
    once = [(b"host", b"localhost"), (b"authorization", b"Bearer t"), (b"Origin", b"http://evil")]
    headers = [*(it for it in once if it[0].lower() == twice[0].lower()), twice]
    refusal = AccessRules.at("127.0.0.1", "t").check(headers)
    assert refusal is not None
    assert refusal.status == 400
    assert "more than once" in refusal.reason


def test_a_request_states_its_length_in_one_way() -> None:
    headers = [(b"host", b"localhost"), (b"Content-Length", b"4"), (b"transfer-encoding", b"x")]
    refusal = AccessRules.at("127.0.0.1", None).check(headers)
    assert refusal is not None
    assert refusal.status == 400
    assert "Content-Length beside Transfer-Encoding" in refusal.reason


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("application/json;q=0", Accepted(json=False, events=False)),
        ("application/json; Q=0.00, text/event-stream", Accepted(json=False, events=True)),
        ("*/*, application/json;q=0", Accepted(json=False, events=True)),
        ("text/event-stream, */*;q=0", Accepted(json=False, events=True)),
        ("application/json;q=0.1, text/*", Accepted(json=True, events=True)),
    ],
)
def test_a_kind_with_no_weight_is_not_accepted(header: str, accepted: Accepted) -> None:
    assert Accepted.by(header) == accepted


def test_a_configured_host_is_one_of_its_own_names() -> None:
    rules = AccessRules.at("bench.internal", "t")
    headers = [(b"host", b"bench.internal:80"), (b"authorization", b"Bearer t")]
    assert rules.check(headers) is None


@pytest.mark.parametrize(
    ("host", "origin", "allowed"),
    [
        ("192.0.2.7:3000", None, True),
        ("bench.example", "http://bench.example", True),
        ("bench.example", "http://localhost:5173", True),
        ("bench.example", "http://evil.example", False),
        ("", None, False),
    ],
)
def test_on_every_address_the_token_keeps_strangers_out(
    host: str, origin: str | None, *, allowed: bool
) -> None:
    rules = AccessRules.at("0.0.0.0", "t")  # noqa: S104 - only compared with
    headers = [(b"host", host.encode()), (b"authorization", b"bearer t")]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    assert (rules.check(headers) is None) is allowed


def test_an_open_address_without_a_token_cannot_be_built(workspace: Path) -> None:
    from benchpin.server.network._network import Network  # noqa: PLC0415 - used here alone
    from everything.serving import kernel_for  # noqa: PLC0415 - used here alone

    with pytest.raises(ConfigError):
        Network(kernel_for(workspace), Settings(host="0.0.0.0"))  # noqa: S104 - to be refused
