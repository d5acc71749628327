"""What is fuzzed of connections: lines, messages, HTTP, WebSocket, and what servers answer us."""

import asyncio
import base64
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from benchpin.performance.collector._exchange import Deadline, HttpExchange, _read
from benchpin.server import Kernel
from benchpin.server.network._network import Network, uvicorn_server
from benchpin.server.pipes._pipes import LineFramer
from everything.serving import kernel_for, workbench_for
from waiting import WAIT_S
from wire import Wire


def lines(data: bytes) -> None:
    for size in (1, 64):
        framer = LineFramer(32)
        for at in range(0, len(data), size):
            list(framer.feed(data[at : at + size]))
        framer.finish()


def edge(data: bytes) -> None:
    """Send lines to a session; it answers, or says what is wrong with them."""

    async def exchange(folder: str) -> None:
        wire = Wire(kernel_for(Path(folder)))
        try:
            for line in data.split(b"\n"):
                await wire.send(line)
            await wire.session.finish(wait=True)
        finally:
            await wire.close()
        while not wire.answers.empty():
            answers = wire.answers.get_nowait()
            for answer in answers if isinstance(answers, list) else [answers]:
                code = answer.get("error", {}).get("code")
                assert code != -32603, f"internal error: {answer}"

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(exchange(folder))


def http(data: bytes) -> None:
    """Send bytes to the protocol of the network server, and read what it answers."""
    answer = _served(data)
    assert not answer.startswith(b"HTTP/1.1 500"), answer


def websocket(data: bytes) -> None:
    """Open a WebSocket, and send a frame for each line: its first two bytes, and then its text.

    A frame of a client is masked; with zeros, so that the text is the text.
    """
    head = (
        b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        + base64.b64encode(bytes(16))
        + b"\r\n\r\n"
    )
    frames = []
    for line in data.split(b"\n"):
        size = len(line[2:]).to_bytes(2, "big")
        frames.append(line[:1] + bytes([0x80 | 126]) + size + bytes(4) + line[2:])
    answer = _served(head + b"".join(frames))
    assert answer.startswith(b"HTTP/1.1 101"), answer


def _served(data: bytes) -> bytes:
    async def exchange(folder: str) -> bytes:
        workbench = workbench_for(Path(folder))
        kernel, settings = Kernel(workbench), workbench.configuration.settings
        network = Network(kernel, settings)
        server = uvicorn_server(network, settings)
        server.config.load()
        ours, theirs = socket.socketpair()
        await asyncio.get_running_loop().connect_accepted_socket(
            lambda: server.config.http_protocol_class(  # type: ignore[call-arg]  # as uvicorn calls it
                config=server.config, server_state=server.server_state, app_state={}
            ),
            theirs,
        )
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            writer.write(data)
            writer.write_eof()
            async with asyncio.timeout(WAIT_S):
                return await reader.read()
        finally:
            writer.close()
            await network.close(0)
            await kernel.close()

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(exchange(folder))


def responses(data: bytes) -> None:
    """Read what a server answers to a timed request."""
    ours, theirs = socket.socketpair()

    def answer() -> None:
        with suppress(OSError), theirs:
            theirs.sendall(data)

    writer = threading.Thread(target=answer)
    writer.start()
    try:
        with ours:
            _read(ours, Deadline(5), HttpExchange(started_at_us=0, start=0))
    finally:
        writer.join()
