"""Worker processes that make facts, as many as there are cores, started when they are needed."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from selectors import EVENT_READ, DefaultSelector
from typing import BinaryIO, cast

import msgspec

from benchpin.core import Job

from .worker import Measured, Order, receive, send

_MOST_WORKERS = 8
_POLL_S = 0.1
_PATIENCE_S = 60.0
"""How long a worker may be silent over one order."""


@dataclass(slots=True, eq=False)
class _Worker:
    process: "subprocess.Popen[bytes]"
    order: Order | None = None
    since: float = 0.0

    def is_stuck(self) -> bool:
        """Whether it has been silent over an order for too long."""
        return self.order is not None and time.monotonic() - self.since > _PATIENCE_S

    @property
    def orders(self) -> BinaryIO:
        """The pipe that orders go into."""
        return cast("BinaryIO", self.process.stdin)

    @property
    def answers(self) -> BinaryIO:
        """The pipe that answers come out of."""
        return cast("BinaryIO", self.process.stdout)


class WorkerPool:
    """Keeps workers for the next piece of work; one piece is done at a time."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(list[Measured]).decode

    def map(
        self, orders: Sequence[Order], job: Job, workers: int | None = None
    ) -> Iterator[list[Measured]]:
        """Give what comes of each order, as it comes; ends early when the time is up.

        A file on which a parser crashes or hangs is found out and named; it costs nothing else.

        Raises:
            Cancelled: when the job was cancelled; the workers are killed.
        """
        with self._lock:
            crew = [_hired(self._idle) for _ in range(min(len(orders), workers or worker_count()))]
            is_done = False
            try:
                with job.stopping(lambda: _kill(crew)):
                    yield from self._work(crew, list(reversed(orders)), job)
                is_done = True
            finally:
                if is_done:
                    self._idle.extend(crew)
                else:
                    _kill(crew)

    def close(self) -> None:
        """Let the workers go."""
        with self._lock:
            _kill(self._idle)
            self._idle.clear()

    def _work(
        self, crew: list[_Worker], waiting: list[Order], job: Job
    ) -> Iterator[list[Measured]]:
        with DefaultSelector() as selector:
            for worker in crew:
                self._assign(worker, waiting.pop(), selector)
            while selector.get_map():
                ready = {cast("_Worker", key.data) for key, _ in selector.select(_POLL_S)}
                for worker in [it for it in crew if it in ready or it.is_stuck()]:
                    selector.unregister(worker.answers)
                    answer = b"" if worker.is_stuck() else _received(worker)
                    if answer:
                        yield self._decode(answer)
                        free = worker
                    else:
                        yield from _culprit(worker, waiting)
                        free = self._replaced(crew, worker)
                    free.order = None
                    if waiting and not job.is_expired:
                        self._assign(free, waiting.pop(), selector)
                job.check()

    def _assign(self, worker: _Worker, order: Order, selector: DefaultSelector) -> None:
        worker.order, worker.since = order, time.monotonic()
        selector.register(worker.answers, EVENT_READ, worker)
        send(worker.orders, self._encode(order))

    def _replaced(self, crew: list[_Worker], worker: _Worker) -> _Worker:
        _kill([worker])
        fresh = _hired([])
        crew[crew.index(worker)] = fresh
        return fresh


def _hired(idle: list[_Worker]) -> _Worker:
    while idle:
        worker = idle.pop()
        if worker.process.poll() is None:
            return worker
    return _Worker(
        subprocess.Popen(
            (sys.executable, "-m", "benchpin.engines.source.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
        )
    )


def _received(worker: _Worker) -> bytes:
    try:
        return receive(worker.answers)
    except (EOFError, OSError):
        return b""


def _culprit(worker: _Worker, waiting: list[Order]) -> Iterator[list[Measured]]:
    """Halve an order that a worker did not survive, until one file is left to blame."""
    order = worker.order
    if order is None:
        return
    files = order.files
    if len(files) == 1:
        yield [Measured(files[0][0], 0, 0, b"", {}, "the parser does not survive it")]
        return
    middle = len(files) // 2
    waiting += [
        msgspec.structs.replace(order, files=part) for part in (files[:middle], files[middle:])
    ]


def worker_count() -> int:
    """Return how many workers this machine can feed."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(_MOST_WORKERS, cores or 1))


def _kill(crew: Sequence[_Worker]) -> None:
    for worker in crew:
        with suppress(OSError):
            worker.process.kill()
        for pipe in (worker.orders, worker.answers):
            with suppress(OSError):
                pipe.close()
        worker.process.wait()
