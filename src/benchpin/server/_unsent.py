"""Limits on the memory for messages that clients have not read yet.

An answer counts from when it is made, on whatever thread, until the client has taken it, except for
the last few kilobytes, which the transport buffers. A connection that holds too much is not read
from, and its calls do not start. If it does not read either, it is closed.

So at most `unsent_total_bytes`, half as much again for clients that do read, and the answers of the
calls that run at that moment are held, however slow the client, the event loop or the machine is.
"""

import asyncio
import logging
import threading
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from benchpin.core.calls import MIB, Limits

from ._heap import trim_heap
from ._logs import log_fields
from ._peer import Peer

logger = logging.getLogger("benchpin.network")

_CHECK_S = 0.25
# A connection that takes no message for so long is closed when others wait for its memory.
_STALLED_S = 2.0

_TRIM_S = 0.5
# After more unsent bytes than this, freed memory is returned to the system.
_MUCH_BYTES = 4 * MIB

# Answers that are made on the event loop: as objects they need ten times their size.
_MADE_AT_A_TIME = 4


class Unsent:
    """Counts the unsent bytes of all connections of a server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._total = 0
        self._peak = 0
        self.peak_bytes = 0
        """The most that was ever unsent."""
        self._counting = threading.Lock()
        self._making = asyncio.Semaphore(_MADE_AT_A_TIME)
        self.collected_bytes = 0
        """The answers that wait for others of their batches."""
        self.sending: set[Outbox] = set()
        """The connections that have something to send."""
        self._waiting: defaultdict[Peer, set[asyncio.Future[None]]] = defaultdict(set)
        self._timer: asyncio.TimerHandle | None = None

    @property
    def total_bytes(self) -> int:
        return self._total

    def has_room(self, peer: Peer) -> bool:
        """Whether another call of a client may start; can be asked on any thread."""
        # Clients that read what they get go on for longer than those that do not.
        most = self._limits.unsent_total_bytes
        if not peer.unsent_bytes:
            most += most // 2
        return peer.unsent_bytes <= self._limits.unsent_bytes and self._total <= most

    async def room(self, peer: Peer) -> None:
        """Wait until another call of a client may start."""
        while not self.has_room(peer):
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting[peer].add(waiter)
            try:
                await waiter
            except asyncio.CancelledError:
                self._waiting[peer].discard(waiter)
                if not self._waiting[peer]:
                    del self._waiting[peer]
                raise

    @asynccontextmanager
    async def making(self, peer: Peer) -> AsyncIterator[None]:
        """Wait until an answer may be made on the event loop; it must be counted inside."""
        await self.room(peer)
        await self._making.acquire()
        while not self.has_room(peer):  # answers were made in the meantime
            self._making.release()
            await self.room(peer)
            await self._making.acquire()
        try:
            yield
        finally:
            self._making.release()

    def add(self, peer: Peer, size_bytes: int) -> None:
        """Count a message; can be called on any thread."""
        with self._counting:
            peer.unsent_bytes += size_bytes
            self._total += size_bytes
            self._peak = max(self._peak, self._total)
            self.peak_bytes = max(self.peak_bytes, self._total)

    def remove(self, peer: Peer, size_bytes: int) -> None:
        """Discount a message that was sent or dropped, and let waiting calls start."""
        with self._counting:
            peer.unsent_bytes -= size_bytes
            before, self._total = self._total, self._total - size_bytes
        if self._waiting:
            most = self._limits.unsent_total_bytes
            is_short_no_more = any(before > it >= self._total for it in (most, most + most // 2))
            for waiting in list(self._waiting) if is_short_no_more else [peer]:
                if self.has_room(waiting):
                    self._wake(waiting)

    def watch(self, outbox: "Outbox") -> None:
        """Close a connection if its client does not take the message that is sent now."""
        self.sending.add(outbox)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_CHECK_S, self._check)

    def _wake(self, peer: Peer) -> None:
        for waiter in self._waiting.pop(peer, ()):
            if not waiter.done():
                waiter.set_result(None)

    def _check(self) -> None:
        now = asyncio.get_running_loop().time()
        excess = 0
        has_closed = False
        if self._total > self._limits.unsent_total_bytes:
            excess = self._total - self._limits.unsent_total_bytes // 2
        for outbox in sorted(self.sending, key=lambda it: it.sending_since):
            stalled_s = now - outbox.sending_since
            if stalled_s >= self._limits.drain_s:
                excess -= outbox.unsent_bytes
                has_closed = True
                outbox.close("its client does not read")
            elif excess > 0 and stalled_s >= _STALLED_S and self._waiting.keys() - {outbox.peer}:
                excess -= outbox.unsent_bytes
                has_closed = True
                outbox.close("its client does not read, and memory for unsent answers is short")
        loop = asyncio.get_running_loop()
        self._timer = None
        if self.sending:
            self._timer = loop.call_later(_CHECK_S, self._check)
        if self._peak > _MUCH_BYTES and (has_closed or not self.sending):
            self._peak = 0
            # Later, because calls of a closed connection take a moment to end.
            loop.call_later(_TRIM_S, loop.run_in_executor, None, trim_heap)


class Claim:
    """The memory of one answer, from when it is made until it is given to an outbox."""

    def __init__(self, unsent: Unsent, peer: Peer) -> None:
        self.peer = peer
        self._unsent = unsent
        self._size_bytes = 0
        self._is_dropped = False
        self._lock = threading.Lock()

    def hold(self, size_bytes: int) -> None:
        """Count an answer as it is now; can be called on any thread if it does not shrink."""
        with self._lock:
            if self._is_dropped:  # the call was cancelled, and its thread ends later
                return
            more, self._size_bytes = size_bytes - self._size_bytes, size_bytes
            if more > 0:
                self._unsent.add(self.peer, more)
        if more < 0:
            self._unsent.remove(self.peer, -more)

    def take(self, size_bytes: int) -> int:
        """Return how many bytes of a message are counted already; the caller counts them now."""
        with self._lock:
            taken = min(size_bytes, self._size_bytes)
            self._size_bytes -= taken
        return taken

    def drop(self) -> None:
        """Count nothing any more."""
        with self._lock:
            self._is_dropped = True
            held, self._size_bytes = self._size_bytes, 0
        if held:
            self._unsent.remove(self.peer, held)


# The claim of the request that is served; None for clients in the same process.
current_claim: ContextVar[Claim | None] = ContextVar("current_claim", default=None)


class Outbox:
    """Sends the messages of one connection in order, and counts those that wait."""

    can_ask = True
    release = None

    def __init__(
        self,
        unsent: Unsent,
        peer: Peer,
        write: Callable[[bytes], Awaitable[None]],
        close: Callable[[], None],
    ) -> None:
        """Send with `write`, which waits while the client does not read; `close` ends it."""
        self.peer = peer
        self.unsent_bytes = 0
        self.sending_since = 0.0
        self._unsent = unsent
        self._write = write
        self._close = close
        self._turn = asyncio.Lock()
        self._is_closed = False
        self._time = asyncio.get_running_loop().time

    async def send(self, message: bytes) -> None:
        """Send a message after those before it."""
        size_bytes = len(message)
        self.unsent_bytes += size_bytes
        claim = current_claim.get()
        counted = claim.take(size_bytes) if claim is not None and claim.peer is self.peer else 0
        if counted < size_bytes:
            self._unsent.add(self.peer, size_bytes - counted)
        try:
            async with self._turn:
                if not self._is_closed:
                    self.sending_since = self._time()
                    self._unsent.watch(self)
                    await self._write(message)
        finally:
            self.unsent_bytes -= size_bytes
            if not self.unsent_bytes:
                self._unsent.sending.discard(self)
            self._unsent.remove(self.peer, size_bytes)

    answer = send

    def close(self, reason: str) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        fields = {
            "event": "closed",
            "peer": self.peer.id,
            "reason": reason,
            "unsent_bytes": self.unsent_bytes,
        }
        log_fields(logger, logging.WARNING, fields)
        self._close()


class BatchAnswers:
    """The answers of a batch, until all of them are there.

    They are limited, but no call waits for their memory: the batch must end to give it back.
    """

    def __init__(self, unsent: Unsent, limits: Limits) -> None:
        self._unsent = unsent
        self._limits = limits
        self._answers: list[bytes] = []
        self._size_bytes = 0
        self._is_taken = False

    def has_room(self, size_bytes: int) -> bool:
        """Whether this batch, and all batches together, may hold another answer."""
        return (
            self._size_bytes + size_bytes <= self._limits.response_bytes
            and self._unsent.collected_bytes + size_bytes <= self._limits.unsent_total_bytes
        )

    def add(self, encoded: bytes) -> None:
        """Keep an answer, unless the batch has ended without it."""
        if not self._is_taken:
            self._answers.append(encoded)
            self._size_bytes += len(encoded)
            self._unsent.collected_bytes += len(encoded)

    def take(self) -> bytes:
        """Return the encoded answers, nothing if there are none, and hold them no longer."""
        encoded = b"[" + b",".join(self._answers) + b"]" if self._answers else b""
        self._is_taken = True
        self._answers.clear()
        self._unsent.collected_bytes -= self._size_bytes
        self._size_bytes = 0
        return encoded
