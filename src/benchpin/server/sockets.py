"""The TCP connections of a server, counted and timed from the moment they are accepted."""

import asyncio
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from benchpin.core import Limits

from .bucket import TokenBucket
from .memory import Account, Memory

_HEAD_TIMEOUT_S = 10.0
_REFUSED_TIMEOUT_S = 1.0
_MOST_REFUSED = 32
"""Refused connections that still get an answer; more are closed at once."""
_RATE_SHARE = 10
"""An address may send as much as this many connections: new ones do not raise its rate further."""
_MOST_ADDRESSES = 4_096
_REFUSAL = b"Too many connections; raise limits.connections or limits.connections_per_peer\n"
_REFUSAL_RESPONSE = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n\r\n%b"
) % (len(_REFUSAL), _REFUSAL)


@dataclass(slots=True, eq=False)
class Socket:
    """One accepted connection."""

    transport: asyncio.Transport
    address: str
    account: Account
    is_idle: Callable[[], bool]
    """Whether it waits for a request that has not begun."""
    writable: asyncio.Event = field(default_factory=asyncio.Event)
    """Cleared while the client does not read."""


class Sockets:
    """All open connections, limited in number and for each address."""

    def __init__(self, memory: Memory, limits: Limits) -> None:
        self._memory = memory
        self._limits = limits
        self._open: dict[object, Socket] = {}
        self._by_address: Counter[str] = Counter()
        self._rates: OrderedDict[str, TokenBucket] = OrderedDict()
        self.refused = 0

    def open(
        self, client: object, transport: asyncio.Transport, is_idle: Callable[[], bool]
    ) -> Socket | None:
        """Add a connection; return None if there are too many."""
        address = address_of(client)
        if self._is_full(address) and not self._make_room(address):
            return None

        def progress() -> object:
            waiting = transport.get_write_buffer_size()
            return (waiting, _unsent(transport)) if waiting else None

        account = self._memory.open(f"{client}", progress, transport.abort)
        socket = Socket(transport, address, account, is_idle)
        socket.writable.set()
        self._open[client] = socket
        self._by_address[address] += 1
        return socket

    def close(self, client: object) -> None:
        """Remove a connection."""
        socket = self._open.pop(client, None)
        if socket is not None:
            socket.writable.set()
            self._memory.close(socket.account)
            self._by_address[socket.address] -= 1
            if not self._by_address[socket.address]:
                del self._by_address[socket.address]

    def find(self, client: object) -> Socket | None:
        """Return the connection of a client address."""
        return self._open.get(client)

    def rate_of(self, address: str) -> TokenBucket:
        """Return the rate that all connections and sessions of an address share."""
        rate = self._rates.get(address)
        if rate is None:
            limits = self._limits
            burst, per_second = limits.burst * _RATE_SHARE, limits.per_second * _RATE_SHARE
            rate = self._rates[address] = TokenBucket(burst, per_second)
            if len(self._rates) > _MOST_ADDRESSES:
                self._rates.popitem(last=False)
        self._rates.move_to_end(address)
        return rate

    def _is_full(self, address: str) -> bool:
        limits = self._limits
        return (
            len(self._open) >= limits.connections
            or self._by_address[address] >= limits.connections_per_peer
        )

    def _make_room(self, address: str) -> bool:
        """Close the oldest connection that is kept open between requests."""
        is_own = self._by_address[address] >= self._limits.connections_per_peer
        for client, socket in self._open.items():
            if (socket.address == address or not is_own) and socket.is_idle():
                socket.transport.abort()
                self.close(client)
                return True
        return False


def address_of(client: object) -> str:
    """Return the address of a client, without its port."""
    return str(client[0]) if isinstance(client, tuple) else ""


def _unsent(transport: asyncio.Transport) -> int:
    """Return the bytes that the system holds for the client: they show progress sooner."""
    if sys.platform == "linux":
        import fcntl  # noqa: PLC0415 - not on Windows
        import struct  # noqa: PLC0415 - with fcntl
        import termios  # noqa: PLC0415 - not on Windows

        with suppress(OSError, AttributeError, ValueError):
            descriptor = transport.get_extra_info("socket").fileno()
            answer = fcntl.ioctl(descriptor, termios.TIOCOUTQ, b"\0\0\0\0")
            return int(struct.unpack("i", answer)[0])
    return 0


def http_protocol(sockets: Sockets) -> type[Any]:  # noqa: C901 - one class, made when uvicorn is loaded
    """Return the protocol of HTTP, on these sockets."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class CountedHttp(H11Protocol):
        """Counts the connection, and closes it if a request is not complete in time."""

        _socket: Socket | None = None
        _timer: asyncio.TimerHandle | None = None
        _is_refused = False

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
            super().connection_made(transport)
            self._socket = sockets.open(self.client, transport, self._is_between_requests)
            if self._socket is None:
                self._is_refused = True
                sockets.refused += 1
                if sockets.refused > _MOST_REFUSED:
                    transport.abort()
            self._wait_for_request(_REFUSED_TIMEOUT_S if self._is_refused else _HEAD_TIMEOUT_S)

        def data_received(self, data: bytes) -> None:
            if self._is_refused:
                # Answered only now: closing before the request has come would lose the answer.
                self.transport.write(_REFUSAL_RESPONSE)
                self.transport.close()
                return
            super().data_received(data)
            if self.transport.get_protocol() is self and self._has_no_request():
                # uvicorn ends its own timer with the first byte, also of the next request.
                self._wait_for_request(_HEAD_TIMEOUT_S)
            else:
                self._stop_waiting()

        def pause_writing(self) -> None:
            super().pause_writing()
            if self._socket is not None:
                self._socket.writable.clear()

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._socket is not None:
                self._socket.writable.set()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            if self._is_refused:
                sockets.refused -= 1
            elif sockets.find(self.client) is self._socket:
                sockets.close(self.client)
            super().connection_lost(exc)

        def _has_no_request(self) -> bool:
            cycle: Any = self.cycle  # None until the first request, though its type does not say
            return cycle is None or bool(cycle.response_complete)

        def _is_between_requests(self) -> bool:
            is_waiting = self.transport.get_protocol() is self and self._timer is None
            has_answered = bool(getattr(self.cycle, "response_complete", False))
            return is_waiting and has_answered and not self.transport.get_write_buffer_size()

        def _wait_for_request(self, timeout_s: float) -> None:
            if self._timer is None:
                self._timer = self.loop.call_later(timeout_s, self._give_up)

        def _stop_waiting(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _give_up(self) -> None:
            self._timer = None
            self.transport.abort()

    return CountedHttp


def websocket_protocol(sockets: Sockets) -> type[Any]:
    """Return the protocol of WebSocket, on these sockets."""
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

    class CountedWebSocket(WebSocketsSansIOProtocol):
        """Takes over the connection of an upgraded HTTP request."""

        def pause_writing(self) -> None:
            super().pause_writing()
            if (socket := sockets.find(self.client)) is not None:
                socket.writable.clear()

        def resume_writing(self) -> None:
            super().resume_writing()
            if (socket := sockets.find(self.client)) is not None:
                socket.writable.set()

        def connection_lost(self, exc: Exception | None) -> None:
            sockets.close(self.client)
            super().connection_lost(exc)

    return CountedWebSocket
