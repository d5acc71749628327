"""Load on a server over every transport: `read_file` by many connections at once.

`python bench/transports.py [PYTHON]` takes two minutes; PYTHON is the interpreter that has FastMCP,
by default this one.
"""

import asyncio
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from socket import create_connection, socket

import psutil

from ports import free_port, wait_for
from results import help_if_asked, machine, write_section

HERE = Path(__file__).parent
CONNECTIONS = (1, 16, 128)
ROUNDS = 3
REQUESTS = {1: 1_000, 16: 3_200, 128: 3_840}
FILE = "sample.py"
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
BARE = "bare asyncio HTTP"
_START_S = 30.0
_HEAD_END = b"\r\n\r\n"
_LENGTH = b"content-length:"
_FRAME_HEAD = 4
_LONG_FRAME = 126
"""Where a WebSocket frame has its length in the next two bytes."""


def message(method: str, params: object, number: int | None = 1) -> bytes:
    """Return a request, or a notification if it has no number."""
    envelope = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(envelope if number is None else {**envelope, "id": number}).encode()


HANDSHAKE = message("initialize", HELLO)
CALL = message("tools/call", {"name": "read_file", "arguments": {"path": FILE}})


@dataclass
class Load:
    """What was seen with some number of connections."""

    per_second: list[float] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)
    """The time of a core that the server takes for a call."""
    latencies_ms: list[float] = field(default_factory=list)

    def percentile(self, percent: int) -> float:
        """Return the latency that so many percent of the calls do not exceed."""
        return statistics.quantiles(self.latencies_ms, n=100)[percent - 1]


Found = dict[str, dict[int, Load]]


@dataclass(frozen=True, slots=True)
class Target:
    """A server that listens."""

    port: int
    process: psutil.Process


class Connection(asyncio.Protocol):
    """Sends one call after another, each when the one before is answered."""

    def __init__(self, load: Load, calls: int) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.buffer = bytearray()
        self._load = load
        self._left = calls
        self._sent_at = 0.0
        self._transport: asyncio.WriteTransport | None = None

    def start(self, transport: asyncio.WriteTransport) -> None:
        """Send the first call."""
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        """Take data; send the next call when there is a whole answer."""
        self.buffer += data
        while (size := self.answer_size()) is not None:
            assert b'"isError":true' not in self.buffer
            del self.buffer[:size]
            self._load.latencies_ms.append((time.perf_counter() - self._sent_at) * 1000)
            self._left -= 1
            if self._left:
                self._send()
            else:
                self.done.set_result(None)

    def _send(self) -> None:
        self._sent_at = time.perf_counter()
        assert self._transport is not None
        self._transport.write(self.request())

    def request(self) -> bytes:
        """Return the next call."""
        raise NotImplementedError

    def answer_size(self) -> int | None:
        """Return the size of the first answer in the buffer; None if it is incomplete."""
        raise NotImplementedError


def http_request(body: bytes, session: str = "") -> bytes:
    """Return a POST."""
    fields = [
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "MCP-Protocol-Version: 2025-11-25",
        f"Content-Length: {len(body)}",
    ]
    if session:
        fields.append(f"Mcp-Session-Id: {session}")
    return "\r\n".join([*fields, "", ""]).encode() + body


class Http(Connection):
    """One connection over HTTP."""

    session = ""

    def request(self) -> bytes:
        """Return the next call."""
        return http_request(CALL, self.session)

    def answer_size(self) -> int | None:
        """Return the size of a response with a length."""
        end = self.buffer.find(_HEAD_END)
        if end < 0:
            return None
        assert self.buffer.startswith(b"HTTP/1.1 200"), bytes(self.buffer[:200])
        head = self.buffer[:end].lower()
        after = head.index(_LENGTH) + len(_LENGTH)
        size = end + len(_HEAD_END) + int(head[after:].split(b"\r\n")[0])
        return size if len(self.buffer) >= size else None


class WebSocket(Connection):
    """One connection over WebSocket; its mask changes nothing."""

    def request(self) -> bytes:
        """Return the next call."""
        return b"\x81\xfe" + struct.pack("!H", len(CALL)) + b"\0\0\0\0" + CALL

    def answer_size(self) -> int | None:
        """Return the size of a text frame."""
        if len(self.buffer) < _FRAME_HEAD:
            return None
        short = self.buffer[1]
        is_long = short == _LONG_FRAME
        size = struct.unpack_from("!H", self.buffer, 2)[0] + _FRAME_HEAD if is_long else short + 2
        return size if len(self.buffer) >= size else None


def _same(client: Connection) -> Connection:
    return client


@contextmanager
def timing(load: Load, calls: int, server: psutil.Process) -> Iterator[None]:
    """Measure what calls take by the clock, and the server's time."""
    before, started = sum(server.cpu_times()[:2]), time.perf_counter()
    yield
    load.per_second.append(calls / (time.perf_counter() - started))
    load.cpu_us.append((sum(server.cpu_times()[:2]) - before) / calls * 1e6)


async def drive(kind: type[Connection], target: Target, connections: int, load: Load) -> None:
    """Put a load on a network server."""
    port = target.port
    loop = asyncio.get_running_loop()
    calls = REQUESTS[connections] // connections
    clients = [kind(load, calls) for _ in range(connections)]
    transports = [
        (await loop.create_connection(partial(_same, client), sock=opened(client, port)))[0]
        for client in clients
    ]
    with timing(load, calls * connections, target.process):
        for client, transport in zip(clients, transports, strict=True):
            client.start(transport)
        await asyncio.gather(*(client.done for client in clients))
    for transport in transports:
        transport.close()


def opened(client: Connection, port: int) -> socket:
    """Return a socket after the handshake."""
    opening = create_connection(("127.0.0.1", port), _START_S)
    if isinstance(client, WebSocket):
        key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13"
        opening.sendall(
            f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\n{key}\r\n\r\n".encode()
        )
        assert b" 101 " in _read_head(opening)
    elif isinstance(client, Http):
        opening.sendall(http_request(HANDSHAKE))
        head = _read_head(opening).lower()
        length = int(head.split(_LENGTH)[1].split(b"\r\n")[0])
        while length > 0:
            length -= len(opening.recv(length))
        if b"mcp-session-id:" in head:
            client.session = head.split(b"mcp-session-id:")[1].split(b"\r\n")[0].strip().decode()
    opening.setblocking(False)
    return opening


def _read_head(opening: socket) -> bytes:
    head = b""
    while _HEAD_END not in head:
        byte = opening.recv(1)
        assert byte, head
        head += byte
    return head


async def drive_stdio(process: asyncio.subprocess.Process, window: int, load: Load) -> None:
    """Put a load on a server over pipes, with so many calls in flight."""
    assert process.stdin is not None
    assert process.stdout is not None
    line, calls = CALL + b"\n", REQUESTS[window]
    sent_at: list[float] = []
    with timing(load, calls, psutil.Process(process.pid)):
        for number in range(calls + window):
            if number >= window:
                assert b'"isError":false' in await process.stdout.readline()
                # Answers to equal calls come in the order in which these were sent, or nearly.
                load.latencies_ms.append((time.perf_counter() - sent_at[number - window]) * 1000)
            if number < calls:
                sent_at.append(time.perf_counter())
                process.stdin.write(line.replace(b'"id": 1', b'"id": %d' % (number + 2)))


def environment() -> dict[str, str]:
    """Return the environment of the servers: only the limits on clients are lifted."""
    lifted = {"BURST": "1000000000", "CONNECTIONS": "1000", "IN_FLIGHT": "1000"}
    limits = {f"BENCHPIN_LIMITS_{name}": value for name, value in lifted.items()}
    return {**os.environ, **limits, "PYTHONPATH": str(HERE.parent / "src")}


def benchpin(*arguments: str) -> list[str]:
    """Return the command that serves the current folder."""
    return [sys.executable, "-m", "benchpin", "serve", *arguments]


@contextmanager
def serving(command: list[str], folder: Path, port: int) -> Iterator[Target]:
    """Run a server until the block ends."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, env=environment(), stdout=quiet, stderr=quiet) as it:
        wait_for(port, it)
        try:
            yield Target(port, psutil.Process(it.pid))
        finally:
            it.terminate()


async def measure_stdio(folder: Path, found: dict[int, Load]) -> None:
    """Measure our server over pipes."""
    process = await asyncio.create_subprocess_exec(
        *benchpin(),
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for line in (HANDSHAKE, CALL):
        process.stdin.write(line + b"\n")
        await process.stdout.readline()
    for window in CONNECTIONS:
        await drive_stdio(process, window, found[window])
    process.stdin.close()
    await process.wait()


async def measure_network(kinds: dict[str, type[Connection]], target: Target, found: Found) -> None:
    """Measure a server over the network."""
    for name, kind in kinds.items():
        await drive(kind, target, CONNECTIONS[0], Load())
        for connections in CONNECTIONS:
            await drive(kind, target, connections, found[name][connections])


async def measure(folder: Path, rival_python: str) -> Found:
    """Measure all transports, ours and the rival's, in turn."""
    (folder / FILE).write_text("def double(x: int) -> int:\n    return 2 * x\n" * 30, "utf-8")
    names = ("benchpin stdio", "benchpin HTTP", "benchpin WebSocket", "FastMCP HTTP", BARE)
    found: Found = {name: {count: Load() for count in CONNECTIONS} for name in names}
    for _ in range(ROUNDS):
        await measure_stdio(folder, found["benchpin stdio"])
        port = free_port()
        ours = benchpin("--transport", "http", "--port", str(port))
        with serving(ours, folder, port) as target:
            kinds = {"benchpin HTTP": Http, "benchpin WebSocket": WebSocket}
            await measure_network(kinds, target, found)
        for name, python, program in (
            ("FastMCP HTTP", rival_python, "fastmcp_http.py"),
            (BARE, sys.executable, "bare_http.py"),
        ):
            port = free_port()
            command = [python, str(HERE / "servers" / program), str(port)]
            with serving(command, folder, port) as target:
                await measure_network({name: Http}, target, found)
    return found


def report(found: Found) -> list[str]:
    """Return the table and the ratios."""
    median = statistics.median
    about = (
        f"`read_file` of 1.3 kB, one call at a time on each connection (stdio: as many in flight); "
        f"{ROUNDS} rounds in turn, medians; {machine()}, load {os.getloadavg()[0]:.0f}. "
        "FastMCP is stateless and answers in JSON. The bare server of asyncio sends one and the "
        "same answer to everything, which is the least that any of these could take."
    )
    if os.getloadavg()[0] > (os.cpu_count() or 1):
        about += (
            " Other programs kept the machine busy, so only the processor time of the server tells "
            "something."
        )
    lines = [
        about,
        "",
        "| transport | connections | calls /s | server CPU µs a call | p50 ms | p99 ms |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, by_connections in found.items():
        for connections, load in by_connections.items():
            lines.append(
                f"| {name} | {connections} | {median(load.per_second):,.0f} "
                f"| {median(load.cpu_us):,.0f} "
                f"| {load.percentile(50):.2f} | {load.percentile(99):.2f} |"
            )
    lines += ["", "| ratio | 1 | 16 | 128 | aim |", "| --- | --- | --- | --- | --- |"]
    for ours, theirs, aim in (
        ("benchpin HTTP", "FastMCP HTTP", "≥ 5×"),
        ("benchpin WebSocket", "benchpin stdio", "≥ 0.5×"),
    ):
        pairs = [(found[ours][count], found[theirs][count]) for count in CONNECTIONS]
        by_clock = [median(it.per_second) / median(other.per_second) for it, other in pairs]
        by_cpu = [median(other.cpu_us) / median(it.cpu_us) for it, other in pairs]
        for what, ratios in (("calls /s", by_clock), ("CPU", by_cpu)):
            shown = " | ".join(f"{ratio:.2f}×" for ratio in ratios)
            lines.append(f"| {what}: {ours}, to {theirs} | {shown} | {aim} |")
    return lines


def main(rival_python: str = sys.executable) -> None:
    """Measure, and write the tables."""
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(Path(folder), rival_python))
    write_section("Transports", "\n".join(report(found)))


if __name__ == "__main__":
    help_if_asked(__doc__)
    main(*sys.argv[1:])
