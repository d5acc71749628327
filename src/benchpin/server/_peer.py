"""What the kernel keeps for each connection."""

import asyncio
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp.server.context import ServerRequestContext

from benchpin.core.calls import Caller, Limits, LogLevel
from benchpin.server.network import TokenBucket

if TYPE_CHECKING:
    from ._sdk_adapter import CallContext

Context = ServerRequestContext["Peer", Any]


@dataclass(slots=True, eq=False)
class Peer:
    """The state of one connection, across its requests."""

    id: str
    bucket: TokenBucket
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by a call that changes something; the next ones wait, in order of arrival."""
    log_level: LogLevel = "info"
    subscriptions: set[str] = field(default_factory=set)
    unsent_bytes: int = 0
    """The size of the messages that are encoded and that the client has not read yet."""

    @classmethod
    def with_limits(cls, limits: Limits, within: TokenBucket | None = None) -> "Peer":
        """Return a peer with a full rate limit, which counts towards another one as well."""
        bucket = TokenBucket(limits.burst, limits.per_second, within)
        return cls(f"mcp_session_{uuid.uuid4().hex[:12]}", bucket)

    def caller(self, correlation_id: str = "") -> Caller:
        """Return who is asking, as tools, logs and programs see it."""
        return Caller("mcp_client", "mcp", self.id, correlation_id)


def peer_of(ctx: "CallContext") -> Peer:
    """Return the peer of a request; in-process clients share one."""
    return ctx.request if isinstance(ctx.request, Peer) else ctx.lifespan_context
