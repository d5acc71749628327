"""Clients that never read their answers: the server's memory stays bounded, and comes back."""

import asyncio
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchpin.core import Limits
from benchpin.server.peer import Peer
from benchpin.server.unsent import Outbox, Unsent
from everything.serving import kernel_for
from serving import WAIT_S, network_server, stdio_server
from unread import Memory, big_calls, deaf_socket, frame, post, read_head, send_what_fits, upgrade
from wire import HANDSHAKE, Wire, call, request

CLIENTS = 40
CALLS = 200
ROWS = 10_000
"""About one megabyte for each answer."""
MAX_MIB = 300
KEPT_MIB = 150
STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def over_websocket(address: str, stack: ExitStack) -> None:
    deaf = stack.enter_context(deaf_socket(address))
    upgrade(deaf, address)
    send_what_fits(deaf, [frame(message) for message in big_calls(CALLS, ROWS)])


def over_http(address: str, stack: ExitStack) -> None:
    deaf = stack.enter_context(deaf_socket(address))
    deaf.sendall(post(address, HANDSHAKE))
    head = read_head(deaf).decode()
    [session] = [line for line in head.splitlines() if line.startswith("mcp-session-id")]
    headers = {"mcp_session_id": session.split()[1], "mcp_protocol_version": "2025-11-25"}
    send_what_fits(deaf, [post(address, message, **headers) for message in big_calls(CALLS, ROWS)])


def over_stateless_http(address: str, stack: ExitStack) -> None:
    deaf = stack.enter_context(deaf_socket(address))
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call"}
    messages = []
    for message in big_calls(CALLS, ROWS):
        message["params"]["_meta"] = STATELESS
        messages.append(post(address, message, mcp_name="make_big", **headers))
    send_what_fits(deaf, messages)


@pytest.mark.slow
@pytest.mark.parametrize("attack", [over_websocket, over_http, over_stateless_http])
def test_memory_is_bounded_if_forty_clients_do_not_read(
    workspace: Path, attack: Callable[[str, ExitStack], None]
) -> None:
    with network_server(workspace) as (address, process):
        memory = Memory(process.pid)
        with ExitStack() as stack:
            for _ in range(CLIENTS):
                attack(address, stack)
            memory.watch(4.0)
            with deaf_socket(address) as other:
                other.sendall(post(address, HANDSHAKE))
                assert b" 200 " in read_head(other)
        assert memory.peak_mib < MAX_MIB
        assert memory.falls_below(KEPT_MIB)


@pytest.mark.slow
def test_memory_is_bounded_if_the_client_of_stdio_does_not_read(workspace: Path) -> None:
    with stdio_server(workspace) as server:
        server.ask(call("make_big", 0, rows=1))
        memory = Memory(server.process.pid)
        for message in big_calls(CALLS, ROWS):
            server.send(message)
        memory.watch(2.0)
        assert memory.peak_mib < MAX_MIB
        answers = [server.receive() for _ in range(CALLS)]
        assert {answer["id"] for answer in answers} == set(range(CALLS))
        assert memory.falls_below(KEPT_MIB)


@pytest.mark.slow
def test_a_client_that_reads_nothing_for_too_long_is_disconnected(workspace: Path) -> None:
    with network_server(workspace, limits={"drain_s": 0.5}) as (address, process):
        assert process.stderr is not None
        with ExitStack() as stack:
            over_websocket(address, stack)
            lines = (json.loads(line) for line in process.stderr)
            closed = next(line for line in lines if line.get("event") == "closed")
    assert closed["reason"] == "its client does not read"
    assert closed["unsent_bytes"] > 0


class Reader:
    """A client that reads one message for each `release`."""

    def __init__(self, limits: Limits) -> None:
        self.unsent = Unsent(limits)
        self.peer = Peer.with_limits(limits)
        self._may_read = asyncio.Semaphore(0)
        self.is_closed = False
        self.outbox = Outbox(self.unsent, self.peer, self._write, self._close)

    async def _write(self, _message: bytes) -> None:
        await self._may_read.acquire()

    def _close(self) -> None:
        self.is_closed = True

    def read(self) -> None:
        self._may_read.release()


@pytest.fixture
async def reader() -> Reader:
    return Reader(Limits(unsent_bytes=100, unsent_total_bytes=1_000))


async def test_calls_wait_while_a_client_has_much_to_read(reader: Reader) -> None:
    sending = asyncio.ensure_future(reader.outbox.send(b"x" * 101))
    await asyncio.sleep(0)
    assert not reader.unsent.has_room(reader.peer)
    waiting = asyncio.ensure_future(reader.unsent.room(reader.peer))
    await asyncio.sleep(0)
    assert not waiting.done()
    reader.read()
    await asyncio.wait_for(waiting, WAIT_S)
    await sending
    assert reader.peer.unsent_bytes == reader.unsent.total_bytes == 0


async def test_a_client_that_reads_goes_on_when_others_do_not(reader: Reader) -> None:
    others = [Peer.with_limits(Limits()) for _ in range(12)]
    for other in others:
        reader.unsent.add(other, 100)
    assert not reader.unsent.has_room(others[0])
    assert reader.unsent.has_room(reader.peer)
    reader.unsent.add(others[0], 500)
    assert not reader.unsent.has_room(reader.peer)


async def test_a_batch_goes_on_when_its_first_answers_are_large(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"unsent_bytes": 1000, "unsent_total_bytes": 10_000}))
    big = [call("echo", number, text="x" * 1500) for number in range(2)]
    await wire.send([*big, call("sleep_async", 2, seconds=0.05), call("echo", 3, text="last")])
    assert {answer["id"] for answer in await wire.receive()} == {0, 1, 2, 3}
    await wire.ask(request("ping", 4))
    assert wire.kernel.unsent.total_bytes == wire.kernel.unsent.collected_bytes == 0
    await wire.close()


async def test_answers_of_an_unfinished_batch_hold_up_nobody(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"unsent_bytes": 1000, "unsent_total_bytes": 4000}))
    await wire.send([{"id": "x" * 3000}, call("sleep_async", 2, seconds=30)])
    assert wire.kernel.unsent.collected_bytes > 3000
    assert wire.kernel.unsent.total_bytes == 0
    assert (await wire.call("echo", text="next"))["result"]
    await wire.close()
    assert wire.kernel.unsent.collected_bytes == 0


async def test_unfinished_batches_share_the_memory_for_their_answers(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace, limits={"unsent_total_bytes": 4000}))
    await wire.send([{"id": "x" * 3000}, call("sleep_async", 1, seconds=30)])
    [cut] = await wire.ask([call("echo", 2, text="x" * 1500)])
    assert cut["error"]["data"]["kind"] == "batch_too_large"
    await wire.close()


async def test_a_batch_that_is_cut_off_while_it_waits_gives_its_memory_back(
    workspace: Path,
) -> None:
    wire = Wire(kernel_for(workspace, limits={"in_flight": 1}))
    batch = [{"id": 1}, *(call("sleep_async", number, seconds=30) for number in (2, 3))]
    waiting = asyncio.ensure_future(wire.session.receive(json.dumps(batch).encode()))
    await asyncio.sleep(0)
    assert wire.kernel.unsent.collected_bytes > 0
    waiting.cancel()
    await asyncio.wait({waiting})
    await wire.session.finish(wait=False)
    assert wire.kernel.unsent.collected_bytes == 0
    await wire.close()
