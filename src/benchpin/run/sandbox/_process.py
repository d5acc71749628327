"""Start the launcher, read the output of the program, and end both in time."""

import marshal
import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import IO, Protocol, cast

from benchpin.core.calls import REPORT_INTERVAL_S, Job
from benchpin.core.errors import BenchpinError
from benchpin.run.sandbox.launcher import launch_message

from ._messages import LaunchRequest, ProcessEnd
from ._report import ExecutionReport
from ._sandbox import KEPT_BYTES, OutputCapture

_CHUNK_BYTES = 1 << 16
# How long the launcher may take to kill everything before it is killed itself.
_GRACE_S = 2.0
_HEARTBEAT_S = 1.0
_MESSAGE_BYTES = 1000
# With more input than this unread, the output of a program in a conversation is not read.
_MAX_UNSENT = 1 << 20


class SandboxFailed(BenchpinError):
    """The program was not started, or its launcher died."""

    kind = "sandbox_failed"
    is_server_fault = True


class WorkspaceChanged(SandboxFailed):
    """The workspace changed between its scan and its mounts; a new scan may succeed."""


class Conversation(Protocol):
    """The other end of the input and output of a program."""

    def opening(self) -> bytes:
        """Return what the program reads first."""

    def hear(self, output: bytes) -> Iterator[bytes | None]:
        """Take a piece of output and yield what the program reads next; None ends it.

        Each answer is asked for when the program still runs and has read most of the earlier ones.
        """

    def hang_up(self) -> None:
        """Answer no more: the program has ended, or soon will."""


def run_process(
    command: Callable[[int], Sequence[str]],
    request: LaunchRequest,
    sandbox: str,
    *,
    timeout_s: float,
    job: Job,
    kept_bytes: int = KEPT_BYTES,
    pass_fds: Sequence[int] = (),
    conversation: Conversation | None = None,
) -> ExecutionReport:
    """Run a launcher to its end; `command` returns its command line for a socket descriptor.

    With a conversation, the output of the program goes to it, and what it says is the input.

    Raises:
        Cancelled: when the job was cancelled; every process has ended by then.
        SandboxFailed: when the program could not be started.
        WorkspaceChanged: when the workspace changed since it was scanned.
    """
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            stdin = subprocess.DEVNULL if conversation is None else subprocess.PIPE
            process = _spawn(command(theirs.fileno()), (theirs.fileno(), *pass_fds), stdin)
        with process:
            run = _Run(process, ours, timeout_s, job, kept_bytes, conversation)
            try:
                with job.stopping(run.end):
                    run.send(request)
                    run.follow()
            finally:
                process.kill()
    job.check()
    return run.report(sandbox)


def _spawn(
    command: Sequence[str], pass_fds: Sequence[int], stdin: int
) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(  # noqa: S603 - our own launcher, never the caller's shell
            command,
            bufsize=0,
            cwd="/",
            env={},
            pass_fds=pass_fds,
            start_new_session=True,  # Ctrl-C must reach only Benchpin, which ends the rest
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise _failed(str(error)) from error


def _failed(reason: str) -> SandboxFailed:
    return SandboxFailed(
        f"The program could not be run to its end: {reason}",
        suggestion="Run `benchpin doctor` to check the sandbox.",
        data={"reason": reason},
    )


class _Run:
    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        channel: socket.socket,
        timeout_s: float,
        job: Job,
        kept_bytes: int,
        conversation: Conversation | None,
    ) -> None:
        self._process = process
        self._channel = channel
        self._job = job
        self._timeout_s = timeout_s
        self._started = time.monotonic()
        self._ended: float | None = None
        self._last_report = self._started
        self._recent = bytearray()
        self._stdout, self._stderr = OutputCapture(kept_bytes), OutputCapture(kept_bytes)
        self._answer = bytearray()
        self._timed_out = False
        self._conversation = conversation
        self._replies: Iterator[bytes | None] | None = None
        self._unsent = bytearray()

    def send(self, request: LaunchRequest) -> None:
        """Send the request; a launcher that has died is noticed later, by its missing answer."""
        with suppress(OSError):
            self._channel.sendall(launch_message(request))
        self._channel.setblocking(False)

    def end(self) -> None:
        """Have the launcher end everything; safe from any thread, any number of times."""
        if self._ended is None:
            self._ended = time.monotonic()
        # The launcher polls the socket: end of file means stop.
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
            if self._conversation is not None:
                self._say(selector, self._conversation.opening())
            while self._replies is not None or len(selector.get_map()) > bool(self._unsent):
                for key, events in selector.select(self._wait_s()):
                    if events & selectors.EVENT_WRITE:
                        self._send_unsent(selector)
                    else:
                        self._receive(selector, key)
                if self._is_overdue():
                    break
                if self._conversation is not None:
                    self._converse(selector, self._conversation)
                self._report_progress()
        with suppress(subprocess.TimeoutExpired):  # the launcher ends after all its descendants
            self._process.wait(_GRACE_S)

    def report(self, sandbox: str) -> ExecutionReport:
        """Return how the program ended, and its output.

        Raises:
            SandboxFailed: when the program was not started.
        """
        end: ProcessEnd = marshal.loads(self._answer) if self._answer else {}  # noqa: S302 - ours
        stdout, stdout_cut = self._stdout.finish()
        stderr, stderr_cut = self._stderr.finish()
        if not self._timed_out and "changed" in end:
            raise WorkspaceChanged(
                f"The program was not started: {end['changed']!r} changed while the workspace was "
                "mounted",
                suggestion="Try again when no other program moves files in the workspace.",
                data={"reason": f"{end['changed']} changed"},
            )
        if not self._timed_out and (not end or "error" in end):
            raise _failed(end.get("error") or stderr.strip() or "its supervisor was killed")
        number = None if self._timed_out else end.get("signal")
        code = None if self._timed_out else end.get("exit_code")
        return ExecutionReport(
            exit_code=code if number is None else 128 + number,  # as shells report a signal
            stdout=stdout,
            stderr=stderr,
            duration_ms=round(1000 * ((self._ended or time.monotonic()) - self._started)),
            timed_out=self._timed_out,
            timeout_s=round(self._timeout_s, 3),
            truncated=stdout_cut + stderr_cut > 0,
            stdout_cut_bytes=stdout_cut,
            stderr_cut_bytes=stderr_cut,
            signal=None if number is None else _signal_name(number),
            exceeded=end.get("exceeded"),
            sandbox=sandbox,
        )

    def _receive(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        piece = _read(key.fileobj)
        if not piece:
            selector.unregister(key.fileobj)
            if key.data is self._answer:
                self.end()
        elif key.data is self._stdout and self._conversation is not None:
            # Nothing more is read before all of this is answered.
            selector.unregister(key.fileobj)
            self._replies = self._conversation.hear(piece)
        else:
            self._take(key.data, piece)

    def _converse(self, selector: selectors.BaseSelector, conversation: Conversation) -> None:
        """Give the next answer, if the program reads them."""
        if self._is_over:
            conversation.hang_up()
        if self._replies is None or not (self._is_over or self._has_room):
            return
        try:
            text = next(self._replies)
        except StopIteration:
            self._replies = None
            pipe = cast("IO[bytes]", self._process.stdout)
            selector.register(pipe, selectors.EVENT_READ, self._stdout)
        else:
            self._say(selector, text)

    @property
    def _is_over(self) -> bool:
        """Whether the program has ended, or was asked to."""
        return self._ended is not None or bool(self._answer)

    @property
    def _has_room(self) -> bool:
        """Whether the program has read most of its answers."""
        return len(self._unsent) <= _MAX_UNSENT

    def _say(self, selector: selectors.BaseSelector, text: bytes | None) -> None:
        """Send input to the program when it reads: it may never do so."""
        if text is None:
            self.end()
        if not text:
            return
        if not self._unsent:
            pipe = cast("IO[bytes]", self._process.stdin)
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_WRITE)
        self._unsent += text

    def _send_unsent(self, selector: selectors.BaseSelector) -> None:
        pipe = cast("IO[bytes]", self._process.stdin)
        try:
            del self._unsent[: os.write(pipe.fileno(), self._unsent[:_CHUNK_BYTES])]
        except OSError:  # the program has ended, or closed its input
            self._unsent.clear()
            if self._conversation is not None:
                self._conversation.hang_up()
        if not self._unsent:
            selector.unregister(pipe)

    def _take(self, capture: OutputCapture | bytearray, piece: bytes) -> None:
        if isinstance(capture, bytearray):
            capture += piece
            return
        capture.add(piece)
        self._recent += piece[-_MESSAGE_BYTES:]
        del self._recent[:-_MESSAGE_BYTES]

    def _wait_s(self) -> float:
        if self._replies is not None and self._has_room:
            return 0.0
        end = self._started + self._timeout_s if self._ended is None else self._ended + _GRACE_S
        return max(0.0, min(end - time.monotonic(), _HEARTBEAT_S))

    def _is_overdue(self) -> bool:
        """End a program past its time limit; return whether the launcher is past its grace too."""
        now = time.monotonic()
        if self._ended is not None:
            return now >= self._ended + _GRACE_S
        if now >= self._started + self._timeout_s:
            self._timed_out = True
            self.end()
        return False

    def _report_progress(self) -> None:
        now = time.monotonic()
        wait = REPORT_INTERVAL_S if self._recent else _HEARTBEAT_S
        if now < self._last_report + wait:
            return
        self._last_report = now
        message = self._recent.decode(errors="replace")
        self._recent.clear()
        elapsed = min(now - self._started, self._timeout_s)
        self._job.report(round(elapsed, 3), self._timeout_s, message)


def _signal_name(number: int) -> str:
    known = {it.value: it.name for it in signal.Signals}
    return known.get(number, f"SIG{number}")  # real-time signals have no name in Python


def _read(source: object) -> bytes:
    try:
        if isinstance(source, socket.socket):
            return source.recv(_CHUNK_BYTES)
        return cast("bytes", source.read(_CHUNK_BYTES))  # type: ignore[attr-defined]
    except OSError:  # the launcher was killed while it wrote
        return b""
