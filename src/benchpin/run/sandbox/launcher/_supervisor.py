"""Confine this process, start the program, and make sure that nothing outlives it.

This code runs in an interpreter of its own, without Benchpin: inside bubblewrap, or alone, where
it creates the namespaces itself, or does without. It receives a request over a socket and answers
on it how the program ended; when the other end closes, it kills everything.

    server ── socket ── launcher (process 1 of its namespace) ── program and all it starts
"""

# Importing pathlib, typing or contextlib takes as long as starting the interpreter.
# ruff: noqa: PTH116, PTH123, PTH208

from __future__ import annotations

import errno
import marshal
import os
import select
import sys

from ._memory import MemoryWatch
from ._namespaces import clear_capabilities, enter_namespaces, finish_bubblewrap
from ._system_calls import (
    SIGHUP,
    SIGINT,
    SIGKILL,
    SIGPIPE,
    SIGTERM,
    SIGXFSZ,
    install_filter,
    limit,
    prctl,
    restrict_files,
    set_signal,
)
from ._workspace import WorkspaceChangedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    from benchpin.run.sandbox import LaunchRequest, ProcessEnd

_TICK_MS = 50
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 4, 36, 38


def main(request: LaunchRequest, channel: int) -> NoReturn:
    """Run the program of a request that arrived on the socket `channel`."""
    os.set_inheritable(channel, False)
    try:
        _prepare(request)
        most = request["max_memory_bytes"]
        is_alone = request["grants"] is None
        memory = None if most is None else MemoryWatch(most, is_alone=is_alone)
        program = _start(request, channel)
    except WorkspaceChangedError as error:
        _answer(channel, {"changed": str(error)})
        os._exit(1)
    except OSError as error:
        _answer(channel, {"error": str(error)})
        os._exit(1)
    _answer(channel, _supervise(request, channel, program, memory))
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
    if sys.platform == "linux" and os.getpid() != 1:
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
        if request["grants"] is not None:
            prctl(_PR_SET_PDEATHSIG, SIGKILL)
            clear_capabilities()
        if request["seccomp_filter"] is not None:
            restrict_files(request["writable_paths"], request["grants"])
            install_filter(request["seccomp_filter"])
        os.execve(request["argv"][0], request["argv"], request["environment"])  # noqa: S606 - its purpose
    except (OSError, ValueError) as error:
        is_stale = isinstance(error, OSError) and error.errno == errno.ESTALE
        _answer(channel, {"changed": str(error)} if is_stale else {"error": str(error)})
    finally:
        os._exit(127)


def _supervise(
    request: LaunchRequest, channel: int, program: int, memory: MemoryWatch | None
) -> ProcessEnd:
    """Wait for the program, reap orphans, and enforce the limits of all processes together."""
    events = select.poll()
    events.register(channel, select.POLLIN)
    if hasattr(os, "pidfd_open"):  # Linux 5.3: wakes at once, not at the next tick
        events.register(os.pidfd_open(program), select.POLLIN)
    while True:
        end = _reap(program) or _check_limits(request, memory)
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


def _check_limits(request: LaunchRequest, memory: MemoryWatch | None) -> ProcessEnd | None:
    """Check all processes together; an rlimit holds for one process, and not at all for root."""
    if memory is None or request["max_processes"] is None:
        return None
    # /proc of the namespace: every process in it belongs to the program, but the launcher.
    is_alone = request["grants"] is None
    processes = [it for it in os.listdir("/proc") if it.isdigit()] if is_alone else _family()
    if len(processes) - 1 > request["max_processes"]:
        return {"exceeded": "processes"}
    if sum(map(_threads_of, processes)) > request["max_threads"]:
        return {"exceeded": "processes"}
    return {"exceeded": "memory"} if memory.is_exceeded(processes) else None


def _threads_of(process: str) -> int:
    try:  # the number of links of the folder: two, and one for each thread
        return os.stat(f"/proc/{process}/task").st_nlink - 2
    except OSError:
        return 0


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
    """Return our children; not every kernel has /proc/self/task/*/children."""
    return [child for child, parent in _parents() if parent == os.getpid()]


def _family() -> list[str]:
    """Return this process and all its descendants; orphans become its children."""
    parents = dict(_parents())
    family = {os.getpid()}
    before = 0
    while len(family) > before:
        before = len(family)
        family.update(child for child, parent in parents.items() if parent in family)
    return list(map(str, family))


def _parents() -> Iterator[tuple[int, int]]:
    """Yield all processes, each with its parent."""
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:
                yield int(name), int(stat.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
