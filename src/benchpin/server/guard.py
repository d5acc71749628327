"""Who may connect over the network: the right host, a friendly origin, the token, and not too many.

Browsers are the danger: a page can send requests to a local server under a name of its own
(DNS rebinding), so Host and Origin are checked before anything else, WebSocket upgrades included.
"""

import hmac
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .logs import log_fields

logger = logging.getLogger("benchpin.network")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not listened on


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a connection is turned away."""

    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Doorkeeper:
    """The rules of entry."""

    names: frozenset[str] | None
    """Names that a request may call us by; None for any, where a token keeps strangers out."""
    token: str | None

    @classmethod
    def at(cls, host: str, token: str | None) -> "Doorkeeper":
        """Return the rules for an address: loopback names are always its own."""
        return cls(None if host in _EVERY_ADDRESS else LOOPBACK | {host}, token)

    def objection(self, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        """Return why a request may not enter; None when it may."""
        given = {name.lower(): value.decode("latin-1") for name, value in headers}
        host = _hostname(f"//{given.get(b'host', '')}")
        if host is None or (self.names is not None and host not in self.names):
            return Refusal(403, f"Host not allowed; use one of {self._shown()}")
        origin = given.get(b"origin")
        if origin is not None and _hostname(origin) not in (self.names or {*LOOPBACK, host}):
            return Refusal(403, f"Origin not allowed; use one of {self._shown()}")
        if self.token is None:
            return None
        scheme, _, token = given.get(b"authorization", "").partition(" ")
        if not scheme:
            return Refusal(401, "Bearer token required", ((b"www-authenticate", b"Bearer"),))
        is_right = hmac.compare_digest(token.strip().encode(), self.token.encode())
        if scheme.lower() != "bearer" or not is_right:
            return Refusal(403, "Bearer token not accepted")
        return None

    def _shown(self) -> str:
        return ", ".join(sorted(self.names or LOOPBACK))


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
            fields = {"event": "refused", "status": refusal.status, "reason": refusal.reason}
            log_fields(logger, logging.WARNING, fields)
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
