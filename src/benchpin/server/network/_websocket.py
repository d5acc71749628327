"""Serve clients over WebSocket: each message is a text frame, each connection a session."""

import asyncio
from contextlib import suppress

from benchpin.server import Kernel, Outbox, Peer, Session
from benchpin.server.pipes import Oversized

from ._connections import Link
from ._guard import Receive, Scope, Send

_GOING_AWAY = 1001


class WebSocketEndpoint:
    """ASGI application that serves MCP over WebSocket."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._pumps: set[asyncio.Task[None]] = set()
        self._open: set[asyncio.Future[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection until the client goes or the server ends."""
        await receive()
        await send({"type": "websocket.accept"})
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._open.add(ended)
        try:
            await self._serve(Link.of(scope), receive, send)
        finally:
            self._open.discard(ended)
            ended.set_result(None)

    async def close(self, timeout_s: float) -> None:
        """Read no more, and wait until all requests are answered, at most `timeout_s`."""
        for pump in self._pumps:
            pump.cancel()
        if self._open:
            await asyncio.wait(set(self._open), timeout=timeout_s)

    async def _serve(self, link: Link, receive: Receive, send: Send) -> None:
        limits = self._kernel.limits
        peer = Peer.with_limits(limits, link.bucket)
        outbox = Outbox(self._kernel.unsent, peer, link.send_message, link.abort)
        session = Session(self._kernel, peer, outbox, "websocket")
        pump = asyncio.ensure_future(_pump(receive, session, limits.request_bytes))
        self._pumps.add(pump)
        # A pump that waits for a free slot does not notice that the client has gone.
        await asyncio.wait({pump, link.gone}, return_when=asyncio.FIRST_COMPLETED)
        self._pumps.discard(pump)
        # It is cancelled when the server ends; the client is still connected then.
        is_connected = pump.cancelled()
        pump.cancel()
        await session.finish(wait=is_connected)
        if is_connected:
            with suppress(RuntimeError, OSError):
                await send({"type": "websocket.close", "code": _GOING_AWAY})
        elif pump.done() and not pump.cancelled():
            pump.result()


async def _pump(receive: Receive, session: Session, max_bytes: int) -> None:
    """Take frames until the client disconnects."""
    while (frame := await receive())["type"] != "websocket.disconnect":
        text: str | None = frame.get("text")
        message: bytes = frame.get("bytes") or b"" if text is None else text.encode()
        if len(message) > max_bytes:
            await session.receive_oversized(Oversized.of(message))
        else:
            await session.receive(message)
