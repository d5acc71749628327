"""HTTP sessions: they outlive connections, and most clients never end theirs."""

import asyncio
import secrets
from collections import Counter, OrderedDict

from benchpin.server import Kernel, Peer, Session

from ._connections import share_of
from ._guard import Receive
from ._http_response import (
    LISTENING,
    PING_S,
    EventLog,
    HttpResponse,
    ResumableAnswer,
    SessionEvents,
    StreamEvent,
    replay,
)

_MAX_SESSIONS = 1_000
# A session without a request for so long has expired.
_IDLE_S = 1_800.0
# A session without a request for so long gives way to a new one of the same address.
_ABANDONED_S = 60.0


class HttpSession:
    """One session; as a channel, it takes the messages that belong to no request."""

    can_ask = True
    release = None

    def __init__(self, kernel: Kernel, address: str, events: EventLog) -> None:
        self.id = secrets.token_hex(16)
        self.address = address
        self.peer = Peer.with_limits(kernel.limits)
        self.events = SessionEvents(events)
        self.session = Session(kernel, self.peer, self, "streamable-http")
        self.streams: dict[int, ResumableAnswer] = {}
        """The requests in progress."""
        self.listening: HttpResponse | None = None
        self.users = 0
        self.used_at = 0.0

    async def send(self, message: bytes) -> None:
        """Send a message to a client that listens; keep it for one that has listened before."""
        if self.listening is not None:
            event_id = self.events.add(LISTENING, message)
            if not self.listening.is_ended:
                await self.listening.event(message, event_id)

    answer = send

    async def listen(self, response: HttpResponse, receive: Receive) -> None:
        """Serve a client that listens, until it goes or the server ends."""
        self.listening = response
        await response.ping()
        await _hold(response, receive)

    async def resume(self, last: StreamEvent, response: HttpResponse, receive: Receive) -> None:
        """Serve a client that has lost a stream after an event."""
        if last.stream == LISTENING:
            if self.listening is not None:
                await self.listening.end()
            await replay(self.events, last, response)
            await self.listen(response, receive)
            return
        answer = self.streams.get(last.stream)
        if answer is None:
            await replay(self.events, last, response)
            await response.end()
            return
        await answer.resume(response, last)
        await _hold(response, receive)

    async def close(self, *, wait: bool) -> None:
        """End the session; with `wait`, when its requests are answered."""
        if self.listening is not None:
            await self.listening.end()
        await self.session.finish(wait=wait)
        self.events.close()


async def _hold(response: HttpResponse, receive: Receive) -> None:
    """Wait until a stream has ended or its client is gone."""
    while not response.is_ended:
        try:
            async with asyncio.timeout(PING_S):
                if (await receive())["type"] == "http.disconnect":
                    response.is_ended = True
        except TimeoutError:
            await response.ping()


class HttpSessions:
    """The sessions of a server, total and by address; the least recently used one first."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._time = asyncio.get_running_loop().time
        self._events = EventLog()
        self._open: OrderedDict[str, HttpSession] = OrderedDict()
        self._by_address: Counter[str] = Counter()
        self._closing: set[asyncio.Task[None]] = set()

    def open(self, address: str) -> HttpSession | None:
        """Open a session; None if there are too many."""
        self._expire()
        has_share = self._by_address[address] < share_of(_MAX_SESSIONS)
        if not has_share or len(self._open) >= _MAX_SESSIONS:
            abandoned = (
                session
                for session in self._open.values()
                if self._is_idle(session, _ABANDONED_S) and session.address == address
            )
            victim = next(abandoned, None)
            if victim is None:
                return None
            self.discard(victim)
        session = HttpSession(self._kernel, address, self._events)
        self._open[session.id] = session
        self._by_address[address] += 1
        return session

    def find(self, session_id: str) -> HttpSession | None:
        """Return an open session."""
        self._expire()
        return self._open.get(session_id)

    def begin(self, session: HttpSession) -> None:
        """Keep a session from expiring until `end`."""
        session.users += 1

    def end(self, session: HttpSession) -> None:
        """Note that a request of a session has ended."""
        session.users -= 1
        session.used_at = self._time()
        if session.id in self._open:
            self._open.move_to_end(session.id)

    def discard(self, session: HttpSession) -> None:
        """Close a session in the background."""
        if self._open.pop(session.id, None) is not None:
            self._by_address[session.address] -= 1
            if not self._by_address[session.address]:
                del self._by_address[session.address]
            task = asyncio.get_running_loop().create_task(session.close(wait=False))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """End all sessions when their requests are answered."""
        await asyncio.gather(*(session.close(wait=True) for session in self._open.values()))

    def _is_idle(self, session: HttpSession, seconds: float) -> bool:
        return not session.users and self._time() - session.used_at > seconds

    def _expire(self) -> None:
        while self._open:
            oldest = next(iter(self._open.values()))
            if oldest.users:
                self._open.move_to_end(oldest.id)
            if not self._is_idle(oldest, _IDLE_S):
                return
            self.discard(oldest)
