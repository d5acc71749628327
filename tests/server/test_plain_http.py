"""Plain requests are read without h11, and answered as h11 would; all others are left to it."""

import asyncio
import json
import re
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from benchpin.core.calls import Limits
from benchpin.server.network import _connections as connections
from benchpin.server.network._connections import HttpProtocol, TcpConnections
from benchpin.server.network._guard import Receive, Scope, Send
from benchpin.server.network._plain_http import read_head
from waiting import WAIT_S

HEAD = (
    b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:3000\r\nAccept: application/json\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n%s\r\n"
)


def posted(body: bytes, more: bytes = b"") -> bytes:
    """Return a plain request."""
    return HEAD % (len(body), more) + body


def test_the_head_of_a_plain_request_is_read() -> None:
    data = posted(b"{}", b"Mcp-Session-Id:  abc \r\n".replace(b"  abc ", b" abc"))
    head = read_head(data)
    assert head is not None
    assert (head.path, head.body_bytes, data[head.size :]) == ("/mcp", 2, b"{}")
    assert (b"mcp-session-id", b"abc") in head.headers
    assert (b"host", b"127.0.0.1:3000") in head.headers


PLAIN = posted(b"{}")


@pytest.mark.parametrize(
    "data",
    [
        posted(b"{}", b"Connection: close\r\nConnection: keep-alive\r\n"),
        posted(b"{}", b"Connection: keep-alive\r\nConnection: keep-alive\r\n"),
        PLAIN.replace(b"POST", b"GET"),
        PLAIN.replace(b"POST", b"post"),
        PLAIN.replace(b"HTTP/1.1", b"HTTP/1.0"),
        PLAIN.replace(b"/mcp", b"/mcp?a=b"),
        PLAIN.replace(b"/mcp", b"http://127.0.0.1/mcp"),
        PLAIN.replace(b"/mcp", b"/%6dcp"),
        PLAIN.replace(b"\r\n", b"\n"),
        PLAIN.replace(b"POST", b"\r\nPOST"),
        PLAIN.replace(b"Host: 127.0.0.1:3000\r\n", b""),
        PLAIN.replace(b"Host:", b"Host :"),
        PLAIN.replace(b"Host: ", b"Host:\t"),
        PLAIN.replace(b"application/json\r\nContent-T", b"application/json\r\n more\r\nContent-T"),
        PLAIN.replace(b"Content-Length: 2\r\n", b""),
        PLAIN.replace(b"Length: 2", b"Length: +2"),
        PLAIN.replace(b"Length: 2", b"Length: 2, 2"),
        PLAIN.replace(b"Length: 2", b"Length: -2"),
        PLAIN.replace(b"Length: 2", b"Length: 0x2"),
        PLAIN.replace(b"Length: 2", b"Length: 22222222222"),
        posted(b"{}", b"Content-Length: 2\r\n"),
        posted(b"{}", b"content-length: 3\r\n"),
        posted(b"{}", b"Host: evil\r\n"),
        posted(b"{}", b"Transfer-Encoding: chunked\r\n"),
        posted(b"{}", b"transfer-ENCODING: identity\r\n"),
        posted(b"{}", b"Expect: 100-continue\r\n"),
        posted(b"{}", b"Upgrade: websocket\r\n"),
        posted(b"{}", b"Connection: close\r\n"),
        posted(b"{}", b"Connection: keep-alive, Upgrade\r\n"),
        posted(b"{}", b"A: caf\xe9\r\n"),
        posted(b"{}", b"A: a\0b\r\n"),
        posted(b"{}", b"A: a\rb\r\n"),
        posted(b"{}", b"A:\r\n"),
        posted(b"{}", b"A: b \r\n"),
        posted(b"{}", b"A: " + b"b" * 20_000 + b"\r\n"),
        PLAIN[:-6],
        b"",
    ],
)
def test_whatever_differs_from_the_plain_shape_is_left_to_h11(data: bytes) -> None:
    assert read_head(data) is None


class Wire(asyncio.Transport):
    """A connection of which the test plays the client."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.is_paused = False
        self.is_closed = False
        self.closed = asyncio.Event()
        self.protocol: Any = None

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 1) if name in {"peername", "sockname"} else default

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += bytes(data)

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True
        self.closed.set()

    abort = close

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def get_protocol(self) -> Any:
        return self.protocol


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with what was asked; `refuse` without the body, `stream` in pieces."""
    path = scope["path"]
    if path == "/refuse":
        await _answer(send, 400, b"refused")
        return
    if path == "/end":
        await _answer(send, 413, b"too large", ((b"connection", b"close"),))
        return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    if path == "/stream":
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for piece in (b"data: 1\r\n\r\n", b"", body):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return
    names = sorted(name.decode() for name, _ in scope["headers"])
    await _answer(send, 200, json.dumps([path, names, body.decode()]).encode())


async def _answer(
    send: Send, status: int, body: bytes, more: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    headers = [(b"content-length", b"%d" % len(body)), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def settle() -> None:
    """Let everything run that can."""
    for _ in range(30):
        await asyncio.sleep(0)


async def conversation(pieces: list[bytes]) -> tuple[bytes, bool]:
    """Send pieces; return what came back, without the date, and whether the connection ended."""
    wire = Wire()
    config = uvicorn.Config(application, lifespan="off", log_config=None, server_header=False)
    limits = TcpConnections(Limits())
    protocol = HttpProtocol(config, ServerState(), {}, connections=limits, head_s=10.0)
    wire.set_protocol(protocol)
    protocol.connection_made(wire)
    for piece in pieces:
        if wire.is_closed:
            break
        while wire.is_paused:
            await settle()
        protocol.data_received(piece)
        await settle()
    is_closed = wire.is_closed
    protocol.connection_lost(None)
    await settle()
    return re.sub(rb"(?i)date: .*?\r\n", b"", wire.written), is_closed


TWO = posted(b'{"a": 1}').replace(b"/mcp", b"/one") + posted(b"xyz").replace(b"/mcp", b"/two")
STREAM = posted(b"data: 2\r\n\r\n").replace(b"/mcp", b"/stream") + PLAIN
REFUSED = posted(b"a long body" * 10).replace(b"/mcp", b"/refuse") + PLAIN
MIXED = PLAIN + posted(b"{}", b"Transfer-Encoding: identity\r\n").replace(
    b"Transfer-Encoding: identity", b"Accept-Language: caf\xe9"
)
ENDED = posted(b"a body").replace(b"/mcp", b"/end")


@pytest.mark.anyio
@pytest.mark.parametrize("stream", [TWO, STREAM, REFUSED, MIXED, ENDED, PLAIN * 3])
async def test_however_the_bytes_arrive_the_answers_are_those_of_h11(
    stream: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [await conversation([stream[:at], stream[at:]]) for at in range(1, len(stream))]
    one_by_one = await conversation([stream[at : at + 1] for at in range(len(stream))])
    monkeypatch.setattr(connections, "read_head", lambda _data: None)
    expected = await conversation([stream])
    assert {_told(it) for it in [*found, one_by_one]} == {_told(expected)}


def _told(seen: tuple[bytes, bool]) -> tuple[bytes, bool]:
    """Return a conversation without what HTTP leaves open: case of names, sizes of chunks."""
    written, is_closed = seen
    lines = re.sub(rb"(?m)^([A-Za-z-]+):", lambda it: it[0].lower(), written)
    lines = re.sub(rb"\r\n[0-9a-f]+\r\n(?=data)", b"\r\n#\r\n", lines)
    return lines, is_closed


@pytest.mark.anyio
async def test_plain_requests_do_not_reach_h11(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    monkeypatch.setattr("h11.Connection.receive_data", lambda _self, data: seen.append(data))
    written, _ = await conversation([PLAIN, PLAIN[:-2], PLAIN[-2:]])
    assert written.count(b"HTTP/1.1 200 OK\r\n") == 2
    assert not seen


@pytest.mark.anyio
async def test_a_connection_is_closed_when_no_further_request_comes() -> None:
    wire = Wire()
    config = uvicorn.Config(application, lifespan="off", log_config=None, server_header=False)
    limits = TcpConnections(Limits())
    protocol = HttpProtocol(config, ServerState(), {}, connections=limits, head_s=10.0)
    protocol.timeout_keep_alive = 0
    wire.set_protocol(protocol)
    protocol.connection_made(wire)
    protocol.data_received(PLAIN)
    await asyncio.wait_for(wire.closed.wait(), WAIT_S)
    assert wire.written.startswith(b"HTTP/1.1 200 OK")
    protocol.connection_lost(None)
