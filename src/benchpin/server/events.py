"""Recent messages of HTTP streams, for clients that reconnect."""

import uuid
from collections import OrderedDict
from dataclasses import dataclass

from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
from mcp.server.streamable_http import (
    EventCallback,
    EventMessage,
    EventStore,
    StreamableHTTPServerTransport,
)
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import JSONRPCMessage

from benchpin.core.limits import MIB

_MOST_EVENTS = 4_096
_MOST_BYTES = 64 * MIB


@dataclass(frozen=True, slots=True)
class _Event:
    session: str
    stream_id: str
    message: JSONRPCMessage | None
    size_bytes: int


class EventLog:
    """The newest events of all sessions, limited in number and size."""

    def __init__(self) -> None:
        self.events: OrderedDict[str, _Event] = OrderedDict()
        self._size_bytes = 0

    def add(self, event_id: str, event: _Event) -> None:
        """Add an event, and drop the oldest ones beyond the limits."""
        self.events[event_id] = event
        self._size_bytes += event.size_bytes
        while len(self.events) > _MOST_EVENTS or self._size_bytes > _MOST_BYTES:
            _, oldest = self.events.popitem(last=False)
            self._size_bytes -= oldest.size_bytes


class SessionEvents(EventStore):
    """The events of one session.

    The SDK names streams by request id, which is the same in many sessions. So a session sees only
    its own events, and their ids cannot be guessed.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._session = uuid.uuid4().hex
        self._count = 0

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Store a message and return the id of the event."""
        self._count += 1
        event_id = f"{self._session}-{self._count}"
        size = 0 if message is None else len(message.model_dump_json())
        self._log.add(event_id, _Event(self._session, stream_id, message, size))
        return event_id

    async def replay_events_after(
        self, last_event_id: str, send_callback: EventCallback
    ) -> str | None:
        """Send the later events of a stream; None if the event is unknown or of another session."""
        last = self._log.events.get(last_event_id)
        if last is None or last.session != self._session:
            return None
        is_after = False
        for event_id, event in list(self._log.events.items()):
            is_same = event.session == self._session and event.stream_id == last.stream_id
            if is_after and is_same and event.message is not None:
                await send_callback(EventMessage(event.message, event_id))
            is_after = is_after or event_id == last_event_id
        return last.stream_id


class Sessions(StreamableHTTPSessionManager):
    """The SDK's session manager, with a separate event store for each session."""

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]  # passed on unchanged
        self._log = EventLog()

    def _admit_session(
        self, requestor: AuthorizationContext | None
    ) -> StreamableHTTPServerTransport | None:
        # If the SDK renames this method, there is no event store, and so no leak.
        self.event_store = SessionEvents(self._log)
        return super()._admit_session(requestor)
