"""What the kernel keeps for each connection."""

import asyncio
import uuid
from dataclasses import dataclass, field
from typing import Any

from mcp.server.context import ServerRequestContext

from benchpin.core import Caller, Limits, LogLevel

from .bucket import TokenBucket

Context = ServerRequestContext["Peer", Any]

SCOPE_KEY = "benchpin.peer"
"""The key of the peer in the ASGI scope of an HTTP request."""


@dataclass(slots=True, eq=False)
class Peer:
    """The state of one connection, across its requests."""

    id: str
    bucket: TokenBucket
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by a call that changes something; the next ones wait, in order of arrival."""
    log_level: LogLevel = "info"
    subscriptions: set[str] = field(default_factory=set)

    @classmethod
    def with_limits(cls, limits: Limits) -> "Peer":
        """Return a peer with a full rate limit."""
        bucket = TokenBucket(limits.burst, limits.per_second)
        return cls(f"mcp_session_{uuid.uuid4().hex[:12]}", bucket)

    def caller(self, correlation_id: str = "") -> Caller:
        """Return who is asking, as tools, logs and programs see it."""
        return Caller("mcp_client", "mcp", self.id, correlation_id)


def peer_of(ctx: Context) -> Peer:
    """Return the peer of a request; in-process clients share one."""
    if isinstance(ctx.request, Peer):
        return ctx.request
    scope = getattr(ctx.request, "scope", {})
    peer = scope.get(SCOPE_KEY)
    return peer if isinstance(peer, Peer) else ctx.lifespan_context
