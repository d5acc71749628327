"""Start the launcher, read what the program writes, and end both in time."""

import marshal
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Literal, cast

from benchpin.core import BenchpinError, Job
from benchpin.core.job import REPORT_INTERVAL_S

from .capture import Capture, Captured
from .inside import shipment
from .orders import Ending, Orders

_CHUNK_BYTES = 1 << 16
_GRACE_S = 2.0
"""How long the launcher may take to end everything before it is killed itself."""
_HEARTBEAT_S = 1.0
_MESSAGE_BYTES = 1000


class SandboxFailed(BenchpinError):
    """The program was not started, or lost its supervisor."""

    kind = "sandbox_failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a program."""

    exit_code: int | None
    """128 and the signal's number for a program that a signal ended, as shells have it."""
    signal: str | None
    exceeded: Literal["processes", "memory"] | None
    timed_out: bool
    stdout: Captured
    stderr: Captured
    duration_ms: int


def run_process(
    command: Callable[[int], Sequence[str]],
    orders: Orders,
    *,
    timeout_s: float,
    job: Job,
    pass_fds: Sequence[int] = (),
) -> Outcome:
    """Run a launcher to its end; `command` makes its command line from the number of a socket.

    Raises:
        Cancelled: when the job was cancelled; everything that was started is gone.
        SandboxFailed: when the program could not be started.
    """
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process = _spawn(command(theirs.fileno()), (theirs.fileno(), *pass_fds))
        with process:
            run = _Run(process, ours, timeout_s, job)
            try:
                with job.stopping(run.end):
                    run.send(orders)
                    run.follow()
            finally:
                process.kill()
    job.check()
    return run.outcome()


def _spawn(command: Sequence[str], pass_fds: Sequence[int]) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(  # noqa: S603 - our own launcher, no shell of a caller's
            command,
            bufsize=0,
            cwd="/",
            env={},
            pass_fds=pass_fds,
            start_new_session=True,  # a Ctrl-C is for us
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise _failed(str(error)) from error


def _failed(reason: str) -> SandboxFailed:
    return SandboxFailed(
        f"The program could not be run to its end: {reason}",
        suggestion="See what `benchpin doctor` says of the sandbox.",
        data={"reason": reason},
    )


class _Run:
    def __init__(
        self, process: "subprocess.Popen[bytes]", channel: socket.socket, timeout_s: float, job: Job
    ) -> None:
        self._process = process
        self._channel = channel
        self._job = job
        self._timeout_s = timeout_s
        self._started = time.monotonic()
        self._ended: float | None = None
        self._last_report = self._started
        self._news = bytearray()
        self._stdout, self._stderr, self._answer = Capture(), Capture(), bytearray()
        self._timed_out = False

    def send(self, orders: Orders) -> None:
        """Tell the launcher what to do; if it is gone already, its silence says so."""
        with suppress(OSError):
            self._channel.sendall(shipment(orders))
        self._channel.setblocking(False)

    def end(self) -> None:
        """Have the launcher end everything; may be called from any thread, any number of times."""
        if self._ended is None:
            self._ended = time.monotonic()
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_WR)

    def follow(self) -> None:
        """Read until the program and everything that it started have ended."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._channel, selectors.EVENT_READ, self._answer)
            for pipe, capture in (
                (self._process.stdout, self._stdout),
                (self._process.stderr, self._stderr),
            ):
                selector.register(cast("IO[bytes]", pipe), selectors.EVENT_READ, capture)
            while selector.get_map():
                for key, _ in selector.select(self._patience_s()):
                    piece = _read(key.fileobj)
                    if piece:
                        self._take(key.data, piece)
                    else:
                        selector.unregister(key.fileobj)
                        if key.data is self._answer:
                            self.end()
                if self._is_overdue():
                    break
                self._report()
        with suppress(subprocess.TimeoutExpired):  # it ends when all that it started has ended
            self._process.wait(_GRACE_S)

    def outcome(self) -> Outcome:
        """Return what became of it.

        Raises:
            SandboxFailed: when the program was not started.
        """
        ending: Ending = marshal.loads(self._answer) if self._answer else {}  # noqa: S302 - ours
        stderr = self._stderr.finish()
        if not self._timed_out and (not ending or "error" in ending):
            raise _failed(ending.get("error") or stderr.text.strip() or "its supervisor was killed")
        number = None if self._timed_out else ending.get("signal")
        code = None if self._timed_out else ending.get("exit_code")
        return Outcome(
            exit_code=code if number is None else 128 + number,
            signal=None if number is None else _signal_name(number),
            exceeded=ending.get("exceeded"),
            timed_out=self._timed_out,
            stdout=self._stdout.finish(),
            stderr=stderr,
            duration_ms=round(1000 * ((self._ended or time.monotonic()) - self._started)),
        )

    def _take(self, capture: Capture | bytearray, piece: bytes) -> None:
        if isinstance(capture, bytearray):
            capture += piece
            return
        capture.add(piece)
        self._news += piece[-_MESSAGE_BYTES:]
        del self._news[:-_MESSAGE_BYTES]

    def _patience_s(self) -> float:
        end = self._started + self._timeout_s if self._ended is None else self._ended + _GRACE_S
        return max(0.0, min(end - time.monotonic(), _HEARTBEAT_S))

    def _is_overdue(self) -> bool:
        """End what takes too long; return whether even the end takes too long."""
        now = time.monotonic()
        if self._ended is not None:
            return now >= self._ended + _GRACE_S
        if now >= self._started + self._timeout_s:
            self._timed_out = True
            self.end()
        return False

    def _report(self) -> None:
        now = time.monotonic()
        wait = REPORT_INTERVAL_S if self._news else _HEARTBEAT_S
        if now < self._last_report + wait:
            return
        self._last_report = now
        message = self._news.decode(errors="replace")
        self._news.clear()
        elapsed = min(now - self._started, self._timeout_s)
        self._job.report(round(elapsed, 3), self._timeout_s, message)


def _signal_name(number: int) -> str:
    known = {it.value: it.name for it in signal.Signals}
    return known.get(number, f"SIG{number}")


def _read(source: object) -> bytes:
    try:
        if isinstance(source, socket.socket):
            return source.recv(_CHUNK_BYTES)
        return cast("bytes", source.read(_CHUNK_BYTES))  # type: ignore[attr-defined]
    except OSError:  # the launcher was killed while it wrote
        return b""
