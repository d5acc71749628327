"""Connections that send nothing, or half of something, and clients that open too many."""

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchpin.core.calls import Limits
from benchpin.server.network._connections import TcpConnection, TcpConnections, share_of
from serving import network_server
from unread import deaf_socket, frame, post, read_head, upgrade
from waiting import WAIT_S
from wire import HANDSHAKE, call, request

pytestmark = pytest.mark.slow

NEIGHBOUR = "127.0.0.2"


@contextmanager
def connected(address: str, source: str = "127.0.0.1") -> Iterator[socket.socket]:
    """Open a connection from one of the addresses of this machine."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), WAIT_S, (source, 0)) as connection:
        yield connection


def is_closed(connection: socket.socket) -> bool:
    """Wait until the server closes a connection."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def is_closed_while_dripping(connection: socket.socket, data: bytes) -> bool:
    """Send a byte at a time, until the server closes the connection."""
    connection.settimeout(0.05)
    for byte in data:
        try:
            connection.sendall(bytes([byte]))
            return connection.recv(1) == b""
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


def read_answer(connection: socket.socket) -> Any:
    """Read a whole response with a JSON body."""
    head = read_head(connection).decode().lower()
    length = int(head.split("content-length: ")[1].split("\r\n")[0])
    body = b""
    while len(body) < length:
        body += connection.recv(length - len(body))
    return json.loads(body)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give a server that does not wait long."""
    limits = {"head_s": 0.4, "body_s": 0.4}
    with network_server(tmp_path_factory.mktemp("workspace"), limits=limits) as (host, _process):
        yield host


@pytest.mark.parametrize("sent", [b"", b"POST /mcp HT", b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1"])
def test_a_head_that_is_never_finished_ends_the_connection(hasty: str, sent: bytes) -> None:
    with connected(hasty) as connection:
        connection.sendall(sent)
        assert is_closed(connection)


def test_a_second_head_that_is_never_finished_ends_the_connection(hasty: str) -> None:
    with connected(hasty) as connection:
        connection.sendall(post(hasty, HANDSHAKE))
        assert "result" in read_answer(connection)
        assert is_closed_while_dripping(connection, b"POST /mcp HTTP/1.1\r\nx: " + b"y" * 1_000)


def test_a_body_that_is_never_finished_gets_408(hasty: str) -> None:
    for _ in range(2):
        with connected(hasty) as connection:
            connection.sendall(post(hasty, HANDSHAKE))
            assert "result" in read_answer(connection)
            connection.sendall(post(hasty, request("ping"))[:-5])
            assert b" 408 " in read_head(connection)


def test_a_websocket_may_be_silent_for_long(hasty: str) -> None:
    with connected(hasty) as connection:
        upgrade(connection, hasty)
        connection.sendall(frame(call("sleep_async", 1, seconds=1.0)))
        assert connection.recv(1) == b"\x81"


def test_sockets_count_before_they_send_anything(workspace: Path) -> None:
    limits = {"connections": 4}
    with network_server(workspace, limits=limits) as (address, _process), ExitStack() as stack:
        for _ in range(share_of(4)):
            upgrade(stack.enter_context(connected(address)), address)
        one_more = stack.enter_context(connected(address))
        one_more.sendall(post(address, HANDSHAKE))
        assert b" 503 " in read_head(one_more)
        neighbour = stack.enter_context(connected(address, NEIGHBOUR))
        neighbour.sendall(post(address, HANDSHAKE))
        assert "result" in read_answer(neighbour)


def test_no_more_sockets_are_held_than_the_limit_says(workspace: Path) -> None:
    limits = {"connections": 8}
    with network_server(workspace, limits=limits) as (address, process), ExitStack() as stack:
        for _ in range(share_of(8)):
            upgrade(stack.enter_context(connected(address)), address)
        late = [stack.enter_context(connected(address)) for _ in range(30)]
        assert b" 503 " in read_head(late[-1])
        # Those that were turned away are closed as soon as the event loop comes round.
        until = time.monotonic() + WAIT_S
        while held_by(process.pid) > 8 and time.monotonic() < until:
            time.sleep(0.05)
        assert held_by(process.pid) <= 8
        neighbour = stack.enter_context(connected(address, NEIGHBOUR))
        neighbour.sendall(post(address, HANDSHAKE))
        assert "result" in read_answer(neighbour)


def held_by(pid: int) -> int:
    """Return how many connections a process holds."""
    sockets = psutil.Process(pid).net_connections()
    return sum(it.status == psutil.CONN_ESTABLISHED for it in sockets)


async def test_a_refused_connection_gives_its_place_to_one_that_is_admitted() -> None:
    connections = TcpConnections(Limits(connections=4))
    for _ in range(share_of(4)):
        TcpConnection(connections, FakeTransport("192.0.2.1")).begin()
    refused = FakeTransport("192.0.2.1")
    assert TcpConnection(connections, refused).refusal is not None
    assert connections.held == 4
    turned_away = FakeTransport("192.0.2.1")
    assert TcpConnection(connections, turned_away).refusal is not None
    assert turned_away.written.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert TcpConnection(connections, FakeTransport("192.0.2.2")).refusal is None
    assert refused.is_aborted
    assert connections.held == 4


class FakeTransport(asyncio.Transport):
    """A transport that knows its peer, what was written and whether it was aborted."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 1)})
        self.is_aborted = False
        self.written = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def close(self) -> None:
        pass

    def abort(self) -> None:
        self.is_aborted = True


async def test_connections_without_a_request_give_way_to_new_ones() -> None:
    connections = TcpConnections(Limits(connections=2))
    transports = [FakeTransport("192.0.2.1") for _ in range(4)]
    silent, busy = (TcpConnection(connections, transport) for transport in transports[:2])
    busy.begin()
    assert TcpConnection(connections, transports[2]).refusal is not None
    assert silent.waiting_since is not None
    silent.waiting_since -= 2
    assert TcpConnection(connections, transports[3]).refusal is None
    assert [transport.is_aborted for transport in transports] == [True, False, False, False]


async def test_an_idle_connection_gives_way_at_once() -> None:
    connections = TcpConnections(Limits(connections=2))
    transports = [FakeTransport("192.0.2.1") for _ in range(3)]
    used, _fresh = (TcpConnection(connections, transport) for transport in transports[:2])
    used.begin()
    used.end()
    assert TcpConnection(connections, transports[2]).refusal is None
    assert transports[0].is_aborted


async def test_an_address_has_a_share_of_the_connections() -> None:
    connections = TcpConnections(Limits(connections=8))
    mine = [TcpConnection(connections, FakeTransport("192.0.2.1")) for _ in range(7)]
    assert [link.refusal is None for link in mine] == [True] * share_of(8) + [False]
    assert TcpConnection(connections, FakeTransport("192.0.2.2")).refusal is None
    mine[0].lost()
    assert TcpConnection(connections, FakeTransport("192.0.2.1")).refusal is None


async def test_the_network_of_an_ipv6_client_is_one_address() -> None:
    connections = TcpConnections(Limits())
    one, two, other = (
        TcpConnection(connections, FakeTransport(address))
        for address in ("2001:db8::1", "2001:db8::2:1", "2001:db8:0:1::1")
    )
    assert one.address == two.address != other.address


def rate_codes(address: str, ids: Iterator[str]) -> list[int]:
    """Post requests on new connections; return the codes of the errors."""
    codes = []
    for session_id in ids:
        client = HTTPConnection(address, timeout=WAIT_S)
        headers = {"content-type": "application/json", "accept": "application/json"}
        if session_id:
            headers["mcp-session-id"] = session_id
        message = request("ping") if session_id else HANDSHAKE
        client.request("POST", "/mcp", json.dumps(message), headers)
        codes.append(json.load(client.getresponse()).get("error", {}).get("code", 0))
        client.close()
    return codes


def test_made_up_and_new_sessions_do_not_raise_the_rate(workspace: Path) -> None:
    limits = {"burst": 5, "per_second": 0.001}
    with network_server(workspace, limits=limits) as (address, _process):
        made_up = rate_codes(address, (f"made-up-{number}" for number in range(15)))
        assert set(made_up) == {-32600}
        new = rate_codes(address, iter([""] * 15))
        assert new == [0] * 5 + [-32003] * 10


def post_json(client: HTTPConnection, message: object, session_id: str = "") -> tuple[Any, str]:
    """Return the decoded answer and the id of the session."""
    headers = {"content-type": "application/json", "accept": "application/json"}
    if session_id:
        headers["mcp-session-id"] = session_id
    client.request("POST", "/mcp", json.dumps(message), headers)
    response = client.getresponse()
    return json.load(response), response.headers.get("mcp-session-id", "")


def test_each_message_of_a_batch_counts_for_its_connection_and_address(workspace: Path) -> None:
    params = {**HANDSHAKE["params"], "protocolVersion": "2025-03-26"}
    hello = {**HANDSHAKE, "params": params}
    batch = [request("ping", number) for number in range(20)]
    limits = {"burst": 10, "per_second": 0.001}
    with network_server(workspace, limits=limits) as (address, _process), ExitStack() as stack:
        for _ in range(4):
            client = HTTPConnection(address, timeout=WAIT_S)
            stack.callback(client.close)
            _, session_id = post_json(client, hello)
            answers, _ = post_json(client, batch, session_id)
            refused = [it for it in answers if "error" in it]
            assert (len(answers), len(refused)) == (20, 11)
            assert {it["error"]["code"] for it in refused} == {-32003}
            second_session, _ = post_json(client, hello)
            assert second_session["error"]["code"] == -32003
        fifth = HTTPConnection(address, timeout=WAIT_S)
        stack.callback(fifth.close)
        answer, _ = post_json(fifth, hello)
        assert answer["error"]["code"] == -32003


def test_calls_end_when_the_client_of_a_websocket_goes(workspace: Path) -> None:
    limits = {"in_flight": 2}
    with network_server(workspace, limits=limits) as (address, process):
        with deaf_socket(address) as connection:
            upgrade(connection, address)
            connection.sendall(frame(call("sleep_async", 1, seconds=600)))
            connection.sendall(frame(call("make_big", 2, rows=40_000)))
            # The server reads these, and has no free slot for them.
            connection.sendall(frame(request("ping", 3)) * 2)
            connection.recv(1)
        assert process.stderr is not None
        lines = (json.loads(line) for line in process.stderr)
        ended = next(line for line in lines if line.get("tool_name") == "sleep_async")
        assert ended["error_code"] == "aborted"
