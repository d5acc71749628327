"""Streamable HTTP: the SDK's transport with our peers, time limits and shutdown."""

import asyncio
from collections import OrderedDict
from collections.abc import MutableMapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError

from .guard import App, Receive, Scope, Send
from .jsonrpc import rate_limited
from .kernel import Kernel
from .peer import SCOPE_KEY, Context, Peer, peer_of

_SESSION_HEADER = b"mcp-session-id"
_BODY_TIMEOUT_S = 30.0
_CLIENT_ERROR = 400
_DISCONNECT = {"type": "http.disconnect"}


class HttpFront:
    """ASGI middleware in front of the SDK's session manager.

    It gives each HTTP session a peer and limits the time for a request body. When the server ends,
    it closes streams that only listen, while requests in flight are still answered.
    """

    def __init__(self, app: App, kernel: Kernel, ending: asyncio.Event, most_peers: int) -> None:
        self._app = app
        self._kernel = kernel
        kernel.middleware.append(_limit_rate)
        self._ending = ending
        self._most_peers = most_peers
        self._peers: OrderedDict[bytes, Peer] = OrderedDict()
        self._stateless: OrderedDict[object, Peer] = OrderedDict()
        self._posts = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        headers = scope["headers"]
        session_id: bytes = next((value for name, value in headers if name == _SESSION_HEADER), b"")
        scope[SCOPE_KEY] = self._peer(session_id, scope.get("client"))
        match scope["method"]:
            case "GET":
                await self._app(scope, self._until_ending(receive), send)
            case "POST":
                await self._post(scope, receive, self._registering(send))
            case _:
                await self._app(scope, receive, send)
                self._forget(session_id)

    async def drain(self, timeout_s: float) -> None:
        """Wait for the requests in flight, at most `timeout_s`."""
        await asyncio.wait({asyncio.ensure_future(self._idle.wait())}, timeout=timeout_s)

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._posts += 1
        self._idle.clear()
        try:
            await self._app(scope, _with_body_timeout(receive), send)
        finally:
            self._posts -= 1
            if self._posts == 0:
                self._idle.set()

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
        if session_id:  # invented or expired; not stored, or clients could fill the table
            return Peer.with_limits(self._kernel.limits)
        peer = self._stateless.setdefault(client, Peer.with_limits(self._kernel.limits))
        self._stateless.move_to_end(client)
        if len(self._stateless) > self._most_peers:
            self._stateless.popitem(last=False)
        return peer

    def _registering(self, send: Send) -> Send:
        """Create a peer when a response opens a session."""

        async def send_and_register(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start" and message["status"] < _CLIENT_ERROR:
                opened = next((v for k, v in message["headers"] if k == _SESSION_HEADER), b"")
                if opened and opened not in self._peers:
                    self._peers[opened] = Peer.with_limits(self._kernel.limits)
                    if len(self._peers) > self._most_peers:
                        self._forget(next(iter(self._peers)))
            await send(message)

        return send_and_register

    def _forget(self, session_id: bytes) -> None:
        gone = self._peers.pop(session_id, None)
        if gone is not None:
            self._kernel.subscriptions.forget(gone)


async def _limit_rate(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Count requests over HTTP against the rate of their session.

    Our own connections, WebSocket included, count theirs in `Session`.
    """
    if ctx.request_id is not None and not isinstance(ctx.request, Peer):
        wait_ms = peer_of(ctx).bucket.take()
        if wait_ms:
            fault = rate_limited(None, wait_ms)
            raise MCPError(fault.code, fault.message, fault.details())
    return await call_next(ctx)


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
