"""Threads that calls run on, handed out in turn between connections."""

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final, Literal, NamedTuple, TypeVar
from weakref import finalize

T = TypeVar("T")
# Threads that are stuck at a time and replaced: they all take turns with the others.
_MAX_REPLACED = 16


class _Task(NamedTuple):
    work: Callable[[], Any]
    finish: Callable[[Any], None]
    """Takes the result, on the loop."""
    loop: asyncio.AbstractEventLoop


# Ends one thread, whichever takes it.
_ONE_TOO_MANY: Final = "one too many"


class Workers:
    """A pool of threads that is used from one event loop.

    A caller awaits its `turn`, which reserves a thread, and then submits the work. The state of the
    pool is used on the event loop only, so it needs no lock. Each call wakes a worker once and the
    loop once. A `ThreadPoolExecutor` takes twice as long for a short call.
    """

    def __init__(self, most: int, name: str = "tool") -> None:
        """Start threads as they are needed, at most `most`."""
        self._most = most
        self._name = name
        self._started = 0
        self._reserved = 0
        self._replaced = 0
        """Threads that others have taken the place of, and that are still at work."""
        self._waiting: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()
        """The calls that wait, by connection; the connection at the front is next."""
        self._tasks: SimpleQueue[_Task | Literal["one too many"] | None] = SimpleQueue()
        self.close = finalize(self, self._tasks.put, None)
        """Ends the threads after the calls that were submitted; also when the pool is collected."""

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    @property
    def is_busy(self) -> bool:
        return self._reserved > 0 or self._replaced > 0

    def reserve(self) -> bool:
        """Reserve a thread if one is free; return whether there was one."""
        if self._reserved >= self._most:
            return False
        self._reserved += 1
        return True

    async def turn(self, connection: Hashable) -> None:
        """Wait for a free thread and reserve it: each connection in turn gets the next one.

        Every turn must be followed by `submit` or `pass_on`.
        """
        if self.reserve():
            return
        granted = asyncio.get_running_loop().create_future()
        queue = self._waiting.setdefault(connection, deque())
        queue.append(granted)
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                self.pass_on()  # the turn came in the same moment
            elif granted in queue:
                queue.remove(granted)
                if not queue and self._waiting.get(connection) is queue:
                    del self._waiting[connection]
            raise

    def submit(
        self,
        work: Callable[[], T],
        on_end: Callable[[], None] | None = None,
        limit_s: float | None = None,
    ) -> "asyncio.Future[T]":
        """Run a function on the reserved thread; the future raises what it raises.

        `on_end` is called on the loop when the
        function has ended, even if the future was cancelled before. After `limit_s` the thread
        counts as stuck, and another one takes its place: others need not wait for it.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        is_replaced = False

        def replace() -> None:
            nonlocal is_replaced
            if self._replaced < _MAX_REPLACED:
                is_replaced = True
                self._replaced += 1
                self._started -= 1
                self.pass_on()

        timer = None if limit_s is None else loop.call_later(limit_s, replace)

        def finish(result: T | Exception) -> None:
            if timer is not None:
                timer.cancel()
            if is_replaced:
                self._replaced -= 1
                self._tasks.put(_ONE_TOO_MANY)
            else:
                self.pass_on()
            if on_end is not None:
                on_end()
            if answer.done():  # cancelled, or timed out
                return
            if isinstance(result, Exception):
                answer.set_exception(result)
            else:
                answer.set_result(result)

        if self._started < self._reserved:
            self._started += 1
            # Daemon threads: a tool that never ends must not keep the process alive.
            name = f"{self._name}-{self._started}"
            threading.Thread(target=_serve, args=(self._tasks,), name=name, daemon=True).start()
        self._tasks.put(_Task(work, finish, loop))
        return answer

    def pass_on(self) -> None:
        """Give a free thread to the next connection that waits."""
        if not self._waiting:
            self._reserved -= 1
            return
        connection, queue = self._waiting.popitem(last=False)
        granted = queue.popleft()
        if queue:
            self._waiting[connection] = queue  # at the end: the others come first
        if granted.done():  # cancelled
            self.pass_on()
        else:
            granted.set_result(None)


def _serve(tasks: "SimpleQueue[_Task | Literal['one too many'] | None]") -> None:
    """Run tasks until None, which stays in the queue for the other threads."""
    while (task := tasks.get()) is not None:
        if task == _ONE_TOO_MANY:
            return
        result: object = RuntimeError("The thread ended before the work did")
        try:
            result = task.work()
        except Exception as error:  # noqa: BLE001 - raised again where the answer is awaited
            result = error
        finally:
            with suppress(RuntimeError):  # the loop is closed: the server has ended
                task.loop.call_soon_threadsafe(task.finish, result)
        del task, result  # or they stay in memory until the next call
    tasks.put(None)
