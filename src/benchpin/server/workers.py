"""Threads that tools run on."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class _Task(NamedTuple):
    work: Callable[[], Any]
    answer: "asyncio.Future[Any]"
    on_end: Callable[[], None] | None
    loop: asyncio.AbstractEventLoop


class Workers:
    """A pool of threads that is used from one event loop.

    Only the work itself leaves the loop, so the pool needs no lock and each call wakes the worker
    once and the loop once. A `ThreadPoolExecutor` takes twice as long for a short call.
    """

    def __init__(self, most: int) -> None:
        """Start threads as they are needed, at most so many."""
        self._most = most
        self._started = 0
        self._busy = 0
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()

    def submit(
        self, work: Callable[[], T | Exception], on_end: Callable[[], None] | None = None
    ) -> "asyncio.Future[T]":
        """Run a function on a thread; an exception that it returns is raised by the future.

        It must not raise, which would end the thread. `on_end` is called on the loop when the
        function has ended, even if the future was cancelled before.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        self._busy += 1
        if self._started < min(self._busy, self._most):
            self._started += 1
            # Daemon threads: a tool that never ends must not keep the process alive.
            name = f"tool-{self._started}"
            threading.Thread(target=self._work, name=name, daemon=True).start()
        self._tasks.put(_Task(work, answer, on_end, loop))
        return answer

    def close(self) -> None:
        """End every thread after the calls that are waiting."""
        for _ in range(self._started):
            self._tasks.put(None)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            result: object = RuntimeError("The thread ended before the work did")
            try:
                result = task.work()
            finally:
                with suppress(RuntimeError):  # the loop is closed: the server has ended
                    task.loop.call_soon_threadsafe(self._finish, task, result)
            del task, result  # or they stay in memory until the next call

    def _finish(self, task: _Task, result: object) -> None:
        self._busy -= 1
        if task.on_end is not None:
            task.on_end()
        if task.answer.done():  # cancelled, or timed out
            return
        if isinstance(result, Exception):
            task.answer.set_exception(result)
        else:
            task.answer.set_result(result)
