"""Find out what can confine a program on this machine, by trying it."""

import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from benchpin.core import BenchpinError, Job

from .bubblewrap import Bubblewrap, ask
from .hiding import WorkspaceView
from .running import Program, run_confined
from .seccomp import build_filter

_TRIAL_TIMEOUT_S = 10
UNCONFINED = "none"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A means of confinement, or the lack of one."""

    name: str
    detail: str
    bubblewrap: Bubblewrap | None = None

    @property
    def confines(self) -> bool:
        """Whether it is one."""
        return self.name != UNCONFINED


@cache
def detect_sandbox() -> Sandbox:
    """Return the strongest confinement that works here; the answer is kept for the process."""
    if sys.platform != "linux":
        return Sandbox(UNCONFINED, "programs can be confined on Linux only")
    if build_filter(platform.machine()) is None:
        return Sandbox(UNCONFINED, f"there is no filter for system calls on {platform.machine()}")
    reasons = []
    for candidate in _candidates():
        reason = candidate.detail if not candidate.confines else _failure(candidate)
        if reason is None:
            return replace(candidate, detail=f"{candidate.detail}, seccomp, {_landlock()}")
        reasons.append(reason)
    return Sandbox(UNCONFINED, "; ".join(reasons))


def _landlock() -> str:
    from .inside.locks import landlock_version  # noqa: PLC0415 - needs ctypes

    version = landlock_version()
    return f"Landlock {version}" if version else "no Landlock in this kernel"


def _candidates() -> Iterator[Sandbox]:
    program = shutil.which("bwrap")
    if program is None:
        yield Sandbox(UNCONFINED, "bubblewrap (bwrap) is not installed")
    else:
        yield from _with_bubblewrap(program)
    yield Sandbox("namespaces", f"user namespaces of Linux {platform.release()}")


def _with_bubblewrap(program: str) -> Iterator[Sandbox]:
    try:
        found = ask(program)
    except (OSError, subprocess.SubprocessError) as error:
        yield Sandbox(UNCONFINED, f"bubblewrap does not start: {error}")
        return
    detail = f"{program} {found.version}"
    yield Sandbox("bubblewrap", detail, found)
    if found.disables_namespaces:  # where bubblewrap is setuid root it cannot, for one
        yield Sandbox("bubblewrap", detail, replace(found, disables_namespaces=False))


def _failure(sandbox: Sandbox) -> str | None:
    """Try a sandbox; return why it does not work."""
    nothing = WorkspaceView([], [], is_writable=False)
    program = Program(("/bin/sh", "-c", "exit 0"), folder="/")
    try:
        outcome = run_confined(program, nothing, sandbox.bubblewrap, _TRIAL_TIMEOUT_S, Job())
    except BenchpinError as error:
        return f"{sandbox.name} does not work here: {error.message}"
    return None if outcome.exit_code == 0 else f"{sandbox.name} does not work here"
