"""A program of ours that works on foreign input in a process of its own, and can be killed.

Native code holds the interpreter while it runs, and some input makes it take any amount of time or
memory. Such work is a module that is run with `-m`: for each of the `requests()` it calls `reply`.
Messages go over stdin and stdout, each preceded by its length; `READY` is the first of a helper:
its start counts against no call. The other side is a `HelperProcess`, or a `HelperPool` that keeps
processes from call to call.
"""

import gc
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from selectors import EVENT_READ, DefaultSelector
from typing import BinaryIO, cast

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError

READY = b"ready"
_LENGTH = struct.Struct("<I")
# How long it may take to start; a busy machine needs seconds.
_START_S = 30
_READ_BYTES = 1 << 16
# How often a wait for an answer looks whether the call was cancelled.
_POLL_S = 0.1
_MANY = 20_000
_NICENESS = 19


class HelperFails(BenchpinError):
    """A helper process exits right after its start."""

    kind = "helper_fails"
    is_server_fault = True


class HelperProcess:
    """The parent's side: one process that was started, and is ended with this object."""

    def __init__(self, module: str, files: Sequence[int] = ()) -> None:
        """Start it; it inherits the open `files`, under the same numbers."""
        self._module = module
        # A session of its own: Ctrl-C in a terminal is for the parent to handle. And `/` as working
        # directory: `-m` would import modules of the workspace.
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            (sys.executable, "-m", module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            pass_fds=files,
            start_new_session=True,
        )
        self._received = bytearray()
        self.close = weakref.finalize(self, _end, self._process)

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self.close.alive and self._process.poll() is None

    def send(self, message: bytes) -> None:
        """Send a message; a process that has died is noticed when its answer is read."""
        with suppress(OSError, ValueError):  # ValueError: it was closed
            write_message(cast("BinaryIO", self._process.stdin), message)

    def wait_ready(self) -> None:
        """Wait until it has started.

        Raises:
            HelperFails: when it does not start.
        """
        if self.receive(_START_S) != READY:
            self.close()
            raise HelperFails(
                "A process that does the work does not start",
                suggestion=f"Run {sys.executable} -m {self._module} to see why.",
            )

    def ask(self, *messages: bytes, job: Job | None = None, limit_s: float = inf) -> bytes | None:
        """Send a request and wait for its answer, as `wait` does."""
        for message in messages:
            self.send(message)
        return self.wait(job, limit_s)

    def wait(self, job: Job | None = None, limit_s: float = inf) -> bytes | None:
        """Return one answer; empty if the process has ended, None if there is none in time.

        Without an answer the process is ended: a late one would be taken for the next.

        Raises:
            Cancelled: when the job was cancelled.
        """
        deadline = time.monotonic() + limit_s
        answer: bytes | None = None
        try:
            while answer is None and (left_s := deadline - time.monotonic()) > 0:
                if job is not None:
                    job.check()
                answer = self.receive(min(_POLL_S, left_s))
        finally:
            if not answer:
                self.close()
        return answer

    def receive(self, seconds: float) -> bytes | None:
        """Return one answer; empty if the process has ended, None if there is none in time."""
        if not self.close.alive:
            return b""
        pipe = cast("BinaryIO", self._process.stdout)
        deadline = time.monotonic() + seconds
        with DefaultSelector() as selector:
            selector.register(pipe, EVENT_READ)
            while (end := self._end_of_answer()) is None:
                if not selector.select(max(0, deadline - time.monotonic())):
                    return None
                piece = os.read(pipe.fileno(), _READ_BYTES)
                if not piece:
                    return b""
                self._received += piece
        answer = bytes(self._received[_LENGTH.size : end])
        del self._received[:end]
        return answer

    def _end_of_answer(self) -> int | None:
        if len(self._received) < _LENGTH.size:
            return None
        end: int = _LENGTH.size + _LENGTH.unpack_from(self._received)[0]
        return end if len(self._received) >= end else None


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            cast("BinaryIO", pipe).close()
    process.wait()


class HelperPool:
    """Processes of one module that are kept from call to call; any number of threads may share it.

    `greeting` is what each of them is sent first; it is ready when it has read it.
    """

    def __init__(self, module: str, greeting: bytes = b"") -> None:
        self._module = module
        self._greeting = greeting
        self._idle: list[HelperProcess] = []

    @contextmanager
    def borrow(self) -> Iterator[HelperProcess]:
        """Lend a process that is ready; it is ended if the block raises, or leaves it dead.

        Raises:
            HelperFails: when it does not start.
        """
        process = self._ready()
        try:
            yield process
        except BaseException:
            process.close()
            raise
        if process.is_alive:
            self._idle.append(process)

    def close(self) -> None:
        """End the processes that nobody has borrowed."""
        while self._idle:
            self._idle.pop().close()

    def _ready(self) -> HelperProcess:
        with suppress(IndexError):
            while not (idle := self._idle.pop()).is_alive:
                idle.close()
            return idle
        process = HelperProcess(self._module)
        if self._greeting:
            process.send(self._greeting)
        process.wait_ready()
        return process


# The side of the helper.


def requests(*, memory_bytes: int | None = None, alarm_s: int = 0) -> Iterator[bytes]:
    """Say that this process is ready, and yield the messages of its parent until it ends.

    With `alarm_s` the system kills the process when one request takes longer.
    """
    if memory_bytes is not None:
        limit_memory(memory_bytes)
    reply(READY)
    while message := read_message(sys.stdin.buffer):
        set_alarm(alarm_s)
        yield message
        set_alarm(0)


def end_with_parent() -> None:
    """End this process as soon as its parent has ended; for one that has read its only request."""

    def wait_for_end() -> None:
        sys.stdin.buffer.read(1)
        os._exit(1)

    threading.Thread(target=wait_for_end, daemon=True).start()


def reply(message: bytes) -> None:
    """Send an answer to the parent."""
    write_message(sys.stdout.buffer, message)


def write_message(pipe: BinaryIO, message: bytes) -> None:
    """Write one message and flush it."""
    pipe.write(_LENGTH.pack(len(message)) + message)
    pipe.flush()


def read_message(pipe: BinaryIO) -> bytes:
    """Return the next message; empty at the end."""
    head = pipe.read(_LENGTH.size)
    return pipe.read(_LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else b""


def limit_memory(most_bytes: int) -> None:
    """Have the system refuse this process more memory, where it can."""
    with suppress(ImportError, OSError, ValueError):  # macOS has the call, but no such limit
        import resource  # noqa: PLC0415 - not on every system

        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))


def be_idle() -> None:
    """Take only time that no other process wants, also for processes that are started from now."""
    with suppress(AttributeError, OSError):  # not on every system, or not allowed
        os.nice(_NICENESS)
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def set_alarm(seconds: int) -> None:
    """Have the system kill this process then: if the parent was killed, nothing else would."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


@contextmanager
def gc_off() -> Iterator[None]:
    """Turn the garbage collector off: facts have no cycles, and it takes 14 % of loading them.

    Many new objects are moved to the oldest generation afterwards, or the next collection of the
    young ones would go through all of them at once. `gc.unfreeze` also releases what was frozen
    at the start of the process.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_count()[0] > _MANY:
                gc.freeze()
                gc.unfreeze()
            gc.enable()
