"""The program at the other end of a connection, as far as the kernel needs to know it."""

import asyncio
import uuid
from dataclasses import dataclass, field
from typing import Any

from mcp.server.context import ServerRequestContext

from benchpin.core import Limits, LogLevel

from .bucket import TokenBucket

Context = ServerRequestContext["Peer", Any]

SCOPE_KEY = "benchpin.peer"
"""Where the HTTP transport leaves the peer of a request."""


@dataclass(slots=True, eq=False)
class Peer:
    """What belongs to one connection and outlives a request."""

    id: str
    bucket: TokenBucket
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Calls that change something take turns, in the order in which they arrived."""
    log_level: LogLevel = "info"
    subscriptions: set[str] = field(default_factory=set)

    @classmethod
    def under(cls, limits: Limits) -> "Peer":
        """Return a peer that has sent nothing yet."""
        bucket = TokenBucket(limits.burst, limits.per_second)
        return cls(f"mcp_session_{uuid.uuid4().hex[:12]}", bucket)


def peer_of(ctx: Context) -> Peer:
    """Return who sent a request: our transports say it; in-process clients share one peer."""
    if isinstance(ctx.request, Peer):
        return ctx.request
    scope = getattr(ctx.request, "scope", {})
    peer = scope.get(SCOPE_KEY)
    return peer if isinstance(peer, Peer) else ctx.lifespan_context
