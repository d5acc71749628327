"""Recent messages of event streams, for clients that reconnect."""

import uuid
from collections import deque
from dataclasses import dataclass

from benchpin.core.calls import MIB

# The stream of messages that belong to no request.
LISTENING = 0
_MAX_EVENTS = 1_024
# More than the largest answer has by default.
_MAX_SESSION_BYTES = 12 * MIB
_MAX_BYTES = 32 * MIB


@dataclass(frozen=True, slots=True)
class Event:
    """A message of a stream; an empty one only gives the stream an id to resume from."""

    number: int
    stream: int
    message: bytes


class EventLog:
    """The newest events of all sessions, limited in size."""

    def __init__(self) -> None:
        self.sessions: set[SessionEvents] = set()
        """Those that have not ended."""

    @property
    def size_bytes(self) -> int:
        """The size of all events."""
        return sum(it.size_bytes for it in self.sessions)

    def shrink(self) -> None:
        """Drop events of the sessions with the most, until the limit is kept."""
        excess = self.size_bytes - _MAX_BYTES
        while excess > 0:
            excess -= max(self.sessions, key=lambda it: it.size_bytes).drop_oldest()


class SessionEvents:
    """The newest events of one session; their ids cannot be guessed by another."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._key = uuid.uuid4().hex
        self._events: deque[Event] = deque()
        self._count = 0
        self._streams = LISTENING
        self.size_bytes = 0
        log.sessions.add(self)

    def new_stream(self) -> int:
        """Return a number for a stream; `LISTENING` is not among them."""
        self._streams += 1
        return self._streams

    def add(self, stream: int, message: bytes) -> str:
        """Store a message, unless the session has ended, and return the id of the event."""
        self._count += 1
        if self not in self._log.sessions:
            return self.id_of(self._count)
        self._events.append(Event(self._count, stream, message))
        self.size_bytes += len(message)
        while len(self._events) > _MAX_EVENTS or self.size_bytes > _MAX_SESSION_BYTES:
            self.drop_oldest()
        self._log.shrink()
        return self.id_of(self._count)

    def id_of(self, number: int) -> str:
        """Return the id of an event."""
        return f"{self._key}-{number}"

    def find(self, event_id: str) -> Event | None:
        """Return an event; None if it is too old, or of another session."""
        return next((it for it in self._events if self.id_of(it.number) == event_id), None)

    def next(self, event: Event) -> Event | None:
        """Return the next message of the same stream."""
        later = (it for it in self._events if it.number > event.number and it.message)
        return next((it for it in later if it.stream == event.stream), None)

    def drop_oldest(self) -> int:
        """Forget an event and return its size."""
        size_bytes = len(self._events.popleft().message)
        self.size_bytes -= size_bytes
        return size_bytes

    def close(self) -> None:
        """Forget all events, and store no more."""
        self._events.clear()
        self.size_bytes = 0
        self._log.sessions.discard(self)
