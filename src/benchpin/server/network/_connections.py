"""TCP connections: how many there are, how fast they may ask, and how long they may take.

Sockets count from when they are accepted, because a client need not send anything. Imported only to
serve the network.
"""

import asyncio
import ipaddress
import math
from collections import Counter, OrderedDict
from http import HTTPStatus
from typing import Any

import h11
import uvicorn  # noqa: TID253 - this module is imported only to serve the network
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT  # noqa: TID253 - as above
from uvicorn.protocols.http.h11_impl import H11Protocol  # noqa: TID253 - as above
from uvicorn.protocols.websockets.websockets_sansio_impl import (  # noqa: TID253 - as above
    WebSocketsSansIOProtocol,
)
from uvicorn.server import ServerState  # noqa: TID253 - as above
from websockets.frames import CloseCode  # noqa: TID253 - as above

from benchpin.core.calls import Limits
from benchpin.server import Peer, Session, TokenBucket

from ._guard import LINK, Refusal, Scope
from ._plain_http import WHOLE_BODY, BodyReader, PlainCycle, PlainHead, read_head

# Messages are written in such pieces: then uvicorn buffers little of what is not read.
CHUNK_BYTES = 64 * 1024
# The part of all connections, or sessions, that one address may have.
_SHARE = 0.75
# How much faster an address may send requests than a connection.
_ADDRESS_FACTOR = 4
_MAX_ADDRESSES = 1_000
# A connection that sends no request for so long is closed if another one needs its place.
_SLOW_S = 1.0
_IPV6_NETWORK_BITS = 64


def share_of(most: int) -> int:
    """Return how many of `most` one address may have."""
    return math.ceil(most * _SHARE)


class TcpConnection:
    """One TCP connection."""

    def __init__(self, connections: "TcpConnections", transport: asyncio.Transport) -> None:
        """Count the connection; refuse it if there are too many."""
        self._connections = connections
        self._transport = transport
        self._time = asyncio.get_running_loop().time
        peer: tuple[str, int] | None = transport.get_extra_info("peername")
        self.address = _network_of(peer[0]) if peer else ""
        self.bucket = connections.bucket(self.address)
        self.peer = Peer.with_limits(connections.limits)
        """The client, as far as it has no session."""
        self.session: Session | None = None
        """The session of stateless requests on this connection."""
        self.websocket: WebSocketProtocol | None = None
        self.waiting_since: float | None = self._time()
        """Since when no request has been in progress; None while there is one."""
        self.is_used = False
        """Whether a request was answered."""
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the connection has ended."""
        self.refusal = connections.admit(self, self._time())

    @classmethod
    def of(cls, scope: Scope) -> "TcpConnection":
        """Return the connection of an ASGI request."""
        link: TcpConnection = scope["state"][LINK]
        return link

    def begin(self) -> None:
        """Note that a request is in progress."""
        self.waiting_since = None

    def end(self) -> None:
        """Note that the request was answered."""
        self.is_used = True
        self.waiting_since = self._time()

    def gives_way(self, now: float) -> bool:
        """Whether it may be closed for another connection."""
        if self.waiting_since is None:
            return False
        return self.is_used or now - self.waiting_since > _SLOW_S

    def lost(self) -> None:
        """Note that the connection has ended; stateless requests on it are cancelled."""
        self._connections.remove(self)
        if not self.gone.done():
            self.gone.set_result(None)
        if self.session is not None:
            self._connections.end(self.session)
            self.session = None

    async def send_message(self, message: bytes) -> None:
        """Send a WebSocket message; drop it if the client has disconnected."""
        if self.websocket is not None:
            await self.websocket.send_message(message)

    def turn_away(self, refusal: Refusal) -> None:
        """Refuse the connection before it has sent anything, and close it."""
        body, phrase = f"{refusal.reason}\n", HTTPStatus(refusal.status).phrase
        head = f"HTTP/1.1 {refusal.status} {phrase}\r\nconnection: close\r\n"
        self._transport.write(f"{head}content-length: {len(body)}\r\n\r\n{body}".encode())
        self._transport.close()

    def abort(self) -> None:
        """Close the connection now and drop what is not sent."""
        self._connections.remove(self)
        self._transport.abort()


class TcpConnections:
    """The open connections of a server, total and by address."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._open: set[TcpConnection] = set()
        self._refused: set[TcpConnection] = set()
        self._by_address: Counter[str] = Counter()
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def held(self) -> int:
        """How many sockets are open, with those that get a refusal when they have sent a head."""
        return len(self._open) + len(self._refused)

    def admit(self, link: TcpConnection, now: float) -> Refusal | None:
        """Count a connection, if need be in place of one that waits; else return a refusal."""
        most = self.limits.connections
        has_share = self._by_address[link.address] < share_of(most)
        if len(self._open) >= most or not has_share:
            candidates = [
                other
                for other in self._open
                if other.gives_way(now) and (has_share or other.address == link.address)
            ]
            if not candidates:
                whose = "" if has_share else " from this address"
                refusal = Refusal(503, f"Too many connections{whose}; raise limits.connections")
                if self.held < most:
                    self._refused.add(link)
                else:
                    link.turn_away(refusal)
                return refusal
            min(candidates, key=lambda it: it.waiting_since or now).abort()
        self._open.add(link)
        self._by_address[link.address] += 1
        if self.held > most:
            next(iter(self._refused)).abort()
        return None

    def remove(self, link: TcpConnection) -> None:
        """Discount a connection."""
        self._refused.discard(link)
        if link in self._open:
            self._open.remove(link)
            self._by_address[link.address] -= 1
            if not self._by_address[link.address]:
                del self._by_address[link.address]

    def bucket(self, address: str) -> TokenBucket:
        """Return a rate limit for a connection, within that of its address."""
        burst, per_second = self.limits.burst, self.limits.per_second
        shared = self._buckets.get(address)
        if shared is None:
            shared = TokenBucket(burst * _ADDRESS_FACTOR, per_second * _ADDRESS_FACTOR)
            self._buckets[address] = shared
        self._buckets.move_to_end(address)
        if len(self._buckets) > _MAX_ADDRESSES:
            self._buckets.popitem(last=False)
        return TokenBucket(burst, per_second, shared)

    def end(self, session: Session) -> None:
        """Cancel what is in progress in a session."""
        if session.is_ending:
            return
        task = asyncio.get_running_loop().create_task(session.finish(wait=False))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _network_of(host: str) -> str:
    """Return what counts as one address: for IPv6, all of a network."""
    if ":" not in host:
        return host
    address = host.partition("%")[0]
    return str(ipaddress.IPv6Network((address, _IPV6_NETWORK_BITS), strict=False))


class HttpProtocol(H11Protocol):
    """uvicorn's protocol; closes a connection that does not finish a request head in time."""

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        connections: TcpConnections,
        head_s: float,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._connections = connections
        self._head_s = head_s
        self._head_due_at: float | None = None
        """When a head that has begun must be whole; None if none has."""
        self._idle_until: float | None = None
        """When a connection without a request is closed; None while there is one."""
        self._timer: asyncio.TimerHandle | None = None
        self._body = BodyReader()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Count the connection and wait for a head."""
        super().connection_made(transport)
        self.link = TcpConnection(self._connections, transport)
        self.app_state = {**self.app_state, LINK: self.link}
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Take data; whatever is not a whole head has to become one in time."""
        if self._body.owed_bytes:
            data = self._body.take(data)
            if self._body.held_bytes > HIGH_WATER_LIMIT:
                self.flow.pause_reading()
        if not data:
            return
        self._idle_until = None
        if self._body.is_busy:  # the next request waits for the response to this one
            self._body.early += data
            self.flow.pause_reading()
            return
        head = read_head(data) if self._is_idle() else None
        if head is None:
            super().data_received(data)
        else:
            self._serve_plain(head, data)
        is_upgraded = self.transport.get_protocol() is not self
        # There is no cycle before the first request.
        if is_upgraded or not getattr(self.cycle, "response_complete", True):
            self.link.begin()
            self._forget_head()
        else:
            self._await_head()

    def _is_idle(self) -> bool:
        """Whether h11 is between two requests, and holds no part of the next one."""
        conn = self.conn
        is_between = conn.our_state is h11.IDLE and conn.their_state is h11.IDLE
        return is_between and not conn.trailing_data[0]

    def _serve_plain(self, head: PlainHead, data: bytes) -> None:
        """Serve a request without h11; its body may still be on its way."""
        self._unset_keepalive_if_required()
        scope = head.scope(self.app_state)
        cycle = PlainCycle(
            scope=scope,
            conn=self.conn,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            on_response=self._on_plain_response_complete,
        )
        self.cycle = self._body.cycle = cycle
        self._body.owed_bytes = head.body_bytes
        rest = self._body.take(data[head.size :])
        if not self._body.owed_bytes:
            scope[WHOLE_BODY] = bytes(cycle.body)
        if rest:
            self._body.early += rest
            self.flow.pause_reading()
        task = self.loop.create_task(cycle.run_asgi(self.app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that is malformed, in place of the application's answer."""
        cycle = getattr(self, "cycle", None)
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                return self.transport.close()
        return super().send_400_response(msg)

    def on_response_complete(self) -> None:
        """Note whether the next request has begun."""
        self.link.end()
        super().on_response_complete()
        if not self.cycle.response_complete:
            self.link.begin()

    def _on_plain_response_complete(self) -> None:
        """Wait for the next request, or serve what has come of it already."""
        self.link.end()
        if self.transport.is_closing():
            return
        self._idle_until = self.loop.time() + self.timeout_keep_alive
        self._watch(self._idle_until)
        self.flow.resume_reading()
        if self._body.early:
            early = bytes(self._body.early)
            self._body.early.clear()
            self.data_received(early)

    def connection_lost(self, exc: Exception | None) -> None:
        """Discount the connection."""
        self._forget_head()
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)
        self.link.lost()

    def _await_head(self) -> None:
        if self._head_due_at is None:
            self._head_due_at = self.loop.time() + self._head_s
            self._watch(self._head_due_at)

    def _forget_head(self) -> None:
        self._head_due_at = None

    def _watch(self, due_at: float) -> None:
        """Look at the connection at some time; a timer for each request would cost more."""
        if self._timer is None or self._timer.when() > due_at:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self.loop.call_at(due_at, self._check)

    def _check(self) -> None:
        self._timer = None
        now = self.loop.time()
        if self._head_due_at is not None and now >= self._head_due_at:
            self.transport.abort()
        elif self._idle_until is not None and now >= self._idle_until:
            self.transport.close()
        else:
            for due_at in (self._head_due_at, self._idle_until):
                if due_at is not None:
                    self._watch(due_at)


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's protocol, with long messages in fragments."""

    def __init__(
        self, config: uvicorn.Config, server_state: ServerState, app_state: dict[str, Any]
    ) -> None:
        super().__init__(config, server_state, app_state)
        self.link: TcpConnection = app_state[LINK]
        self.link.websocket = self

    def connection_lost(self, exc: Exception | None) -> None:
        """Discount the connection."""
        super().connection_lost(exc)
        self.link.lost()

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; close a connection that sends text that is not UTF-8."""
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:  # uvicorn would log it with a traceback
                self.conn.send_close(CloseCode.INVALID_DATA)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        """Answer a ping, unless the client does not read: the answers would fill memory."""
        # RFC 6455 §5.5.3: only the most recent ping has to be answered.
        pong = b"".join(self.conn.data_to_send())
        if self.writable.is_set():
            self.transport.write(pong)

    async def send_message(self, message: bytes) -> None:
        """Send a text message; wait until the client has read most of it."""
        last = max(0, len(message) - 1) // CHUNK_BYTES * CHUNK_BYTES
        for start in range(0, last + 1, CHUNK_BYTES):
            if self.disconnected or self.close_sent or self.transport.is_closing():
                return
            chunk = message[start : start + CHUNK_BYTES]
            send = self.conn.send_continuation if start else self.conn.send_text
            send(chunk, fin=start == last)
            self.transport.write(b"".join(self.conn.data_to_send()))
            if not self.writable.is_set():
                await self.writable.wait()
