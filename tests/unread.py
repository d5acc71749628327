"""Clients that ask for big answers and never read them."""

import json
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psutil

from wire import call

MIB = 2**20
_UPGRADE = (
    "GET /mcp HTTP/1.1\r\nhost: {}\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def post(address: str, message: object, **headers: str) -> bytes:
    """Return an HTTP request as it is sent."""
    body = json.dumps(message)
    fields = {
        "host": address,
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "content-length": str(len(body)),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    lines = [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join(["POST /mcp HTTP/1.1", *lines, "", body]).encode()


def frame(message: object) -> bytes:
    """Return a WebSocket frame as a client sends it; the mask changes nothing."""
    body = json.dumps(message).encode()
    assert len(body) < 2**16
    return b"\x81\xfe" + struct.pack("!H", len(body)) + b"\0\0\0\0" + body


def big_calls(count: int, rows: int) -> list[dict[str, object]]:
    """Return calls with answers of about `rows` times 100 bytes."""
    return [call("make_big", number, rows=rows) for number in range(count)]


@contextmanager
def deaf_sockets(address: str, count: int) -> Iterator[list[socket.socket]]:
    """Open connections that take little unread data."""
    host, port = address.split(":")
    with ExitStack() as stack:
        opened = []
        for _ in range(count):
            deaf = stack.enter_context(socket.socket())
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect((host, int(port)))
            opened.append(deaf)
        yield opened


def upgrade(deaf: socket.socket, address: str) -> None:
    """Turn a connection into a WebSocket."""
    deaf.sendall(_UPGRADE.format(address).encode())
    head = b""
    while b"\r\n\r\n" not in head:
        head += deaf.recv(1)
    assert b" 101 " in head


def send_what_fits(deaf: socket.socket, messages: list[bytes]) -> None:
    """Send until the server stops reading."""
    deaf.setblocking(False)
    for message in messages:
        try:
            deaf.sendall(message)
        except OSError:
            return


class Memory:
    """The memory of a server, beyond what it had when it was idle."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._idle = self._now()
        self.peak_mib = 0.0

    def watch(self, seconds: float) -> float:
        """Look every 50 ms for a while; return what is held in the end."""
        for _ in range(round(seconds / 0.05)):
            self._process.cpu_percent(interval=0.05)
            self.peak_mib = max(self.peak_mib, self.held_mib)
        return self.held_mib

    @property
    def held_mib(self) -> float:
        """What is held now."""
        return self._now() - self._idle

    def _now(self) -> float:
        return float(self._process.memory_info().rss) / MIB
