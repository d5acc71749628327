"""Events for open pages: what changed, how far an analysis is, what is ready."""

import asyncio
from collections.abc import AsyncIterator, Mapping

from benchpin.core.text import json_text

# A page that reads so slowly loses events; the next one makes it look again.
_MAX_WAITING_EVENTS = 100
# How often an idle stream sends a comment, so that a browser that has gone is noticed.
_HEARTBEAT_S = 15.0


class EventHub:
    """Passes events to all open pages; use it on the event loop only."""

    def __init__(self) -> None:
        self._readers: set[asyncio.Queue[str | None]] = set()

    def close(self) -> None:
        """End the streams of all pages, so that nothing holds up the end of the server."""
        for reader in self._readers:
            while not reader.empty():
                reader.get_nowait()
            reader.put_nowait(None)

    def send(self, name: str, content: Mapping[str, object]) -> None:
        """Send an event to every open page."""
        text = f"event: {name}\ndata: {json_text(content, ensure_ascii=True)}\n\n"
        for reader in self._readers:
            if not reader.full():
                reader.put_nowait(text)

    async def stream(self) -> AsyncIterator[str]:
        """Yield the events for one page, in the format of server-sent events."""
        reader: asyncio.Queue[str | None] = asyncio.Queue(_MAX_WAITING_EVENTS)
        self._readers.add(reader)
        try:
            yield "retry: 1000\n\n"
            while True:
                try:
                    event = await asyncio.wait_for(reader.get(), _HEARTBEAT_S)
                except TimeoutError:
                    event = ": still here\n\n"
                if event is None:
                    return
                yield event
        finally:
            self._readers.discard(reader)
