"""Worker processes that make facts, as many as there are cores, started when they are needed."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from typing import BinaryIO, cast

import msgspec

from benchpin.core import BenchpinError, Job
from benchpin.engines.cores import worker_count

from .worker import LENGTH, PATIENCE_S, Answer, Measured, Order, send

_POLL_S = 0.1
_READ_BYTES = 1 << 16
_PIPE_BYTES = 1 << 20
_DOUBT = 5
"""How many times sooner an order is begun anew with care than a file is given up."""
_MODULE = "benchpin.engines.source.worker"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Answer).decode


class WorkersFail(BenchpinError):
    """Worker processes end before they do anything."""

    kind = "workers_fail"


def _widen(pipe: BinaryIO) -> None:
    """Make room in a pipe for answers that nobody waits for, where the system grants it."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class _Worker:
    """One process, and what it still owes."""

    def __init__(self) -> None:
        # A session of its own, so that Ctrl-C in a terminal is left to the parent; and no working
        # folder into which a workspace could put modules.
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            (sys.executable, "-m", _MODULE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        _widen(self.answers)
        self.order: Order | None = None
        self.is_started = False
        self.is_late = False
        """Whether its order is one that nobody waits for any more."""
        self._done = 0
        """How many files of the order were answered."""
        self._since = 0.0
        self._buffer = bytearray()

    @property
    def answers(self) -> BinaryIO:
        """The pipe that answers come out of."""
        return cast("BinaryIO", self.process.stdout)

    def take(self, order: Order) -> None:
        """Give it an order; if it is dead, its other pipe will say so."""
        self.order, self.is_late, self._done = order, False, 0
        self._since = time.monotonic()
        with suppress(OSError):
            send(cast("BinaryIO", self.process.stdin), _encode(order))

    def finish_alone(self) -> None:
        """Let it end its order for the sake of the cache; what it answers is for nobody."""
        self.is_late, self._since = True, time.monotonic()

    def is_stuck(self) -> bool:
        """Whether it has been silent for too long."""
        is_certain = self.knows_file or not self.is_started
        patience = PATIENCE_S if is_certain else PATIENCE_S / _DOUBT
        return time.monotonic() - self._since > patience

    @property
    def knows_file(self) -> bool:
        """Whether the first file that was not answered is the one that it is at."""
        order = self.order
        return order is None or order.is_careful or len(order.files) == 1

    def receive(self) -> list[Measured] | None:
        """Return what came, without waiting for more; None at the end of the pipe."""
        chunk = os.read(self.answers.fileno(), _READ_BYTES)
        if not chunk:
            return None
        self._since = time.monotonic()
        self._buffer += chunk
        found: list[Measured] = []
        start = 0
        while (body := start + LENGTH.size) <= len(self._buffer):
            end = body + LENGTH.unpack_from(self._buffer, start)[0]
            if end > len(self._buffer):
                break
            answer = _decode(bytes(self._buffer[body:end]))
            start = end
            if answer is not None:
                found.append(answer)
            elif self.is_started:
                self.order = None
            self.is_started = True
        del self._buffer[:start]
        self._done += len(found)
        return found

    def unanswered(self) -> Order | None:
        """Return what is left of its order."""
        if self.order is None:
            return None
        return msgspec.structs.replace(self.order, files=self.order.files[self._done :])

    def kill(self) -> None:
        """End it now, whatever it is doing."""
        with suppress(OSError):
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                cast("BinaryIO", pipe).close()
        self.process.wait()


class WorkerPool:
    """Keeps workers for the next piece of work; one piece is done at a time."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._late: list[_Worker] = []
        self._lock = threading.Lock()

    def map(
        self, orders: Sequence[Order], job: Job, workers: int | None = None
    ) -> Iterator[Measured]:
        """Give what comes of each file, as it comes; ends early when the time is up.

        Workers then end the order that they are at, so that the next call finds it in the cache.
        A file on which a parser crashes or hangs is named; it costs nothing else.

        Raises:
            Cancelled: when the job was cancelled; workers that are busy are killed.
            WorkersFail: when none can be started.
        """
        with self._lock:
            busy, self._late = self._late, []
            try:
                yield from self._work(busy, list(reversed(orders)), job, workers or worker_count())
                self._late, busy = busy, []
            finally:
                room = max(0, worker_count() - len(self._late))
                for worker in [*busy, *self._idle[room:]]:
                    worker.kill()
                del self._idle[room:]

    def prepare(self, workers: int | None = None) -> None:
        """Start workers now, so that they are ready when there is work; not while others work."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            while len(self._idle) + len(self._late) < (workers or worker_count()):
                self._idle.append(_Worker())
        finally:
            self._lock.release()

    def close(self) -> None:
        """Let the workers go."""
        with self._lock:
            for worker in (*self._idle, *self._late):
                worker.kill()
            self._idle, self._late = [], []

    def _work(
        self, busy: list[_Worker], waiting: list[Order], job: Job, most: int
    ) -> Iterator[Measured]:
        suspects: set[str] = set()
        with DefaultSelector() as selector:
            for worker in busy:
                worker.finish_alone()
                selector.register(worker.answers, EVENT_READ, worker)
            while waiting or not all(it.is_late for it in busy):
                while waiting and len(busy) < most:
                    busy.append(self._hired())
                    busy[-1].take(waiting.pop())
                    selector.register(busy[-1].answers, EVENT_READ, busy[-1])
                job.check()
                if job.is_expired:
                    return
                left_s = job.time_left_s()
                poll_s = _POLL_S if left_s is None else min(_POLL_S, left_s)
                ready = {key.data for key, _ in selector.select(poll_s)}
                for worker in [it for it in busy if it in ready or it.is_stuck()]:
                    answers = worker.receive() if worker in ready else None
                    if answers is None or worker.order is None:
                        selector.unregister(worker.answers)
                        busy.remove(worker)
                    if answers is None:
                        worker.kill()
                        answers = _blame(worker, waiting, suspects)
                    elif worker.order is None:
                        self._idle.append(worker)
                    yield from () if worker.is_late else answers

    def _hired(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.process.poll() is None:
                return worker
            worker.kill()
        return _Worker()


def _blame(worker: _Worker, waiting: list[Order], suspects: set[str]) -> list[Measured]:
    """Name the file over which a worker was lost, and have others do the rest.

    Answers may have been lost with it, so the rest is begun anew with more care. A worker may have
    died of something else, so a file is tried once more, alone.
    """
    if not worker.is_started:
        raise WorkersFail(
            "A worker process ended before it did anything",
            suggestion=f"Run {sys.executable} -m {_MODULE} to see why.",
        )
    order = worker.unanswered()
    if order is None or not order.files or worker.is_late:
        return []
    if not worker.knows_file:
        waiting.append(msgspec.structs.replace(order, is_careful=True))
        return []
    (path, _), *rest = order.files
    if rest:
        waiting.append(msgspec.structs.replace(order, files=tuple(rest)))
    if worker.is_stuck():
        return [Measured(path, problem=f"takes longer than {PATIENCE_S} s", is_fatal=True)]
    if path in suspects:
        return [Measured(path, problem="crashes the parser", is_fatal=True)]
    suspects.add(path)
    waiting.append(msgspec.structs.replace(order, files=order.files[:1]))
    return []
