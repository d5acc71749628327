"""The bytes that connections hold: requests being served and answers that are not sent yet.

A client that sends requests and does not read the answers would fill the memory. So each connection
has an account. A connection with a full account is not read from and its requests wait; if the
client then takes no bytes for a while, the connection is closed.
"""

import asyncio
import ctypes
import logging
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from benchpin.core import Limits
from benchpin.core.limits import KIB, MIB

from .logs import log_fields

logger = logging.getLogger("benchpin.memory")

_UNKNOWN_ANSWER_BYTES = 2 * MIB
"""Reserved for the first answers of a method, until the size of one is known."""
_WORK_FACTOR = 2
"""Making an answer takes about this many times its size: the objects, and the encoded form."""
_REQUEST_FACTOR = 16
"""A decoded request takes up to this many times its length: an empty list of 3 bytes takes 56."""
_SMALL_BYTES = 256 * KIB
"""A connection that holds less than this is served even if others have used up the total."""
_OVERDRAFT = 1.5
"""How far the total may be exceeded by connections that hold little yet."""
_SWEEP_S = 1.0
_PRESSURE = 0.75
_STALLED_UNDER_PRESSURE_S = 2.0
"""How long a client may take no bytes when this share of the total is used."""
_WORTH_TRIMMING_BYTES = 16 * MIB
_DECAY = 16

Progress = Callable[[], object]


class Abandoned(Exception):
    """The connection was closed while something waited for room."""


class _Pool:
    """The bytes of one kind that all connections hold."""

    def __init__(self, limits: Limits) -> None:
        self.held = 0
        self.peak = 0
        self.most = limits.queued_bytes_total
        self.most_each = limits.queued_bytes
        self.blocked: dict[_Share, None] = {}

    def wake(self) -> None:
        """Admit what fits now: one each, and first those that hold least."""
        for share in sorted(self.blocked, key=lambda share: share.held):
            share.wake()


class _Share:
    """The bytes of one kind that one connection holds."""

    def __init__(self, pool: _Pool) -> None:
        self.held = 0
        self._pool = pool
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        """Whether something waits for room."""
        return bool(self._waiting)

    def hold(self, size: int) -> None:
        """Count bytes that are held, or released if negative."""
        if self._is_closed or not size:
            return
        pool = self._pool
        self.held += size
        pool.held += size
        if size > 0:
            pool.peak = max(pool.peak, pool.held)
        elif pool.blocked:
            pool.wake()

    async def admit(self, size: int) -> int:
        """Wait until there is room, and hold the bytes; return how many.

        What is larger than the limits counts as much as they are, or it would wait forever.

        Raises:
            Abandoned: when the connection is closed.
        """
        if self._is_closed:
            raise Abandoned
        size = min(size, self._pool.most_each, self._pool.most)
        if self._is_small(size) or (not self._waiting and self._fits(size)):
            self.hold(size)
            return size
        admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (size, admitted)
        self._waiting.append(entry)
        self._pool.blocked[self] = None
        try:
            await admitted
        except asyncio.CancelledError:
            if entry in self._waiting:
                self._waiting.remove(entry)
            else:
                self.hold(-size)
            self.wake()
            raise
        return size

    def wake(self) -> None:
        """Admit the first that waits, if it fits now."""
        waiting = self._waiting
        while waiting and waiting[0][1].done():  # cancelled
            waiting.popleft()
        if waiting and self._fits(waiting[0][0]):
            size, admitted = waiting.popleft()
            self.hold(size)
            admitted.set_result(None)
        if not waiting:
            self._pool.blocked.pop(self, None)

    def close(self) -> None:
        """Release everything, and count nothing from now on."""
        # First what waits, or the room that is released would admit it.
        self._pool.blocked.pop(self, None)
        for _, admitted in self._waiting:
            if not admitted.done():
                admitted.set_exception(Abandoned())
        self._waiting.clear()
        self.hold(-self.held)
        self._is_closed = True

    def _is_small(self, size: int) -> bool:
        return self.held + size < _SMALL_BYTES

    def _fits(self, size: int) -> bool:
        pool = self._pool
        if self._is_small(size):
            return True
        if self.held >= _SMALL_BYTES:
            return self.held + size <= pool.most_each and pool.held + size <= pool.most
        # A connection that holds little gets its turn although others have used up the total.
        return pool.held + size <= pool.most * _OVERDRAFT


class Memory:
    """The accounts of all connections of a server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        # Apart, or requests could wait for room that only their answers can free.
        self.messages, self.answers = _Pool(limits), _Pool(limits)
        self._accounts: set[Account] = set()
        # Only methods and tools that have answered are added, so clients cannot fill it.
        # The three are known: small, or a stream that would hold its reservation for hours.
        self._expected = {"ping": 0, "initialize": 0, "subscriptions/listen": 0}
        self._is_watching = False

    def open(self, name: str, progress: Progress, close: Callable[[], None]) -> "Account":
        """Return the account of a new connection.

        `progress` returns None unless bytes wait to be sent, and otherwise a value that changes as
        they are. `close` ends the connection, without waiting for the client.
        """
        account = Account(self, name, progress, close)
        self._accounts.add(account)
        if not self._is_watching:
            self._is_watching = True
            asyncio.get_running_loop().call_later(_SWEEP_S, self._sweep)
        return account

    def close(self, account: "Account") -> None:
        """Remove the account of a connection that has ended."""
        self._accounts.discard(account)
        account.messages.close()
        account.answers.close()

    def expected(self, key: str) -> int:
        """Return how many bytes a request is likely to need."""
        return self._expected.get(key, _UNKNOWN_ANSWER_BYTES) * _WORK_FACTOR

    def learn(self, key: str, size: int) -> None:
        """Remember how long the answer to a request was; large ones are forgotten slowly."""
        known = self._expected.get(key, 0)
        self._expected[key] = max(size, known - known // _DECAY)

    def _sweep(self) -> None:
        """Close stalled connections and give freed memory back, until no connection is left."""
        loop = asyncio.get_running_loop()
        pools = self.messages, self.answers
        is_tight = any(pool.held > pool.most * _PRESSURE for pool in pools)
        allowed_s = self._limits.stalled_s
        if is_tight:
            allowed_s = min(allowed_s, _STALLED_UNDER_PRESSURE_S)
        for account in list(self._accounts):
            stalled_s = account.stalled_s(loop.time())
            if stalled_s >= allowed_s:
                self._abandon(account, stalled_s)
        if any(pool.peak > _WORTH_TRIMMING_BYTES and pool.held < _SMALL_BYTES for pool in pools):
            for pool in pools:
                pool.peak = pool.held
            loop.run_in_executor(None, _give_back)
        self._is_watching = bool(self._accounts) or any(pool.peak for pool in pools)
        if self._is_watching:
            loop.call_later(_SWEEP_S, self._sweep)

    def _abandon(self, account: "Account", stalled_s: float) -> None:
        log_fields(
            logger,
            logging.WARNING,
            {
                "event": "closed",
                "reason": "The client does not read its answers",
                "connection": account.name,
                "queued_bytes": account.answers.held,
                "stalled_s": round(stalled_s, 1),
                "setting": "limits.stalled_s",
            },
        )
        self.close(account)
        account.end()


class Account:
    """The bytes that one connection holds."""

    def __init__(
        self, memory: Memory, name: str, progress: Progress, end: Callable[[], None]
    ) -> None:
        self.memory = memory
        self.name = name
        self.end = end
        self.messages = _Share(memory.messages)
        self.answers = _Share(memory.answers)
        self._progress = progress
        self._seen: object = None
        self._seen_at = 0.0

    async def admit_message(self, length: int) -> int:
        """Wait until a message of this length may be decoded; return the bytes it holds."""
        return await self.messages.admit(length * _REQUEST_FACTOR)

    async def admit_request(self, key: str, copies: int = 1) -> int:
        """Wait until there is room for an answer; return the bytes it holds for now."""
        return await self.answers.admit(self.memory.expected(key) * copies)

    def stalled_s(self, now: float) -> float:
        """Return for how long no byte was sent although some wait."""
        seen = self._progress()
        if seen is None or seen != self._seen:
            self._seen, self._seen_at = seen, now
        return now - self._seen_at


def _give_back() -> None:
    """Return freed memory to the system; glibc keeps it for each thread otherwise."""
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
