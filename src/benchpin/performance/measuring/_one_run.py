"""Run a program once, and say what it used, what it wrote and what it left running.

This file is sent into the sandbox as text with `_measurer.py`, and runs there without Benchpin.
"""

import contextlib
import hashlib
import os
import re
import resource
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path

MAX_OUTPUT_BYTES = 16 << 20
_KEPT_BYTES = 256 << 10
TAIL_BYTES = 2_000
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
# What differs from run to run without a meaning: times, addresses, temporary folders.
_VOLATILE = re.compile(
    rb"\b\d+(?:[.,]\d+)? ?(?:s|ms|us|\xc2\xb5s|ns|sec|seconds?|minutes?)\b|\b0x[0-9a-f]{6,16}\b"
    rb"|/tmp/[\w.-]+|\b\d\d:\d\d:\d\d(?:\.\d+)?|(?<=\s)[\d.]+ (?:ns|B|allocs)/op"
)


class EndedRun:
    """How one run ended, and what it wrote."""

    def __init__(self) -> None:
        self.code = 0
        self.cpu_us = self.wall_us = self.queued_us = self.peak_bytes = self.left = 0
        self.is_late = self.is_flooding = False
        self.lines: list[bytes] = []
        self.errors = b""
        self.size = 0
        self._hash = hashlib.blake2b(digest_size=16)
        self._rest = b""
        self._kept = 0

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def add(self, piece: bytes) -> None:
        self.size += len(piece)
        whole = self._rest + piece
        # A line without an end is taken in pieces, or a gigabyte of it would be held.
        at = whole.rfind(b"\n") + 1 or (len(whole) if len(whole) > _KEPT_BYTES else 0)
        self._take(whole[:at])
        self._rest = whole[at:]

    def finish(self) -> None:
        self._take(self._rest)
        self._rest = b""

    def _take(self, text: bytes) -> None:
        plain = _VOLATILE.sub(b"#", text)
        self._hash.update(plain)
        if self._kept < _KEPT_BYTES:
            self._kept += len(plain)
            self.lines += plain.splitlines()


def run_once(
    argv: list[str], folder: Path, variables: "dict[str, str]", deadline: float
) -> EndedRun:
    """Run a program to its end, or until a moment; nothing that it started is left."""
    ended = EndedRun()
    waking, wake = os.pipe()
    for end in (waking, wake):
        os.set_blocking(end, False)
    before = signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    try:
        started = time.monotonic_ns()
        process = subprocess.Popen(  # noqa: S603 - the purpose of this script
            argv,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **variables},
            start_new_session=True,
        )
        usage, status = _attend(process, waking, ended, deadline)
        ended.wall_us = (time.monotonic_ns() - started) // 1000
        usages = [usage, *_end_rest(process.pid, ended)]
        # Linux counts in KiB, macOS in bytes.
        unit = 1 if sys.platform == "darwin" else 1024
        ended.peak_bytes = unit * max(it.ru_maxrss for it in usages)
        ended.cpu_us = round(1e6 * sum(it.ru_utime + it.ru_stime for it in usages))
        code = os.waitstatus_to_exitcode(status)
        ended.code = code if code >= 0 else 128 - code
        process.returncode = code
        _drain(process, ended)
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, before)
        os.close(waking)
        os.close(wake)
    ended.finish()
    return ended


def _attend(
    process: "subprocess.Popen[bytes]", waking: int, ended: EndedRun, deadline: float
) -> "tuple[resource.struct_rusage, int]":
    """Read what a program writes until it ends; return what it used, and its status."""
    assert process.stdout is not None  # noqa: S101 - a pipe was asked for
    assert process.stderr is not None  # noqa: S101 - and here
    with selectors.DefaultSelector() as selector:
        selector.register(waking, selectors.EVENT_READ, None)
        for stream in (process.stdout, process.stderr):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ, stream is process.stdout)
        while True:
            if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                ended.queued_us = _queued_us(process.pid)
                _, status, usage = os.wait4(process.pid, 0)
                return usage, status
            left = deadline - time.monotonic()
            ended.is_late, ended.is_flooding = left <= 0, ended.size > MAX_OUTPUT_BYTES
            if ended.is_late or ended.is_flooding:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                _, status, usage = os.wait4(process.pid, 0)
                return usage, status
            for key, _ in selector.select(left):
                if key.data is None:
                    os.read(waking, 4096)
                elif not _read(key.fd, ended, is_output=key.data):
                    selector.unregister(key.fileobj)


def _queued_us(process: int) -> int:
    """Return how long the first thread of a process waited for a processor; 0 if not known."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        text = Path(f"/proc/{process}/schedstat").read_text(encoding="ascii")
        return int(text.split()[1]) // 1000
    return 0


def _read(fd: int, ended: EndedRun, *, is_output: bool) -> bool:
    """Read once; return whether there may be more."""
    try:
        piece = os.read(fd, 1 << 16)
    except BlockingIOError:
        return True
    if is_output:
        ended.add(piece)
    else:
        ended.size += len(piece)
        ended.errors = (ended.errors + piece)[-TAIL_BYTES:]
    return bool(piece)


def _drain(process: "subprocess.Popen[bytes]", ended: EndedRun) -> None:
    """Read what is still in the pipes: all that wrote to them have ended."""
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError), stream:
                size = -1
                while size != ended.size and ended.size <= 2 * MAX_OUTPUT_BYTES:
                    size = ended.size
                    _read(stream.fileno(), ended, is_output=stream is process.stdout)


def _end_rest(leader: int, ended: EndedRun) -> "list[resource.struct_rusage]":
    """End what a program left running, and return what that used."""
    found = []
    # Those that are killed may have children of their own, which become ours then.
    for _ in range(1000):
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
        children = _children()
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            gone, status, usage = os.wait4(-1, 0 if children else os.WNOHANG)
        except ChildProcessError:
            break
        if not gone:
            break
        found.append(usage)
        # One that had ended by itself was only not waited for.
        ended.left += os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return found


def _children() -> list[int]:
    found: list[int] = []
    for place in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, place.read_text(encoding="ascii").split())
    return found


def adopt_orphans() -> None:
    """Become the parent of what a program leaves running, so that it is seen and counted."""
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes  # noqa: PLC0415 - not on every Python

        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
