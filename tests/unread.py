"""Clients that ask for big answers and never read them."""

import json
import socket
import struct
from typing import Any

import psutil

from waiting import WAIT_S
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


def big_calls(count: int, rows: int) -> list[dict[str, Any]]:
    """Return calls with answers of about `rows` times 100 bytes."""
    return [call("make_big", number, rows=rows) for number in range(count)]


def deaf_socket(address: str) -> socket.socket:
    """Open a connection that takes little unread data."""
    host, port = address.split(":")
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.settimeout(WAIT_S)
    deaf.connect((host, int(port)))
    return deaf


def read_head(connection: socket.socket) -> bytes:
    """Read the head of an HTTP response, or what there is of it."""
    head = b""
    while b"\r\n\r\n" not in head and (byte := connection.recv(1)):
        head += byte
    return head


def upgrade(deaf: socket.socket, address: str) -> None:
    """Turn a connection into a WebSocket."""
    deaf.sendall(_UPGRADE.format(address).encode())
    assert b" 101 " in read_head(deaf)


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

    def falls_below(self, mib: float) -> bool:
        """Wait for memory to be given back."""
        return any(self.watch(0.25) < mib for _ in range(round(WAIT_S / 0.25)))

    @property
    def held_mib(self) -> float:
        """What is held now."""
        return self._now() - self._idle

    def _now(self) -> float:
        return float(self._process.memory_info().rss) / MIB
