"""Streamable HTTP: the SDK's transport with our peers, limits, checks and shutdown."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from mcp.server.context import CallNext, HandlerResult
from mcp.server.transport_security import RequestBodyLimitMiddleware
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from .events import Sessions
from .guard import Receive, Refusal, Scope, Send, refuse
from .jsonrpc import INTERNAL_ERROR, Fault, answer_key, decode, encode, rate_limited
from .kernel import Kernel
from .memory import Abandoned, Account
from .peer import SCOPE_KEY, Context, Peer, peer_of
from .sockets import Sockets, address_of
from .wire_errors import fault_envelope

_SESSION_HEADER = b"mcp-session-id"
_VERSION_HEADER = b"mcp-protocol-version"
_EXCHANGE_KEY = "benchpin.exchange"
_BODY_TIMEOUT_S = 30.0
_SHARE_OF_SESSIONS = 0.8
"""The part of all sessions that one address may have."""
_COPIES = 4
"""The SDK has an answer in memory several times: decoded, as a model, as text and as an event."""
_CLIENT_ERROR = 400
_BAD_REQUEST = 400
_TOO_MANY_REQUESTS = 429
_DISCONNECT = {"type": "http.disconnect"}


@dataclass(slots=True, eq=False)
class _Exchange:
    """A POST request and its answer, in the account of their connection."""

    account: Account
    key: str = ""
    request_bytes: int = 0
    reserved_bytes: int = 0
    sent_bytes: int = 0

    async def begin(self, key: str) -> None:
        """Wait until there is room for the answer."""
        self.key = key
        self.reserved_bytes += await self.account.admit_request(key, _COPIES)

    def answered(self, waiting_bytes: int) -> None:
        """Hold only the bytes that wait to be sent from now on."""
        self.account.answers.hold(waiting_bytes - self.reserved_bytes)
        self.reserved_bytes = waiting_bytes

    def end(self) -> None:
        """Release what is held, once the answer is sent."""
        if self.key:
            self.account.memory.learn(self.key, self.sent_bytes)
        self.account.messages.hold(-self.request_bytes)
        self.account.answers.hold(-self.reserved_bytes)


class HttpFront:
    """ASGI middleware in front of the SDK's session manager.

    It gives each HTTP session a peer, checks each message as on the other transports, and limits
    the time for a request body. When the server ends, it closes streams that only listen, while
    requests in flight are still answered.
    """

    def __init__(
        self,
        sessions: Sessions,
        kernel: Kernel,
        sockets: Sockets,
        ending: asyncio.Event,
        most_sessions: int,
    ) -> None:
        self._app = sessions.handle_request
        self._limited = RequestBodyLimitMiddleware(self._checked, kernel.limits.request_bytes)
        self._sessions = sessions
        self._kernel = kernel
        self._sockets = sockets
        kernel.middleware.insert(0, _admit)
        self._ending = ending
        self._most_peers = 2 * most_sessions
        self._most_sessions_each = max(1, int(most_sessions * _SHARE_OF_SESSIONS))
        self._owners: dict[bytes, str] = {}
        self._owned: Counter[str] = Counter()
        self._peers: OrderedDict[bytes, Peer] = OrderedDict()
        self._stateless: OrderedDict[object, Peer] = OrderedDict()
        self._posts = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        session_id = _header(scope["headers"], _SESSION_HEADER)
        scope[SCOPE_KEY] = self._peer(session_id, scope.get("client"))
        match scope["method"]:
            case "GET":
                await self._app(scope, self._until_ending(receive), send)
            case "POST":
                await self._post(scope, receive, self._registering(scope, send))
            case _:
                await self._app(scope, receive, send)
                self._forget(session_id)

    async def drain(self, timeout_s: float) -> None:
        """Wait for the requests in flight, at most `timeout_s`."""
        await asyncio.wait({asyncio.ensure_future(self._idle.wait())}, timeout=timeout_s)

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        socket = self._sockets.find(scope.get("client"))
        if socket is None:  # closed before it was served
            return
        self._posts += 1
        self._idle.clear()
        exchange = scope[_EXCHANGE_KEY] = _Exchange(socket.account)

        async def send_and_count(message: MutableMapping[str, Any]) -> None:
            exchange.sent_bytes += len(message.get("body", b""))
            await send(message)

        try:
            with suppress(Abandoned):
                await self._limited(scope, _with_body_timeout(receive), send_and_count)
            # The answer stays in the buffer of the connection until the client reads it.
            exchange.answered(socket.transport.get_write_buffer_size())
            await socket.writable.wait()
        finally:
            exchange.end()
            self._posts -= 1
            if self._posts == 0:
                self._idle.set()

    async def _checked(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request whose body has arrived, as far as that is short enough."""
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        if self._has_too_many_sessions(scope):
            reason = "Too many sessions of this address; end some with DELETE"
            await refuse(scope, send, Refusal(503, reason))
            return
        first: MutableMapping[str, Any] | None = await receive()
        if first is not None and first["type"] == "http.request" and not first.get("more_body"):
            exchange: _Exchange = scope[_EXCHANGE_KEY]
            exchange.request_bytes = await exchange.account.admit_message(len(first["body"]))
            message = decode(first["body"])
            if isinstance(message, Fault):
                await _answer_fault(message, scope[SCOPE_KEY], send)
                return

        async def replay() -> MutableMapping[str, Any]:
            nonlocal first
            message, first = first, None
            return await receive() if message is None else message

        await self._app(scope, replay, send)

    def _has_too_many_sessions(self, scope: Scope) -> bool:
        """Whether a request would open a session, and its address may open no more."""
        version = _header(scope["headers"], _VERSION_HEADER).decode("latin-1")
        if _header(scope["headers"], _SESSION_HEADER) or (
            version and version not in HANDSHAKE_PROTOCOL_VERSIONS
        ):
            return False
        address = address_of(scope.get("client"))
        if self._owned[address] >= self._most_sessions_each:
            for session_id in [it for it in self._owners if not self._sessions.is_open(it)]:
                self._forget(session_id)
        return self._owned[address] >= self._most_sessions_each

    def _until_ending(self, receive: Receive) -> Receive:
        async def receive_or_end() -> MutableMapping[str, Any]:
            receiving = asyncio.ensure_future(receive())
            ending = asyncio.ensure_future(self._ending.wait())
            try:
                await asyncio.wait({receiving, ending}, return_when=asyncio.FIRST_COMPLETED)
                return receiving.result() if receiving.done() else dict(_DISCONNECT)
            finally:
                receiving.cancel()
                ending.cancel()

        return receive_or_end

    def _peer(self, session_id: bytes, client: object) -> Peer:
        """Return the peer of a session or, in the stateless era, of a connection."""
        if session_id in self._peers:
            self._peers.move_to_end(session_id)
            return self._peers[session_id]
        # A made-up or expired id counts as none: it brings no rate of its own.
        peer = self._stateless.get(client)
        if peer is None:
            peer = self._stateless[client] = self._new_peer(client)
            if len(self._stateless) > self._most_peers:
                self._stateless.popitem(last=False)
        self._stateless.move_to_end(client)
        return peer

    def _new_peer(self, client: object) -> Peer:
        rate = self._sockets.rate_of(address_of(client))
        return Peer.with_limits(self._kernel.limits, rate)

    def _registering(self, scope: Scope, send: Send) -> Send:
        """Create a peer when a response opens a session."""

        async def send_and_register(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start" and message["status"] < _CLIENT_ERROR:
                opened = _header(message["headers"], _SESSION_HEADER)
                if opened and opened not in self._peers:
                    self._peers[opened] = self._new_peer(scope.get("client"))
                    self._owners[opened] = address_of(scope.get("client"))
                    self._owned[self._owners[opened]] += 1
                    if len(self._peers) > self._most_peers:
                        self._forget(next(iter(self._peers)))
            await send(message)

        return send_and_register

    def _forget(self, session_id: bytes) -> None:
        owner = self._owners.pop(session_id, None)
        if owner is not None:
            self._owned[owner] -= 1
            if not self._owned[owner]:
                del self._owned[owner]
        gone = self._peers.pop(session_id, None)
        if gone is not None:
            self._kernel.subscriptions.forget(gone)


async def _admit(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Count requests over HTTP against the rate of their session, and wait for memory.

    Our own connections, WebSocket included, do so in `Session`.
    """
    if ctx.request_id is not None and not isinstance(ctx.request, Peer):
        wait_ms = peer_of(ctx).take()
        if wait_ms:
            fault = rate_limited(None, wait_ms)
            raise MCPError(fault.code, fault.message, fault.details())
        exchange = getattr(ctx.request, "scope", {}).get(_EXCHANGE_KEY)
        if isinstance(exchange, _Exchange):
            try:
                await exchange.begin(answer_key(ctx.method, ctx.params))
            except Abandoned as error:
                raise MCPError(INTERNAL_ERROR, "Connection closed") from error
    return await call_next(ctx)


async def _answer_fault(fault: Fault, peer: Peer, send: Send) -> None:
    wait_ms = peer.take()
    status = _TOO_MANY_REQUESTS if wait_ms else _BAD_REQUEST
    body = encode(fault_envelope(rate_limited(fault.id, wait_ms) if wait_ms else fault))
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _header(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> bytes:
    return next((value for name, value in headers if name.lower() == wanted), b"")


def _with_body_timeout(receive: Receive) -> Receive:
    """Disconnect a client that does not finish sending its body in time."""
    deadline = asyncio.get_running_loop().time() + _BODY_TIMEOUT_S
    is_complete = False

    async def receive_in_time() -> MutableMapping[str, Any]:
        nonlocal is_complete
        if is_complete:
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            message = dict(_DISCONNECT)
        is_complete = not message.get("more_body", False)
        return message

    return receive_in_time
