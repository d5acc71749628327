"""A program of ours that works on foreign input in a process of its own, and can be killed.

Native code holds the interpreter while it runs, and some input makes it take any amount of time or
memory. Such work is a module with a `main` that reads messages from stdin and writes answers to
stdout, each preceded by its length; `READY` is its first: its start counts against no call.
"""

import gc
import os
import signal
import struct
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from selectors import EVENT_READ, DefaultSelector
from typing import BinaryIO, cast

from benchpin.core.errors import BenchpinError

READY = b"ready"
_LENGTH = struct.Struct("<I")
# How long it may take to start; a busy machine needs seconds.
_START_S = 30
_READ_BYTES = 1 << 16
_MANY = 20_000


class HelperFails(BenchpinError):
    """A helper process exits right after its start."""

    kind = "helper_fails"
    is_server_fault = True


class HelperProcess:
    """The parent's side: one process that was started, and is ended with this object."""

    def __init__(self, module: str) -> None:
        self._module = module
        # A session of its own: Ctrl-C in a terminal is for the parent to handle. And `/` as working
        # directory: `-m` would import modules of the workspace.
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            (sys.executable, "-m", module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
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
