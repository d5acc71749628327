"""Serve clients over WebSocket: each message is a text frame, each connection a session."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from .kernel import Kernel
from .lines import Oversized
from .session import Session

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

_GOING_AWAY = 1001


class WebSockets:
    """The WebSocket connections of one server."""

    def __init__(self, kernel: Kernel, ending: asyncio.Event) -> None:
        self._kernel = kernel
        self._ending = ending
        self._open: set[asyncio.Task[None]] = set()

    async def serve(self, socket: "WebSocket") -> None:
        """Serve one connection until the client goes or the server ends."""
        task = asyncio.ensure_future(self._serve(socket))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        await task

    async def drain(self, timeout_s: float) -> None:
        """Wait until the connections have ended, at most `timeout_s`."""
        if self._open:
            await asyncio.wait(set(self._open), timeout=timeout_s)

    async def _serve(self, socket: "WebSocket") -> None:
        await socket.accept()
        sending = asyncio.Lock()

        async def write(message: bytes) -> None:
            async with sending:
                # Sending fails when the client has disconnected; the answer is then dropped.
                with suppress(RuntimeError, OSError):
                    await socket.send_text(message.decode())

        session = Session(self._kernel, write, "websocket")
        is_connected = await self._pump(socket, session)
        await session.finish(wait=is_connected)
        if is_connected:
            with suppress(RuntimeError, OSError):
                await socket.close(code=_GOING_AWAY)

    async def _pump(self, socket: "WebSocket", session: Session) -> bool:
        """Receive frames; return whether the client is still connected at the end."""
        max_bytes = self._kernel.limits.request_bytes
        ended = asyncio.ensure_future(self._ending.wait())
        try:
            while True:
                receiving = asyncio.ensure_future(socket.receive())
                await asyncio.wait({receiving, ended}, return_when=asyncio.FIRST_COMPLETED)
                if not receiving.done():
                    receiving.cancel()
                    return True
                frame = receiving.result()
                if frame["type"] == "websocket.disconnect":
                    return False
                text: str | None = frame.get("text")
                message: bytes = frame.get("bytes") or b"" if text is None else text.encode()
                if len(message) > max_bytes:
                    await session.receive_oversized(Oversized.of(message))
                else:
                    await session.receive(message)
        finally:
            ended.cancel()
