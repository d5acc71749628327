"""Let a program fail or die at one system call that changes files.

A child process runs the program under a seccomp filter that reports each such call to us before
the kernel executes it. So SQLite and the buffers of Python are covered too, and the calls need not
be listed by hand: one run counts them, and each later run has a fault at one of them.
"""

import array
import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

CAN_INJECT = sys.platform == "linux" and platform.machine() == "x86_64"

Kind = Literal["none", "kill", "no space", "input/output error", "read-only"]

_CALLS = {
    "write": 1,
    "pwrite64": 18,
    "writev": 20,
    "fsync": 74,
    "fdatasync": 75,
    "ftruncate": 77,
    "rename": 82,
    "mkdir": 83,
    "rmdir": 84,
    "unlink": 87,
    "mkdirat": 258,
    "unlinkat": 263,
    "renameat": 264,
    "linkat": 265,
    "symlinkat": 266,
    "fallocate": 285,
    "renameat2": 316,
}
_OPENAT, _OPENAT2 = 257, 437
_NAMES = {number: name for name, number in _CALLS.items()} | {_OPENAT: "create", _OPENAT2: "create"}
_ON_PATHS = {"rename", "mkdir", "rmdir", "unlink"}
_ON_DESCRIPTORS = {"write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "fallocate"}
_FREES_SPACE = {"unlink", "unlinkat", "rmdir", "fsync", "fdatasync", "ftruncate"}
_ERRORS: dict[Kind, int] = {
    "no space": errno.ENOSPC,
    "input/output error": errno.EIO,
    "read-only": errno.EROFS,
}
_NO_NEW_PRIVS, _SECCOMP, _SET_FILTER, _NEW_LISTENER = 38, 317, 1, 8
_RECEIVE, _SEND, _CONTINUE = 0xC0502100, 0xC0182101, 1
_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_MAX_PATH = 4096


@dataclass(slots=True)
class Trace:
    """What a run did."""

    calls: list[str] = field(default_factory=list)
    """The calls that changed files in the folder, such as `rename a.tmp`."""
    messages: list[str] = field(default_factory=list)
    """The lines that the program sent."""
    events: list[str] = field(default_factory=list)
    """Both, in the order in which they happened."""
    is_killed: bool = False


def run(
    program: Callable[[Callable[[str], None]], None], folder: Path, kind: Kind, at: int
) -> Trace:
    """Run a program in a child process, with a fault at the call number `at` in a folder.

    The program gets a function that sends us a line; what it sent has happened for certain.
    "no space" lasts from that call on, "read-only" for the whole run.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    child = os.fork()
    if not child:
        _run_child(program, theirs)
    theirs.close()
    with ours:
        _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
        try:
            return _Supervisor(child, ours, descriptors[0], folder, kind, at).follow()
        finally:
            os.close(descriptors[0])
            os.waitpid(child, 0)


def _run_child(program: Callable[[Callable[[str], None]], None], channel: socket.socket) -> None:
    try:
        listener = _install_filter()
        channel.sendmsg(
            [b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))]
        )
        os.close(listener)
        program(lambda line: channel.sendall(line.encode()))
    except BaseException as error:  # noqa: BLE001 - reported, whatever it is
        channel.sendall(f"crash {type(error).__name__}: {error}".encode())
    finally:
        os._exit(0)


def _install_filter() -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    steps = [(0x20, 0, 0, 0)]  # load the number of the call
    for number in (*_CALLS.values(), _OPENAT2):
        steps += [(0x15, 0, 1, number), (0x06, 0, 0, _NOTIFY)]
    # openat that creates: its flags are the third argument.
    steps += [(0x15, 0, 4, _OPENAT), (0x20, 0, 0, 32), (0x45, 0, 1, os.O_CREAT)]
    steps += [(0x06, 0, 0, _NOTIFY), (0x06, 0, 0, _ALLOW), (0x06, 0, 0, _ALLOW)]
    code = b"".join(struct.pack("<HBBI", *it) for it in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("<HxxxxxxQ", len(steps), ctypes.addressof(buffer))
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    listener: int = libc.syscall(_SECCOMP, _SET_FILTER, _NEW_LISTENER, program)
    if listener < 0:
        raise OSError(ctypes.get_errno(), "no seccomp notifications here")
    return listener


class _Supervisor:
    def __init__(
        self, child: int, channel: socket.socket, listener: int, folder: Path, kind: Kind, at: int
    ) -> None:
        self._child = child
        self._channel = channel
        self._listener = listener
        self._folder = str(folder)
        self._kind = kind
        self._at = at
        self._trace = Trace()

    def follow(self) -> Trace:
        events = select.poll()
        events.register(self._channel, select.POLLIN)
        events.register(self._listener, select.POLLIN)
        while True:
            for descriptor, event in events.poll():
                if descriptor == self._listener and event & select.POLLIN:
                    self._decide()
                elif descriptor == self._listener:
                    events.unregister(self._listener)
                else:
                    message = self._channel.recv(1 << 16)
                    if not message:
                        return self._trace
                    self._trace.messages.append(message.decode())
                    self._trace.events.append(self._trace.messages[-1])

    def _decide(self) -> None:
        notice = bytearray(80)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, notice)
        except FileNotFoundError:  # killed meanwhile
            return
        number, process, _, call, _, _, *arguments = struct.unpack("<QIIiIQ6Q", notice)
        error = self._error_of(process, _NAMES[call], arguments)
        answer = struct.pack("<QqiI", number, 0, -error, 0 if error else _CONTINUE)
        try:
            fcntl.ioctl(self._listener, _SEND, answer)
        except FileNotFoundError:
            return

    def _error_of(self, process: int, name: str, arguments: list[int]) -> int:
        if name == "create" and not self._creates(process, arguments):
            return 0
        path = _path_of(process, name, arguments)
        if not path.startswith(self._folder):
            return 0
        index = len(self._trace.calls)
        self._trace.calls.append(f"{name} {path[len(self._folder) + 1 :]}")
        self._trace.events.append(self._trace.calls[-1])
        match self._kind:
            case "kill" if index == self._at:
                os.kill(self._child, signal.SIGKILL)
                self._trace.is_killed = True
            case "no space" if index >= self._at and name not in _FREES_SPACE:
                return _ERRORS[self._kind]
            case "input/output error" if index == self._at:
                return _ERRORS[self._kind]
            case "read-only" if name not in {"fsync", "fdatasync"}:
                return _ERRORS[self._kind]
        return 0

    def _creates(self, process: int, arguments: list[int]) -> bool:
        flags = arguments[2]
        if flags > 1 << 32 or flags > 1 << 24:  # of openat2: a pointer to struct open_how
            (flags,) = struct.unpack("<Q", _memory(process, flags, 8))
        return bool(flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR))


def _path_of(process: int, name: str, arguments: list[int]) -> str:
    if name in _ON_DESCRIPTORS:
        return _link(process, arguments[0])
    if name in _ON_PATHS:
        return _absolute(process, None, arguments[0])
    if name == "symlinkat":
        return _absolute(process, arguments[1], arguments[2])
    return _absolute(process, arguments[0], arguments[1])


def _absolute(process: int, folder: int | None, pointer: int) -> str:
    path = os.fsdecode(_memory(process, pointer, _MAX_PATH).partition(b"\0")[0])
    is_here = folder is None or folder & 0xFFFFFFFF == 0xFFFFFF9C
    base = str(Path(f"/proc/{process}/cwd").readlink()) if is_here else _link(process, folder or 0)
    return os.path.normpath(Path(base, path))


def _link(process: int, descriptor: int) -> str:
    try:
        return str(Path(f"/proc/{process}/fd/{descriptor & 0xFFFFFFFF}").readlink())
    except OSError:
        return ""


def _memory(process: int, address: int, size: int) -> bytes:
    """Read memory of the child, up to the end of the page at least."""
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:  # noqa: PTH123 - as it is
        memory.seek(address)
        try:
            return memory.read(size)
        except OSError:
            memory.seek(address)
            return memory.read(4096 - address % 4096)
