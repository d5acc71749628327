"""Access over the network: host, origin and token.

A web page can send requests to a local server under a host name of its own (DNS rebinding). So
Host and Origin are checked before anything else, also for WebSocket upgrades.
"""

import hmac
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from benchpin.server import log_fields

logger = logging.getLogger("benchpin.network")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# The key of the connection in the state of an ASGI request.
LINK = "benchpin.link"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
# Headers that decide about access: of two, a proxy may have checked the other one.
_ONCE = frozenset({b"host", b"origin", b"authorization"})
# Where both are given, a proxy may have cut the stream into other requests than we would.
_LENGTHS = frozenset({b"content-length", b"transfer-encoding"})
_EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not listened on


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a connection is refused."""

    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class AccessRules:
    """Which requests are accepted."""

    names: frozenset[str] | None
    """Host names that a request may use; None for any, when a token is required."""
    token: str | None

    @classmethod
    def at(cls, host: str, token: str | None) -> "AccessRules":
        """Return the rules of a server at an address; loopback names are always accepted."""
        return cls(None if host in _EVERY_ADDRESS else LOOPBACK | {host}, token)

    def check(self, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        """Return why a request is refused; None if it is accepted."""
        given: dict[bytes, str] = {}
        for raw_name, value in headers:
            name = raw_name.lower()
            if name in given and name in _ONCE:
                return Refusal(400, f"{name.decode().title()} appears more than once; send one")
            given[name] = value.decode("latin-1")
        if given.keys() >= _LENGTHS:
            return Refusal(400, "Content-Length beside Transfer-Encoding; send one of them")
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


@lru_cache(maxsize=64)
def _hostname(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


class Guard:
    """ASGI middleware that applies the rules, and refuses connections beyond the limit."""

    def __init__(self, app: App, rules: AccessRules) -> None:
        self._app = app
        # A client sends the same headers with most of its requests.
        self._check = lru_cache(maxsize=128)(rules.check)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        refusal = self._check(tuple(scope["headers"])) or scope["state"][LINK].refusal
        if refusal is None:
            await self._app(scope, receive, send)
            return
        fields = {"event": "refused", "status": refusal.status, "reason": refusal.reason}
        log_fields(logger, logging.WARNING, fields)
        await refuse(scope, send, refusal)


async def refuse(scope: Scope, send: Send, refusal: Refusal) -> None:
    """Answer a request, or an attempt to open a WebSocket, with a status."""
    prefix = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    body = refusal.reason.encode() + b"\n"
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
        *refusal.headers,
    ]
    await send({"type": f"{prefix}.start", "status": refusal.status, "headers": headers})
    await send({"type": f"{prefix}.body", "body": body})


async def answer(
    send: Send, status: int, text: str, content_type: str = "text/plain; charset=utf-8"
) -> None:
    """Answer a request of an operator or a load balancer."""
    body = text.encode()
    headers = [
        (b"content-type", content_type.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
