"""The states of a connection, and the events that change them."""

from enum import StrEnum


class State(StrEnum):
    """The state of a connection."""

    UNINITIALIZED = "uninitialized"
    INITIALIZING = "initializing"
    READY = "ready"
    SHUTTING = "shutting"
    CLOSED = "closed"

    @property
    def is_ending(self) -> bool:
        """Whether the connection takes no more requests."""
        return self in {State.SHUTTING, State.CLOSED}


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
