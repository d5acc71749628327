"""A pool of worker processes that compute facts, one per core, started on demand.

Files are divided into batches, which the workers take one after the other.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from selectors import EVENT_READ, DefaultSelector
from typing import BinaryIO, cast

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.system.processes import worker_count
from benchpin.workspace.walking import SourceFile

from ._worker import FILE_TIMEOUT_S, LENGTH, Answer, FileBatch, FileResult, send

_MAX_BYTES = 300_000
_MAX_FILES = 200
# Batches for each worker, at least: with fewer, one worker is busy long after the others.
_PER_WORKER = 4
_POLL_S = 0.1  # how soon a cancelled call ends
_READ_BYTES = 1 << 16
_PIPE_BYTES = 1 << 20  # so that workers rarely wait while the parent is busy
# A batch without answers is restarted with `is_careful` after a fifth of the limit of a file.
_SUSPICION_FACTOR = 5
_MODULE = "benchpin.facts.workers._worker"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Answer).decode


class WorkersFail(BenchpinError):
    """Worker processes exit right after their start."""

    kind = "workers_fail"
    is_server_fault = True


def _widen(pipe: BinaryIO) -> None:
    """Enlarge the buffer of a pipe, if the system allows it."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class _Worker:
    """One process, and the batch that it works on."""

    def __init__(self) -> None:
        # A session of its own: Ctrl-C in a terminal is for the parent to handle. And `/` as working
        # directory: `-m` would import modules of the workspace.
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            (sys.executable, "-m", _MODULE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        _widen(self.answers)
        self.batch: FileBatch | None = None
        self.is_started = False
        self.is_late = False
        """Whether the caller that wanted its batch has given up."""
        self._done = 0
        """How many files of the batch have results."""
        self._since = 0.0
        self._buffer = bytearray()

    @property
    def answers(self) -> BinaryIO:
        return cast("BinaryIO", self.process.stdout)

    def take(self, batch: FileBatch) -> None:
        """Send a batch; a dead worker is noticed later, at the end of its other pipe."""
        self.batch, self.is_late, self._done = batch, False, 0
        self._since = time.monotonic()
        with suppress(OSError):
            send(cast("BinaryIO", self.process.stdin), _encode(batch))

    def finish_alone(self) -> None:
        """Let it finish its batch, which fills the cache; the answers are dropped."""
        self.is_late, self._since = True, time.monotonic()

    def is_stuck(self) -> bool:
        """Whether it has not answered for too long."""
        is_certain = self.knows_file or not self.is_started
        limit_s = FILE_TIMEOUT_S if is_certain else FILE_TIMEOUT_S / _SUSPICION_FACTOR
        return time.monotonic() - self._since > limit_s

    @property
    def knows_file(self) -> bool:
        """Whether the first file without a result is the one that it works on."""
        batch = self.batch
        return batch is None or batch.is_careful or len(batch.files) == 1

    def receive(self) -> list[FileResult] | None:
        """Return the results that have arrived; None at the end of the pipe."""
        chunk = os.read(self.answers.fileno(), _READ_BYTES)
        if not chunk:
            return None
        self._since = time.monotonic()
        self._buffer += chunk
        found: list[FileResult] = []
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
                self.batch = None
            self.is_started = True
        del self._buffer[:start]
        self._done += len(found)
        return found

    def unanswered(self) -> FileBatch | None:
        if self.batch is None:
            return None
        return msgspec.structs.replace(self.batch, files=self.batch.files[self._done :])

    def kill(self) -> None:
        with suppress(OSError):
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                cast("BinaryIO", pipe).close()
        self.process.wait()


class WorkerPool:
    """Keeps workers from call to call; `map` serves one call at a time."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._late: list[_Worker] = []
        self._lock = threading.Lock()
        self._is_closed = False

    def map(
        self, batches: Sequence[FileBatch], job: Job, workers: int | None = None
    ) -> Iterator[FileResult]:
        """Yield the result of each file as it arrives; end early when the time is up.

        Workers then finish their batch, so that the next call finds it in the cache. A file on
        which the parser crashes or hangs gets a result with the problem; no other file is lost.

        Raises:
            Cancelled: when the job was cancelled; busy workers are killed.
            WorkersFail: when no worker can be started.
        """
        with self._lock:
            busy, self._late = self._late, []
            try:
                # Reversed, because `_work` takes batches from the end.
                yield from self._work(busy, list(reversed(batches)), job, workers or worker_count())
                self._late, busy = busy, []
            finally:
                room = max(0, worker_count() - len(self._late))
                for worker in [*busy, *self._idle[room:]]:
                    worker.kill()
                del self._idle[room:]

    def prepare(self, workers: int | None = None) -> None:
        """Start workers ahead of time; does nothing while `map` runs, or after `close`."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            most = 0 if self._is_closed else workers or worker_count()
            while len(self._idle) + len(self._late) < most:
                self._idle.append(_Worker())
        finally:
            self._lock.release()

    def rest(self) -> None:
        """Kill idle workers, to free their memory; the next `map` starts others."""
        with self._lock:
            for worker in self._idle:
                worker.kill()
            self._idle = []

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            for worker in (*self._idle, *self._late):
                worker.kill()
            self._idle, self._late = [], []

    def _work(
        self, busy: list[_Worker], waiting: list[FileBatch], job: Job, most: int
    ) -> Iterator[FileResult]:
        suspects: set[str] = set()
        with DefaultSelector() as selector:
            for worker in busy:
                worker.finish_alone()
                selector.register(worker.answers, EVENT_READ, worker)
            while waiting or not all(it.is_late for it in busy):
                while waiting and len(busy) < most:
                    busy.append(self._idle_or_new())
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
                    if answers is None or worker.batch is None:
                        selector.unregister(worker.answers)
                        busy.remove(worker)
                    if answers is None:
                        worker.kill()
                        answers = _blame(worker, waiting, suspects)
                    elif worker.batch is None:
                        self._idle.append(worker)
                    yield from () if worker.is_late else answers

    def _idle_or_new(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.process.poll() is None:
                return worker
            worker.kill()
        return _Worker()


def _blame(worker: _Worker, waiting: list[FileBatch], suspects: set[str]) -> list[FileResult]:
    """Find the file that killed a worker, and queue the rest of its batch again.

    Answers may have been lost in its buffer, so the rest is done with `is_careful`. The worker may
    have died for another reason, so a file is tried once more, alone, before it is blamed.
    """
    if not worker.is_started:
        raise WorkersFail(
            "A worker process exited right after its start",
            suggestion=f"Run {sys.executable} -m {_MODULE} to see why.",
        )
    batch = worker.unanswered()
    if batch is None or not batch.files or worker.is_late:
        return []
    if not worker.knows_file:
        waiting.append(msgspec.structs.replace(batch, is_careful=True))
        return []
    (path, _), *rest = batch.files
    if rest:
        waiting.append(msgspec.structs.replace(batch, files=tuple(rest)))
    if batch.facts and batch.sections:  # its own facts are worth more than what is derived of them
        waiting.append(msgspec.structs.replace(batch, files=batch.files[:1], facts=()))
        return []
    if worker.is_stuck():
        return [FileResult(path, problem=f"takes longer than {FILE_TIMEOUT_S} s", is_fatal=True)]
    if path in suspects:
        return [FileResult(path, problem="crashes the parser", is_fatal=True)]
    suspects.add(path)
    waiting.append(msgspec.structs.replace(batch, files=batch.files[:1]))
    return []


def make_batches(
    files: Mapping[SourceFile, str], batch: FileBatch, workers: int
) -> Iterator[FileBatch]:
    """Yield copies of `batch` with about equal amounts of files; `files` maps them to languages.

    Batches of large and of small files alternate: the first results come soon, and no large file
    is left to the end.
    """
    parts = list(_parts(files, _PER_WORKER * workers))
    half = (len(parts) + 1) // 2
    for pair in zip_longest(parts[:half], reversed(parts[half:])):
        for part in pair:
            if part is not None:
                yield msgspec.structs.replace(batch, files=part)


def _parts(files: Mapping[SourceFile, str], count: int) -> Iterator[tuple[tuple[str, str], ...]]:
    """Divide files, largest first, into at least `count` parts of at most `_MAX_BYTES`."""
    total = sum(file.size_bytes for file in files)
    enough = max(1, min(_MAX_BYTES, total // count))
    part: list[tuple[str, str]] = []
    size = 0
    for file in sorted(files, key=lambda it: (-it.size_bytes, it.path)):
        part.append((file.path, files[file]))
        size += file.size_bytes
        if size >= enough or len(part) == _MAX_FILES:
            yield tuple(part)
            part, size = [], 0
    if part:
        yield tuple(part)
