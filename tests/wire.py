"""A raw connection to a session in the same process: lines in, decoded answers out."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from benchpin.server import Kernel, Outbox, Peer, Session, State
from waiting import WAIT_S

Answer = Any
Write = Callable[[bytes], Awaitable[None]]

HANDSHAKE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
STATELESS = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Wire:
    """Sends messages and takes the answers in the order in which they come."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.answers: asyncio.Queue[Answer] = asyncio.Queue()
        self.write: Write = self._keep
        self.session = session_of(kernel, self._send)
        self._is_stateless = False

    async def _send(self, message: bytes) -> None:
        await self.write(message)

    async def _keep(self, message: bytes) -> None:
        self.answers.put_nowait(json.loads(message))

    async def handshake(self, protocol_version: str = "2025-11-25") -> Answer:
        """Shake hands as a client of some version does."""
        params = {**HANDSHAKE["params"], "protocolVersion": protocol_version}
        answer = await self.ask({**HANDSHAKE, "params": params})
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    async def speak(self, protocol_version: str) -> None:
        """Speak a version from now on: with a handshake, or the envelope of the stateless one."""
        self._is_stateless = protocol_version == STATELESS
        if not self._is_stateless:
            await self.handshake(protocol_version)

    async def send(self, message: object) -> None:
        """Send a message, or bytes as they are."""
        if self._is_stateless and isinstance(message, dict) and "id" in message:
            params = message.get("params") or {}
            meta = {**params.get("_meta", {}), **ENVELOPE}
            message = {**message, "params": {**params, "_meta": meta}}
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        await asyncio.wait_for(self.session.receive(raw), WAIT_S)

    async def receive(self) -> Answer:
        """Take the next answer."""
        return await asyncio.wait_for(self.answers.get(), WAIT_S)

    async def ask(self, message: object) -> Answer:
        """Send a message and take one answer."""
        await self.send(message)
        return await self.receive()

    async def call(self, tool: str, **arguments: object) -> Answer:
        """Call a tool and take the answer."""
        return await self.ask(call(tool, 1, **arguments))

    async def close(self) -> None:
        """End the connection."""
        if self.session.state is not State.CLOSED:
            await self.session.finish(wait=False)
        await self.kernel.close()


def session_of(kernel: Kernel, write: Write) -> Session:
    """Return a session that sends with a function."""
    peer = Peer.with_limits(kernel.limits)
    return Session(kernel, peer, Outbox(kernel.unsent, peer, write, lambda: None), "test")


def call(tool: str, request_id: int | str = 1, /, **arguments: object) -> dict[str, Any]:
    """Return a `tools/call` request."""
    return request("tools/call", request_id, name=tool, arguments=arguments)


def request(method: str, request_id: int | str | None = 1, /, **params: object) -> dict[str, Any]:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
