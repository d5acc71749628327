"""What a command takes: time, processor time and memory, of all of its processes together."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile

import psutil

_POLL_S = 0.05


@dataclass(frozen=True)
class Run:
    """What a command took."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    is_done: bool = True


def measured(
    command: Sequence[str], folder: Path, limit_s: float, variables: Mapping[str, str]
) -> Run:
    """Run a command; at the limit its processes are killed.

    Memory is the largest sum over its processes that was seen, shared pages counted once, or the
    peak of its largest process if that is more.
    """
    with TemporaryFile() as errors:
        start = time.perf_counter()
        process = psutil.Popen(
            command,
            cwd=folder,
            env={**os.environ, **variables},
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        run = _watched(process, start, limit_s)
        errors.seek(0)
        # A Python program that crashes has the status of one with findings.
        return replace(run, is_done=run.is_done and b"Traceback" not in errors.read())


def _watched(process: psutil.Popen, start: float, limit_s: float) -> Run:
    """Wait for a process, and note its memory."""
    peak = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        wall_s = time.perf_counter() - start
        if pid:
            cpu_s = usage.ru_utime + usage.ru_stime
            most = max(peak, usage.ru_maxrss * 1_024)
            # 1: there are findings.
            is_done = os.waitstatus_to_exitcode(status) in {0, 1}
            return Run(cpu_s, wall_s, most / 1e6, is_done)
        if wall_s > limit_s:
            return Run(_kill(process), wall_s, peak / 1e6, is_done=False)
        peak = max(peak, _held_by(process))
        time.sleep(_POLL_S)


def _members(process: psutil.Process) -> list[psutil.Process]:
    try:
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def _held_by(process: psutil.Process) -> int:
    total = 0
    for member in _members(process):
        with suppress(psutil.Error):  # one that just ended holds nothing
            total += member.memory_full_info().pss
    return total


def _kill(process: psutil.Process) -> float:
    """Kill a process and its children, and return the processor time of all."""
    members = _members(process)
    for member in members:
        with suppress(psutil.Error):
            member.kill()
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime
