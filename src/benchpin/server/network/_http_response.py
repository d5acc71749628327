"""HTTP responses: one JSON value, or a stream of events that a client can ask for again."""

import asyncio
import re
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic_core import from_json

from benchpin.core.calls import MIB
from benchpin.server import Outbox, Peer, Unsent
from benchpin.server.jsonrpc import RequestId, encode, refusal
from benchpin.server.wire import to_json

from ._connections import CHUNK_BYTES
from ._guard import Send

# The stream of messages that belong to no request.
LISTENING = 0
_MAX_EVENTS = 1_024
# More than the largest answer has by default.
_MAX_SESSION_BYTES = 12 * MIB
_MAX_BYTES = 32 * MIB
Headers = Sequence[tuple[bytes, bytes]]
# How long a stream is silent at most: proxies and clients give up on longer ones.
PING_S = 15.0
# How long a client waits before it reconnects, in milliseconds.
_RETRY = b"retry: 1000\r\n"
_PING = b": ping\r\n\r\n"
# The weight of a kind in an Accept header that means: not this one.
_REFUSED = re.compile(r";\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)", re.IGNORECASE)
_CANCELLED = -32800
_OK = 200
_STREAM_HEADERS: Headers = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)


@dataclass(frozen=True, slots=True)
class StreamEvent:
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
        self._events: deque[StreamEvent] = deque()
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
        self._events.append(StreamEvent(self._count, stream, message))
        self.size_bytes += len(message)
        while len(self._events) > _MAX_EVENTS or self.size_bytes > _MAX_SESSION_BYTES:
            self.drop_oldest()
        self._log.shrink()
        return self.id_of(self._count)

    def id_of(self, number: int) -> str:
        return f"{self._key}-{number}"

    def find(self, event_id: str) -> StreamEvent | None:
        """Return an event; None if it is too old, or of another session."""
        return next((it for it in self._events if self.id_of(it.number) == event_id), None)

    def next(self, event: StreamEvent) -> StreamEvent | None:
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


@dataclass(frozen=True, slots=True)
class Accepted:
    """The kinds of response that a client accepts."""

    json: bool
    events: bool

    @classmethod
    @lru_cache(maxsize=64)
    def by(cls, header: str) -> "Accepted":
        """Read an Accept header."""
        kinds = {
            kind.partition(";")[0].strip().lower(): _REFUSED.search(kind) is None
            for kind in header.split(",")
        }

        def is_accepted(*ranges: str) -> bool:
            """Ask the most exact of the ranges that the header has."""
            return next((kinds[it] for it in ranges if it in kinds), False)

        return cls(
            is_accepted("application/json", "application/*", "*/*"),
            is_accepted("text/event-stream", "text/*", "*/*"),
        )


class HttpResponse:
    """Writes one HTTP response."""

    def __init__(
        self, send: Send, unsent: Unsent, peer: Peer, abort: Callable[[], None], headers: Headers
    ) -> None:
        self._send = send
        self._outbox = Outbox(unsent, peer, self._write, abort)
        self._headers = headers
        self._start: dict[str, Any] | None = None
        self.is_stream = False
        self.is_ended = False

    async def whole(self, status: int, body: bytes = b"", headers: Headers = ()) -> None:
        """Send a complete response, in JSON."""
        if self.is_ended:
            return
        self.is_ended = True
        length = (b"content-length", b"%d" % len(body))
        kind = ((b"content-type", b"application/json"),) if body else ()
        self._start = _start(status, (*kind, length, *self._headers, *headers))
        await self._outbox.send(body)

    async def event(self, message: bytes, event_id: str | None, extra: bytes = b"") -> None:
        """Send an event; the first one begins the stream."""
        self._begin()
        shown = b"" if event_id is None else b"id: %s\r\n" % event_id.encode()
        kind = b"event: message\r\n" if message else b""
        await self._outbox.send(b"".join((kind, shown, extra, b"data: ", message, b"\r\n\r\n")))

    async def ping(self) -> None:
        """Show that the stream is alive."""
        self._begin()
        await self._outbox.send(_PING)

    async def end(self) -> None:
        """End the stream."""
        if not self.is_ended:
            self._begin()
            self.is_ended = True
            await self._outbox.send(b"")

    def _begin(self) -> None:
        if not self.is_stream:
            self.is_stream = True
            self._start = _start(_OK, (*_STREAM_HEADERS, *self._headers))

    async def _write(self, data: bytes) -> None:
        """Write in pieces; each waits until the client has read most of those before."""
        if self._start is not None:
            start, self._start = self._start, None
            await self._send(start)
        for at in range(0, max(1, len(data)), CHUNK_BYTES):
            # In a stream, no data means the end.
            is_last = not data if self.is_stream else at + CHUNK_BYTES >= len(data)
            piece = data[at : at + CHUNK_BYTES]
            await self._send(
                {"type": "http.response.body", "body": piece, "more_body": not is_last}
            )


def _start(status: int, headers: Headers) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": headers}


class PostAnswer:
    """The channel of one POST: its answer in JSON or, after other messages, in a stream."""

    def __init__(
        self,
        response: HttpResponse,
        request_id: RequestId,
        accepted: Accepted,
        statuses: Mapping[int, int] | None = None,
    ) -> None:
        """Answer an error with its status, if there is one."""
        self._response = response
        self._request_id = request_id
        self._accepted = accepted
        self._statuses = statuses or {}
        self.is_answered = False

    @property
    def can_ask(self) -> bool:
        """Whether there can be a stream for requests to the client."""
        return self._accepted.events

    @property
    def release(self) -> Callable[[], Awaitable[None]] | None:
        """A stream that cannot be resumed is not released."""
        return None

    async def send(self, message: bytes) -> None:
        """Send a message before the answer, if the client accepts a stream."""
        if self._accepted.events:
            await self._emit(message)

    async def answer(self, message: bytes) -> None:
        """Send the answer: as JSON if nothing was sent before, and the client accepts that."""
        if self._accepted.json and not self._response.is_stream:
            self.is_answered = True
            await self._response.whole(self._status(message), message)
            return
        await self._emit(message)
        self.is_answered = True
        await self._response.end()

    async def cancel(self) -> None:
        """Answer a request that the client has cancelled, because every stream needs an end."""
        await self.answer(encode(refusal(self._request_id, _CANCELLED, "Request cancelled")))

    async def ping(self) -> None:
        """Keep the client waiting, if it accepts a stream."""
        if self._accepted.events and not self._response.is_ended:
            await self._response.ping()

    async def _emit(self, message: bytes) -> None:
        if not self._response.is_ended:
            await self._response.event(message, None)

    def _status(self, message: bytes) -> int:
        if not self._statuses:
            return _OK
        prefix = b'{"jsonrpc":"2.0","id":%s,"error":' % to_json(self._request_id)
        if not message.startswith(prefix):
            return _OK
        return self._statuses.get(from_json(message)["error"]["code"], _OK)


class Pinger:
    """Sends signs of life to the clients that wait for answers, with one timer for all."""

    def __init__(self) -> None:
        self._since: dict[PostAnswer, float] = {}
        """When each began to wait, or was pinged; the one that waits longest comes first."""
        self._timer: asyncio.TimerHandle | None = None
        self._pings: set[asyncio.Task[None]] = set()

    def add(self, answer: PostAnswer) -> None:
        """Ping the client every `PING_S` from now on."""
        loop = asyncio.get_running_loop()
        self._since[answer] = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(PING_S, self._ping)

    def remove(self, answer: PostAnswer) -> None:
        """Ping no more."""
        del self._since[answer]

    def _ping(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._timer = None
        while self._since:
            answer, since = next(iter(self._since.items()))
            if now < since + PING_S:
                self._timer = loop.call_at(since + PING_S, self._ping)
                return
            del self._since[answer]
            self._since[answer] = now
            ping = loop.create_task(answer.ping())
            self._pings.add(ping)
            ping.add_done_callback(self._pings.discard)


class ResumableAnswer(PostAnswer):
    """The channel of a POST in a session: a client that loses the stream can ask for the rest."""

    def __init__(
        self,
        response: HttpResponse,
        request_id: RequestId,
        accepted: Accepted,
        events: SessionEvents,
        *,
        is_primed: bool,
    ) -> None:
        """With `is_primed`, a stream begins with an empty event, which has an id to resume from."""
        super().__init__(response, request_id, accepted)
        self._events = events
        self._is_primed = is_primed
        self.stream = events.new_stream()

    @property
    def release(self) -> Callable[[], Awaitable[None]] | None:
        """Closes the stream; only clients that know its id can resume it."""
        return self._release if self._is_primed and self._accepted.events else None

    async def ping(self) -> None:
        """Keep the client waiting, if it accepts a stream."""
        if self._accepted.events:
            await self._prime()
        await super().ping()

    async def resume(self, response: HttpResponse, last: StreamEvent) -> None:
        """Send the messages after `last`, and those to come, on another response."""
        await self._response.end()
        await replay(self._events, last, response)
        self._response = response
        # The POST may have accepted JSON, but this client reads a stream.
        self._accepted = Accepted(json=False, events=True)
        if self.is_answered:
            await response.end()

    async def _release(self) -> None:
        await self._prime()
        await self._response.end()

    async def _emit(self, message: bytes) -> None:
        await self._prime()
        event_id = self._events.add(self.stream, message)
        if not self._response.is_ended:
            await self._response.event(message, event_id)

    async def _prime(self) -> None:
        if self._is_primed and not self._response.is_stream:
            await self._response.event(b"", self._events.add(self.stream, b""), _RETRY)


async def replay(events: SessionEvents, last: StreamEvent, response: HttpResponse) -> None:
    """Send the messages of a stream after `last`, also those that arrive meanwhile."""
    while (later := events.next(last)) is not None:
        await response.event(later.message, events.id_of(later.number))
        last = later
