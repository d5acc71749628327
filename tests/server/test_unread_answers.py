"""Clients that never read their answers: the server's memory stays bounded, and comes back."""

import asyncio
import json
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Limits
from benchpin.server import Outbox, Peer, Unsent
from benchpin.server._scheduler import Lane, Scheduler, Task
from benchpin.server._unsent import Claim, current_claim
from everything.serving import kernel_for
from serving import network_server, stdio_server
from unread import (
    MIB,
    Memory,
    big_calls,
    deaf_socket,
    frame,
    post,
    read_head,
    send_what_fits,
    upgrade,
)
from waiting import WAIT_S
from wire import HANDSHAKE, Wire, call, request, session_of

CLIENTS = 40
CALLS = 200
ROWS = 10_000
"""About one megabyte for each answer."""
MAX_MIB = 300
KEPT_MIB = 150
COUNTED_MIB = 48 + 37
"""One and a half times `limits.unsent_total_bytes`, and an answer of each call that runs by then:
33 on threads, 4 on the event loop."""
STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


Attack = Callable[[str, socket.socket], list[bytes]]
"""Prepares a connection and returns what is sent on it without reading."""


def over_websocket(address: str, deaf: socket.socket) -> list[bytes]:
    upgrade(deaf, address)
    return [frame(message) for message in big_calls(CALLS, ROWS)]


def over_lists(address: str, deaf: socket.socket) -> list[bytes]:
    """Ask for what the SDK makes on the event loop, which no thread limits."""
    upgrade(deaf, address)
    return [frame(request("tools/list", number)) for number in range(CALLS)]


def over_http(address: str, deaf: socket.socket) -> list[bytes]:
    deaf.sendall(post(address, HANDSHAKE))
    head = read_head(deaf).decode()
    [session] = [line for line in head.splitlines() if line.startswith("mcp-session-id")]
    headers = {"mcp_session_id": session.split()[1], "mcp_protocol_version": "2025-11-25"}
    return [post(address, message, **headers) for message in big_calls(CALLS, ROWS)]


def over_stateless_http(address: str, _deaf: socket.socket) -> list[bytes]:
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call"}
    messages = []
    for message in big_calls(CALLS, ROWS):
        message["params"]["_meta"] = STATELESS
        messages.append(post(address, message, mcp_name="make_big", **headers))
    return messages


def counted_peak_mib(address: str) -> float:
    with deaf_socket(address) as asking:
        asking.settimeout(None)
        asking.sendall(f"GET /metrics HTTP/1.0\r\nhost: {address}\r\n\r\n".encode())
        text = b"".join(iter(lambda: asking.recv(4096), b"")).decode()
    [peak] = [line for line in text.splitlines() if line.startswith("benchpin_unsent_peak_bytes")]
    return int(peak.split()[1]) / MIB


@pytest.mark.slow
@pytest.mark.parametrize("attack", [over_websocket, over_http, over_stateless_http, over_lists])
def test_memory_is_bounded_if_forty_clients_do_not_read(workspace: Path, attack: Attack) -> None:
    with network_server(workspace) as (address, process):
        memory = Memory(process.pid)
        with ExitStack() as stack:
            clients = [stack.enter_context(deaf_socket(address)) for _ in range(CLIENTS)]
            # All are connected before the first one asks: from then on the server is busy.
            messages = [attack(address, client) for client in clients]
            for client, its_messages in zip(clients, messages, strict=True):
                send_what_fits(client, its_messages)
            memory.watch(4.0)
            with deaf_socket(address) as other:
                other.settimeout(None)  # how long it takes depends on the machine
                other.sendall(post(address, HANDSHAKE))
                assert b" 200 " in read_head(other)
            assert counted_peak_mib(address) < COUNTED_MIB
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
        with deaf_socket(address) as deaf:
            send_what_fits(deaf, over_websocket(address, deaf))
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


async def test_lists_are_made_only_as_long_as_they_are_read(workspace: Path) -> None:
    wire = Wire(kernel_for(workspace))
    size_bytes = len(json.dumps(await wire.ask(request("tools/list"))))
    await wire.close()
    limits = {"unsent_bytes": 2 * size_bytes, "unsent_total_bytes": 100 * size_bytes}
    wire = Wire(kernel_for(workspace, limits=limits))
    never = asyncio.Event()

    async def ignore(_message: bytes) -> None:
        await never.wait()

    deaf = session_of(wire.kernel, ignore)
    lists = [json.dumps(request("tools/list", number)).encode() for number in range(60)]
    sending = [asyncio.ensure_future(deaf.receive(message)) for message in lists]
    for number in range(5):  # these come after what the other client has sent
        await wire.ask(request("tools/list", number))
    assert wire.kernel.unsent.peak_bytes < 9 * size_bytes
    never.set()
    await asyncio.gather(*sending)
    await deaf.finish()
    assert wire.kernel.unsent.total_bytes == 0
    await wire.close()


async def test_an_answer_counts_before_the_event_loop_knows_of_it() -> None:
    limits = Limits()
    unsent, peer = Unsent(limits), Peer.with_limits(limits)
    scheduler = Scheduler(limits, unsent, [Path("/")])
    claim = Claim(unsent, peer)
    current_claim.set(claim)
    task = Task("make", Lane.SHORT, Job())
    making = asyncio.ensure_future(scheduler.run(peer, task, lambda: b"x" * 1000, len))
    await asyncio.sleep(0)
    deadline = time.monotonic() + WAIT_S
    while not unsent.total_bytes and time.monotonic() < deadline:
        pass  # the loop does not run
    assert unsent.total_bytes == peer.unsent_bytes == 1000
    assert not making.done()
    await making
    claim.hold(1010)  # encoded, with its envelope
    outbox = Outbox(unsent, peer, lambda _message: asyncio.sleep(0), lambda: None)
    sending = asyncio.ensure_future(outbox.send(b"x" * 1010))
    await asyncio.sleep(0)
    assert unsent.total_bytes == unsent.peak_bytes == 1010  # counted once
    await sending
    claim.drop()
    assert unsent.total_bytes == peer.unsent_bytes == 0


async def test_an_answer_that_nobody_waits_for_any_more_is_not_counted() -> None:
    unsent, peer = Unsent(Limits()), Peer.with_limits(Limits())
    claim = Claim(unsent, peer)
    claim.hold(10)
    claim.drop()
    claim.hold(1000)  # its thread ends later than the call
    assert unsent.total_bytes == peer.unsent_bytes == 0


@pytest.mark.slow
def test_a_client_that_pings_and_does_not_read_takes_no_memory(workspace: Path) -> None:
    ping = b"\x89\xfd\0\0\0\0" + b"x" * 125
    with network_server(workspace) as (address, process), deaf_socket(address) as deaf:
        upgrade(deaf, address)
        memory = Memory(process.pid)
        for _ in range(400):
            deaf.sendall(ping * 800)  # 40 MiB in all
        memory.watch(0.1)
        assert memory.peak_mib < 20
