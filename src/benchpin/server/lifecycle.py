"""The life of a connection, in one table."""

from enum import StrEnum


class State(StrEnum):
    """Where a connection stands."""

    UNINITIALIZED = "uninitialized"
    INITIALIZING = "initializing"
    READY = "ready"
    SHUTTING = "shutting"
    CLOSED = "closed"


class Event(StrEnum):
    """What moves it on."""

    INITIALIZE = "initialize"
    """The client asked for the handshake."""
    REFUSED = "refused"
    """The handshake was answered with an error."""
    INITIALIZED = "initialized"
    """The client confirmed it, or simply went on to work."""
    SHUTDOWN = "shutdown"
    """The input ended, a signal came, or the transport broke."""
    CLOSE = "close"
    """Everything in flight is done."""


class InvalidTransition(Exception):
    """The event makes no sense in this state."""


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

    A client that never shakes hands (one-shot lines, the stateless era) stays uninitialized
    and is served all the same; a handshake may still follow.
    """

    def __init__(self) -> None:
        self.state = State.UNINITIALIZED

    def advance(self, event: Event) -> None:
        """Move on.

        Raises:
            InvalidTransition: when the table has no such step.
        """
        following = TRANSITIONS.get((self.state, event))
        if following is None:
            message = f"{event.value} is not possible while {self.state.value}"
            raise InvalidTransition(message)
        self.state = following
