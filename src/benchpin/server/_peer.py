"""What is kept for each connection: its state, its rate limit, what its client asked for."""

import asyncio
import math
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mcp.server.context import ServerRequestContext

from benchpin.core.calls import Caller, Limits, LogLevel

if TYPE_CHECKING:
    from ._sdk_adapter import CallContext

Context = ServerRequestContext["Peer", Any]


class TokenBucket:
    """Holds up to `burst` tokens and gains `per_second` of them each second."""

    def __init__(
        self,
        burst: int,
        per_second: float,
        within: "TokenBucket | None" = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take every token from `within` too, which several buckets may share."""
        self._burst = float(burst)
        self._per_second = per_second
        self._within = within
        self._monotonic = monotonic
        self._tokens = float(burst)
        self._filled_at = monotonic()

    def take(self) -> int:
        """Take a token and return 0, or return the milliseconds until there is one."""
        now = self._monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._per_second)
        self._filled_at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0 if self._within is None else self._within.take()
        return math.ceil((1 - self._tokens) / self._per_second * 1000)


class State(StrEnum):
    """The state of a connection."""

    UNINITIALIZED = "uninitialized"
    INITIALIZING = "initializing"
    READY = "ready"
    SHUTTING = "shutting"
    CLOSED = "closed"


class Event(StrEnum):
    """What changes the state."""

    INITIALIZE = "initialize"
    """The client asked for the handshake."""
    REFUSED = "refused"
    """The handshake was answered with an error."""
    INITIALIZED = "initialized"
    """The client confirmed the handshake, or sent its next request."""
    SHUTDOWN = "shutdown"
    """The input ended, a signal arrived, or the transport broke."""
    CLOSE = "close"
    """Every request in flight is answered."""


class InvalidTransition(Exception):
    """The event is not possible in this state."""


TRANSITIONS: dict[tuple[State, Event], State] = {
    (State.UNINITIALIZED, Event.INITIALIZE): State.INITIALIZING,
    (State.INITIALIZING, Event.REFUSED): State.UNINITIALIZED,
    (State.INITIALIZING, Event.INITIALIZED): State.READY,
    (State.UNINITIALIZED, Event.SHUTDOWN): State.SHUTTING,
    (State.INITIALIZING, Event.SHUTDOWN): State.SHUTTING,
    (State.READY, Event.SHUTDOWN): State.SHUTTING,
    (State.SHUTTING, Event.CLOSE): State.CLOSED,
}


class Lifecycle:
    """The state of one connection.

    A client without a handshake (single lines, or the stateless protocol) is served while
    uninitialized; a handshake may still follow.
    """

    def __init__(self) -> None:
        self.state = State.UNINITIALIZED
        self.is_ending = False
        """Whether the connection takes no more requests."""

    def advance(self, event: Event) -> None:
        """Change the state.

        Raises:
            InvalidTransition: when the table has no such transition.
        """
        following = TRANSITIONS.get((self.state, event))
        if following is None:
            message = f"{event.value} is not possible while {self.state.value}"
            raise InvalidTransition(message)
        self.state = following
        self.is_ending = following in {State.SHUTTING, State.CLOSED}


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
    named: Mapping[str, str] = field(init=False)
    """Who is asking, as logs see it; the same for all requests."""

    def __post_init__(self) -> None:
        self.named = self.caller().context()

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
