"""Confine this process, start a program in it, and see to it that nothing outlives the program.

This file is run by itself, in an interpreter of its own and without Benchpin: inside bubblewrap,
where bubblewrap has built the walls, or alone, where it builds them. It gets its orders over a
socket and answers on it how the program ended; when the other end closes, everything ends.

    server ── socket ── launcher (process 1 of its namespace) ── program and whatever it starts
"""

# Importing pathlib, typing or contextlib takes as long as starting the interpreter.
# ruff: noqa: PTH123, PTH208

from __future__ import annotations

import marshal
import os
import select
import sys

from .kernel import SIGHUP, SIGINT, SIGKILL, SIGPIPE, SIGTERM, SIGXFSZ, handle, prctl
from .locks import filter_calls, limit, restrict_files
from .walls import build_walls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from benchpin.engines.execution.orders import Ending, Orders

_TICK_MS = 50
_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 4, 36, 38


def main(orders: Orders, channel: int) -> NoReturn:
    """Follow orders; the channel is the socket that they came in on."""
    os.set_inheritable(channel, False)
    try:
        _prepare(orders)
        program = _start(orders, channel)
    except OSError as error:
        _answer(channel, {"error": str(error)})
        os._exit(1)
    _answer(channel, _supervise(orders, channel, program))
    _end_descendants()
    os._exit(0)


def _answer(channel: int, ending: Ending) -> None:
    try:  # noqa: SIM105 - see above
        os.write(channel, marshal.dumps({**ending}))
    except OSError:
        pass  # nobody listens any more


def _prepare(orders: Orders) -> None:
    for number in (SIGHUP, SIGINT, SIGTERM):
        handle(number, is_ignored=True)
    if orders["walls"] is not None:
        build_walls(orders["walls"])
    if orders["filter"] is not None:
        prctl(_PR_SET_NO_NEW_PRIVS, 1)
        prctl(_PR_SET_DUMPABLE, 0)
    elif sys.platform == "linux":
        prctl(_PR_SET_CHILD_SUBREAPER, 1)
    for place, text in orders["files"].items():
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)


def _start(orders: Orders, channel: int) -> int:
    """Start the program, and return its number."""
    child = os.fork()
    if child:
        return child
    try:
        for number in (SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXFSZ):
            handle(number, is_ignored=False)
        os.setsid()
        os.nice(orders["niceness"])
        os.chdir(orders["folder"])
        for kind, most in orders["limits"]:
            limit(kind, most)
        if orders["filter"] is not None:
            restrict_files(orders["writable"])
            filter_calls(orders["filter"])
        os.execve(orders["argv"][0], orders["argv"], orders["environment"])  # noqa: S606 - its purpose
    except (OSError, ValueError) as error:
        _answer(channel, {"error": str(error)})
    finally:
        os._exit(127)


def _supervise(orders: Orders, channel: int, program: int) -> Ending:
    """Wait for the program, bury orphans, and watch what all processes take together."""
    events = select.poll()
    events.register(channel, select.POLLIN)
    if hasattr(os, "pidfd_open"):
        events.register(os.pidfd_open(program), select.POLLIN)
    while True:
        ending = _bury(program) or _excess(orders)
        if ending is not None:
            return ending
        if channel in dict(events.poll(_TICK_MS)):
            return {"signal": SIGKILL}


def _bury(program: int) -> Ending | None:
    """Reap the dead; return how the program ended, if it did."""
    ending: Ending | None = None
    while True:
        try:
            dead, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ending
        if not dead:
            return ending
        if dead == program:
            code = os.waitstatus_to_exitcode(status)
            ending = {"exit_code": code} if code >= 0 else {"signal": -code}


def _excess(orders: Orders) -> Ending | None:
    """Look at all processes together; for each there is a limit, which root does not heed."""
    if orders["most_processes"] is None or orders["most_memory_bytes"] is None:
        return None
    numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    if len(numbers) - 1 > orders["most_processes"]:
        return {"exceeded": "processes"}
    if sum(_memory_of(number) for number in numbers) > orders["most_memory_bytes"]:
        return {"exceeded": "memory"}
    return None


def _memory_of(number: str) -> int:
    """Return the bytes of a process that are no files, those that it shares included."""
    try:
        with open(f"/proc/{number}/status", encoding="utf-8", errors="replace") as lines:
            return 1024 * sum(
                int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem"))
            )
    except (OSError, IndexError):
        return 0


def _end_descendants() -> None:
    """Kill what is left; orphans come to us, so in the end nothing is.

    Process 1 of a namespace need not bother: the kernel kills the others when it ends.
    """
    while os.getpid() != 1:
        try:
            for child in _children():
                os.kill(child, SIGKILL)
            os.waitpid(-1, 0)
        except OSError:  # there is none, or one that is not ours to kill
            return


def _children() -> list[int]:
    """Find our children, also where the kernel keeps no list of them."""
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
