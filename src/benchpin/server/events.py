"""Recent messages of HTTP streams, so that a client that lost its connection can catch up."""

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
    """The newest events of all sessions, bounded in number and size; the oldest make room."""

    def __init__(self) -> None:
        self.events: OrderedDict[str, _Event] = OrderedDict()
        self._size_bytes = 0

    def add(self, event_id: str, event: _Event) -> None:
        """Keep an event."""
        self.events[event_id] = event
        self._size_bytes += event.size_bytes
        while len(self.events) > _MOST_EVENTS or self._size_bytes > _MOST_BYTES:
            _, oldest = self.events.popitem(last=False)
            self._size_bytes -= oldest.size_bytes


class SessionEvents(EventStore):
    """One session's share of the log.

    The SDK names streams by request id alone, and those are the same in every session; so a session
    sees nothing but its own events, under ids that nobody can guess.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._session = uuid.uuid4().hex
        self._count = 0

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Keep a message and return its id."""
        self._count += 1
        event_id = f"{self._session}-{self._count}"
        size = 0 if message is None else len(message.model_dump_json())
        self._log.add(event_id, _Event(self._session, stream_id, message, size))
        return event_id

    async def replay_events_after(
        self, last_event_id: str, send_callback: EventCallback
    ) -> str | None:
        """Send what came after an event on its stream; None when that event is not ours."""
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
    """The SDK's session manager, with events kept apart by session."""

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]  # handed on as they are
        self._log = EventLog()

    def _admit_session(
        self, requestor: AuthorizationContext | None
    ) -> StreamableHTTPServerTransport | None:
        # Were the SDK to rename this, there would be no event store, and nothing to leak.
        self.event_store = SessionEvents(self._log)
        return super()._admit_session(requestor)
