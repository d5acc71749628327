"""When calls run: changes in order of arrival, connections in turn, short calls beside long ones.

Python runs one thread at a time, so every heavy call that runs makes all others slower. Calls are
therefore divided into lanes, each with threads of its own. Waking a thread takes longer than a
brief call, so that one runs on the event loop, if no thread is at work and the workspace is on a
local disk.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

from benchpin.core.calls import Job, Limits, NotBrief
from benchpin.core.errors import Cancelled, QueueLimitExceeded, TimeLimitExceeded
from benchpin.core.tools import AnyTool, Effect
from benchpin.workspace.files import is_local

from ._peer import Peer
from ._unsent import Claim, Unsent, current_claim
from ._workers import Workers

T = TypeVar("T")
S = TypeVar("S")

# How long after its limit a call may still return what it has.
_GRACE_S = 5.0
# How long a change that was stopped may take to end, so that its answer is what happened.
_STOPPED_GRACE_S = 5.0


class Lane(StrEnum):
    """A kind of calls."""

    SHORT = "short"
    HEAVY = "heavy"
    """Computes for seconds."""
    OUTSIDE = "outside"
    """Mostly waits, for a program or for another machine."""


# Two heavy calls at a time end no sooner, because they share one interpreter, and short calls
# beside them take two to three times as long (bench/scheduling.py).
_AT_A_TIME = {Lane.SHORT: 16, Lane.HEAVY: 1, Lane.OUTSIDE: 16}


def lane_of(tool: AnyTool) -> Lane:
    if tool.is_heavy:
        return Lane.HEAVY
    waits = tool.needs_sandbox or tool.effect in {Effect.EXECUTE, Effect.NETWORK}
    return Lane.OUTSIDE if waits else Lane.SHORT


@dataclass(frozen=True, slots=True)
class Task:
    """What the scheduler needs to know about a call."""

    name: str
    """The tool or method, for errors."""
    lane: Lane
    job: Job
    is_ordered: bool = False
    """Whether it changes something, so that it must run in the order of arrival."""
    time_limit_s: float | None = None
    is_brief: bool = False
    """Whether it may run on the event loop."""


class Scheduler:
    """Runs the calls of all connections."""

    def __init__(self, limits: Limits, unsent: Unsent, folders: Sequence[Path]) -> None:
        """Run calls; brief ones read from `folders`."""
        self._unsent = unsent
        self._folders = folders
        self._queue_s = limits.queue_s
        self._lanes = {lane: Workers(most, f"tool-{lane}") for lane, most in _AT_A_TIME.items()}

    async def run(
        self,
        peer: Peer,
        task: Task,
        work: Callable[[], T],
        size_of: Callable[[T], int] = lambda _result: 0,
    ) -> T:
        """Run a function on a thread when it is its turn; its result counts as unsent at once.

        The thread counts it: the next call on it starts before the event loop sees the result.

        Raises:
            QueueLimitExceeded: when its turn did not come in time; it was not started.
            TimeLimitExceeded: when it did not end in time.
        """
        counted = partial(_counted, work, size_of, current_claim.get())
        if task.is_brief and self._is_quiet and self._unsent.has_room(peer) and self._is_local:
            task.job.start()
            task.job.is_brief = True
            try:
                return counted()
            except NotBrief:
                task.job.is_brief = False
        lane = self._lanes[task.lane]
        # Most calls start at once, without a timer.
        if task.is_ordered or not self._unsent.has_room(peer) or not lane.reserve():
            await self._wait(peer, task, lane)
        task.job.start()
        release = peer.changing.release if task.is_ordered else None
        given_up_s = None if task.time_limit_s is None else task.time_limit_s + _GRACE_S
        if given_up_s is not None and task.is_ordered:
            given_up_s += _STOPPED_GRACE_S
        return await _outcome(lane.submit(counted, release, given_up_s), task)

    async def run_on_loop(
        self,
        peer: Peer,
        task: Task,
        work: Callable[[], Awaitable[T]],
        present: Callable[[T], S],
        size_of: Callable[[S], int],
    ) -> S:
        """Run a coroutine when it is its turn, and present its result when there is room for it.

        Raises the same as `run`.
        """
        result = await self._limited(peer, task, work)
        await self._unsent.room(peer)
        return _counted(partial(present, result), size_of, current_claim.get())

    async def _limited(self, peer: Peer, task: Task, work: Callable[[], Awaitable[T]]) -> T:
        await self._wait(peer, task, None)
        task.job.start()
        limit_s = None if task.time_limit_s is None else task.time_limit_s + _GRACE_S
        limit = asyncio.timeout(limit_s)
        try:
            async with limit:
                return await work()
        except TimeoutError as error:
            if not limit.expired():
                raise
            task.job.cancel()
            raise _too_late(task) from error
        finally:
            if task.is_ordered:
                peer.changing.release()

    def close(self) -> None:
        for lane in self._lanes.values():
            lane.close()

    @property
    def _is_quiet(self) -> bool:
        """Whether no thread is at work: it would hold up the loop at each call of the system."""
        return not any(lane.is_busy for lane in self._lanes.values())

    def waiting(self) -> int:
        return sum(lane.waiting for lane in self._lanes.values())

    @cached_property
    def _is_local(self) -> bool:
        return all(is_local(folder) for folder in self._folders)

    async def _wait(self, peer: Peer, task: Task, lane: Workers | None) -> None:
        """Wait until the call may start.

        The lock of the connection comes first, so that no thread waits for it. It is released when
        the work has ended, which may be after the call has timed out.
        """
        try:
            async with asyncio.timeout(self._queue_s):
                if task.is_ordered:
                    await peer.changing.acquire()
                try:
                    if lane is not None:
                        await self._turn(peer, lane)
                except asyncio.CancelledError:
                    if task.is_ordered:
                        peer.changing.release()
                    raise
        except TimeoutError as error:
            raise QueueLimitExceeded(
                f"{task.name} waited {self._queue_s:g} s for earlier calls and was not started",
                suggestion="Call again when they have ended, or raise limits.queue_s.",
                data={"waited_s": self._queue_s, "setting": "limits.queue_s"},
            ) from error

    async def _turn(self, peer: Peer, lane: Workers) -> None:
        """Wait for a thread, and until the client has read enough of its answers.

        Whether it has is asked when the call may start: hundreds may wait for a thread, and nobody
        knows the size of their answers before.
        """
        await lane.turn(peer)
        while not self._unsent.has_room(peer):
            lane.pass_on()
            await self._unsent.room(peer)
            await lane.turn(peer)


async def _outcome(running: "asyncio.Future[T]", task: Task) -> T:
    """Return what the call returns; stop it when its time is over, and report how it ended.

    A call that ends with a result although it was stopped has done its work, so that is the answer.
    """
    if task.time_limit_s is None:
        return await running
    loop = asyncio.get_running_loop()
    is_stopped = False
    timer: asyncio.TimerHandle

    def stop() -> None:
        nonlocal timer, is_stopped
        is_stopped = True
        task.job.cancel()
        timer = loop.call_later(_STOPPED_GRACE_S if task.is_ordered else 0, give_up)

    def give_up() -> None:
        if not running.done():
            running.set_exception(_too_late(task, is_running=True))

    timer = loop.call_later(task.time_limit_s + _GRACE_S, stop)
    try:
        return await running
    except Cancelled as error:
        if not is_stopped:
            raise
        raise _too_late(task) from error
    finally:
        timer.cancel()


def _too_late(task: Task, *, is_running: bool = False) -> TimeLimitExceeded:
    message = f"{task.name} did not end within {task.time_limit_s:g} s"
    suggestion = "Ask for less, for example a smaller path, or raise --tool-timeout."
    if is_running and task.is_ordered:
        message += " and is still running: its changes may still take effect"
        suggestion = f"Check what has changed before you call it again. {suggestion}"
    return TimeLimitExceeded(message, suggestion=suggestion, data={"limit_s": task.time_limit_s})


def _counted(work: Callable[[], T], size_of: Callable[[T], int], claim: Claim | None) -> T:
    result = work()
    if claim is not None:
        claim.hold(size_of(result))
    return result
