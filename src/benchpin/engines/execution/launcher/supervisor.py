"""Confine this process, start the program, and make sure that nothing outlives it.

This code runs in an interpreter of its own, without Benchpin: inside bubblewrap, or alone, where
it creates the namespaces itself. It receives a request over a socket and answers on it how the
program ended; when the other end closes, it kills everything.

    server ── socket ── launcher (process 1 of its namespace) ── program and all it starts
"""

# Importing pathlib, typing or contextlib takes as long as starting the interpreter.
# ruff: noqa: PTH115, PTH116, PTH123, PTH208

from __future__ import annotations

import marshal
import os
import select
import sys

from .libc import SIGHUP, SIGINT, SIGKILL, SIGPIPE, SIGTERM, SIGXFSZ, prctl, set_signal
from .namespaces import enter_namespaces, finish_bubblewrap
from .restrictions import install_filter, limit, restrict_files
from .workspace import WorkspaceChangedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from benchpin.engines.execution.messages import LaunchRequest, ProcessEnd

_TICK_MS = 50
_MEMORY_FOLDERS = ("/tmp", "/dev/shm", "/run/benchpin")  # noqa: S108 - each a tmpfs of the sandbox
_RSS_COLUMN = 14  # of /proc/sysvipc/shm
_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 4, 36, 38


def main(request: LaunchRequest, channel: int) -> NoReturn:
    """Run the program of a request that arrived on the socket `channel`."""
    os.set_inheritable(channel, False)
    try:
        _prepare(request)
        program = _start(request, channel)
    except WorkspaceChangedError as error:
        _answer(channel, {"changed": str(error)})
        os._exit(1)
    except OSError as error:
        _answer(channel, {"error": str(error)})
        os._exit(1)
    _answer(channel, _supervise(request, channel, program))
    _kill_descendants()
    os._exit(0)


def _answer(channel: int, end: ProcessEnd) -> None:
    try:  # noqa: SIM105 - contextlib is slow to import, see above
        os.write(channel, marshal.dumps({**end}))
    except OSError:
        pass  # the server has closed the socket


def _prepare(request: LaunchRequest) -> None:
    for number in (SIGHUP, SIGINT, SIGTERM):
        set_signal(number, is_ignored=True)
    if request["mounts"] is not None:
        enter_namespaces(request["mounts"], request["workspace"])
    elif request["is_in_bubblewrap"]:
        finish_bubblewrap(request["workspace"])
    if request["seccomp_filter"] is not None:
        prctl(_PR_SET_NO_NEW_PRIVS, 1)
        prctl(_PR_SET_DUMPABLE, 0)  # the program cannot trace or read the launcher
    elif sys.platform == "linux":
        prctl(_PR_SET_CHILD_SUBREAPER, 1)
    for path, text in request["files"].items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def _start(request: LaunchRequest, channel: int) -> int:
    """Start the program and return its process id."""
    child = os.fork()
    if child:
        return child
    try:
        for number in (SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXFSZ):
            set_signal(number, is_ignored=False)
        os.setsid()
        os.nice(request["niceness"])
        os.chdir(request["cwd"])
        for kind, most in request["rlimits"]:
            limit(kind, most)
        # The filter comes last: it refuses calls that the steps before it need.
        if request["seccomp_filter"] is not None:
            restrict_files(request["writable_paths"])
            install_filter(request["seccomp_filter"])
        os.execve(request["argv"][0], request["argv"], request["environment"])  # noqa: S606 - its purpose
    except (OSError, ValueError) as error:
        _answer(channel, {"error": str(error)})
    finally:
        os._exit(127)


def _supervise(request: LaunchRequest, channel: int, program: int) -> ProcessEnd:
    """Wait for the program, reap orphans, and enforce the limits of all processes together."""
    events = select.poll()
    events.register(channel, select.POLLIN)
    if hasattr(os, "pidfd_open"):  # Linux 5.3: wakes at once, not at the next tick
        events.register(os.pidfd_open(program), select.POLLIN)
    while True:
        end = _reap(program) or _check_limits(request)
        if end is not None:
            return end
        if channel in dict(events.poll(_TICK_MS)):
            return {"signal": SIGKILL}


def _reap(program: int) -> ProcessEnd | None:
    """Reap all dead children; return how the program ended, if it has."""
    end: ProcessEnd | None = None
    while True:
        try:
            dead, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return end
        if not dead:
            return end
        if dead == program:
            code = os.waitstatus_to_exitcode(status)
            end = {"exit_code": code} if code >= 0 else {"signal": -code}


def _check_limits(request: LaunchRequest) -> ProcessEnd | None:
    """Check all processes together; an rlimit holds for one process, and not at all for root."""
    if request["max_processes"] is None or request["max_memory_bytes"] is None:
        return None
    # /proc of the namespace: every process in it belongs to the program, but the launcher.
    processes = [name for name in os.listdir("/proc") if name.isdigit()]
    if len(processes) - 1 > request["max_processes"]:
        return {"exceeded": "processes"}
    anonymous, shared = 0, 0
    for process in processes:
        sizes = _memory_of(process)
        anonymous += sizes[0]
        shared += sizes[1]
    # Shared memory is found in what is mapped and in what holds it: the larger of the two counts.
    if anonymous + max(shared, _shared_memory(processes)) > request["max_memory_bytes"]:
        return {"exceeded": "memory"}
    return None


def _memory_of(process: str) -> tuple[int, int]:
    """Return the anonymous and the shared memory of a process in bytes, without mapped files."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as lines:
            sizes = {line.split(":")[0]: line.split() for line in lines if line.startswith("Rss")}
            return 1024 * int(sizes["RssAnon"][1]), 1024 * int(sizes["RssShmem"][1])
    except (OSError, LookupError):
        return 0, 0


def _shared_memory(processes: list[str]) -> int:
    """Return the memory in bytes that may not be mapped: tmpfs, System V segments, memfds."""
    total = 0
    for path in _MEMORY_FOLDERS:
        try:
            status = os.statvfs(path)
        except OSError:
            continue
        total += (status.f_blocks - status.f_bfree) * status.f_frsize
    try:
        with open("/proc/sysvipc/shm", encoding="ascii") as lines:
            total += sum(int(line.split()[_RSS_COLUMN]) for line in lines if "key" not in line)
    except (OSError, IndexError):
        pass
    return total + sum(_memfds(processes).values())


def _memfds(processes: list[str]) -> dict[int, int]:
    """Return the size in bytes of the open memfds, by inode: several processes may have one."""
    found = {}
    for process in processes:
        try:
            descriptors = os.listdir(f"/proc/{process}/fd")
        except OSError:  # ended, or our own process 1
            continue
        for descriptor in descriptors:
            path = f"/proc/{process}/fd/{descriptor}"
            try:
                if os.readlink(path).startswith("/memfd:"):
                    status = os.stat(path)
                    found[status.st_ino] = 512 * status.st_blocks
            except OSError:
                continue
    return found


def _kill_descendants() -> None:
    """Kill all children, again and again: orphaned grandchildren become our children.

    Process 1 of a namespace does not need to: the kernel kills the others when it ends.
    """
    while os.getpid() != 1:
        try:
            for child in _children():
                os.kill(child, SIGKILL)
            os.waitpid(-1, 0)
        except OSError:  # no child is left, or one that we may not kill
            return


def _children() -> list[int]:
    """Return our children; scans /proc, as not every kernel has /proc/self/task/*/children."""
    found = []
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:
                parent = int(stat.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == os.getpid():
            found.append(int(name))
    return found
