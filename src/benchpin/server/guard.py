"""Who may connect over the network: the right host, a friendly origin, the token, and not too many.

Browsers are the danger: a page can send requests to a local server under a name of its own
(DNS rebinding), so Host and Origin are checked before anything else, WebSocket upgrades included.
"""

import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a connection is turned away."""

    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Doorkeeper:
    """The rules of entry."""

    names: frozenset[str]
    token: str | None

    @classmethod
    def at(cls, host: str, token: str | None) -> "Doorkeeper":
        """Return the rules for an address: loopback names are always its own."""
        return cls(LOOPBACK | {host}, token)

    def objection(self, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        """Return why a request may not enter; None when it may."""
        given = {name.lower(): value.decode("latin-1") for name, value in headers}
        if _hostname(f"//{given.get(b'host', '')}") not in self.names:
            return Refusal(403, "Host not allowed")
        origin = given.get(b"origin")
        if origin is not None and _hostname(origin) not in self.names:
            return Refusal(403, "Origin not allowed")
        if self.token is None:
            return None
        authorization = given.get(b"authorization")
        if authorization is None:
            return Refusal(401, "Bearer token required", ((b"www-authenticate", b"Bearer"),))
        expected = f"Bearer {self.token}".encode()
        if not hmac.compare_digest(authorization.encode(), expected):
            return Refusal(403, "Bearer token not accepted")
        return None


def _hostname(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


class Guard:
    """ASGI middleware: the rules of entry, and a bound on connections."""

    def __init__(self, app: App, doorkeeper: Doorkeeper, connections: int) -> None:
        self._app = app
        self._doorkeeper = doorkeeper
        self._free = connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a connection in, or turn it away."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._doorkeeper.objection(scope["headers"])
        if refusal is None and self._free <= 0:
            refusal = Refusal(503, "Too many connections; raise limits.connections")
        if refusal is not None:
            await _refuse(scope, send, refusal)
            return
        self._free -= 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._free += 1


async def _refuse(scope: Scope, send: Send, refusal: Refusal) -> None:
    prefix = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *refusal.headers]
    await send({"type": f"{prefix}.start", "status": refusal.status, "headers": headers})
    await send({"type": f"{prefix}.body", "body": refusal.reason.encode() + b"\n"})
