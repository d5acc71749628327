"""Threads that tools run on."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar
from weakref import finalize

T = TypeVar("T")


class _Task(NamedTuple):
    work: Callable[[], Any]
    finish: Callable[[Any], None]
    """Takes the result, on the loop."""
    loop: asyncio.AbstractEventLoop


class Workers:
    """A pool of threads that is used from one event loop.

    The state of the pool is used on the event loop only, so it needs no lock. Each call wakes a
    worker once and the loop once. A `ThreadPoolExecutor` takes twice as long for a short call.
    """

    def __init__(self, most: int) -> None:
        """Start threads as they are needed, at most `most`."""
        self._most = most
        self._started = 0
        self._busy = 0
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self.close = finalize(self, self._tasks.put, None)
        """Ends the threads after the calls that are waiting; also when the pool is collected."""

    def submit(
        self, work: Callable[[], T | Exception], on_end: Callable[[], None] | None = None
    ) -> "asyncio.Future[T]":
        """Run a function on a thread; an exception that it returns is raised by the future.

        It must not raise, which would end the thread. `on_end` is called on the loop when the
        function has ended, even if the future was cancelled before.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def finish(result: T | Exception) -> None:
            self._busy -= 1
            if on_end is not None:
                on_end()
            if answer.done():  # cancelled, or timed out
                return
            if isinstance(result, Exception):
                answer.set_exception(result)
            else:
                answer.set_result(result)

        self._busy += 1
        if self._started < min(self._busy, self._most):
            self._started += 1
            # Daemon threads: a tool that never ends must not keep the process alive.
            name = f"tool-{self._started}"
            threading.Thread(target=_serve, args=(self._tasks,), name=name, daemon=True).start()
        self._tasks.put(_Task(work, finish, loop))
        return answer


def _serve(tasks: "SimpleQueue[_Task | None]") -> None:
    """Run tasks until None, which stays in the queue for the other threads."""
    while (task := tasks.get()) is not None:
        result: object = RuntimeError("The thread ended before the work did")
        try:
            result = task.work()
        finally:
            with suppress(RuntimeError):  # the loop is closed: the server has ended
                task.loop.call_soon_threadsafe(task.finish, result)
        del task, result  # or they stay in memory until the next call
    tasks.put(None)
