"""Recent messages of HTTP streams, so that a client that lost its connection can catch up."""

from collections import OrderedDict
from dataclasses import dataclass

from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp_types import JSONRPCMessage

from benchpin.core.limits import MIB

_MOST_EVENTS = 1024
_MOST_BYTES = 64 * MIB


@dataclass(frozen=True, slots=True)
class _Event:
    stream_id: str
    message: JSONRPCMessage | None
    size_bytes: int


class RecentEvents(EventStore):
    """Keeps the newest events, bounded in number and size; the oldest make room."""

    def __init__(self) -> None:
        self._events: OrderedDict[str, _Event] = OrderedDict()
        self._count = 0
        self._size_bytes = 0

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Keep a message and return its id."""
        self._count += 1
        event_id = str(self._count)
        size = 0 if message is None else len(message.model_dump_json())
        self._events[event_id] = _Event(stream_id, message, size)
        self._size_bytes += size
        while len(self._events) > _MOST_EVENTS or self._size_bytes > _MOST_BYTES:
            _, oldest = self._events.popitem(last=False)
            self._size_bytes -= oldest.size_bytes
        return event_id

    async def replay_events_after(
        self, last_event_id: str, send_callback: EventCallback
    ) -> str | None:
        """Send what came after an event on its stream; None when that event is forgotten."""
        last = self._events.get(last_event_id)
        if last is None:
            return None
        seen = False
        for event_id, event in list(self._events.items()):
            if seen and event.stream_id == last.stream_id and event.message is not None:
                await send_callback(EventMessage(event.message, event_id))
            seen = seen or event_id == last_event_id
        return last.stream_id
