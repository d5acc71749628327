"""Try what can confine a program on this machine."""

import platform
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from benchpin.core import BenchpinError, Job

from .bubblewrap import ask
from .hiding import WorkspaceView
from .program import Program
from .running import run_confined
from .sandbox import UNCONFINED, Sandbox
from .seccomp import build_filter

_TRIAL_TIMEOUT_S = 10
_MOST_CHARS = 160


def strongest() -> Sandbox:
    """Return the strongest sandbox that works, or why there is none."""
    if sys.platform != "linux":
        return Sandbox(UNCONFINED, "programs can be confined on Linux only")
    if build_filter(platform.machine()) is None:
        return Sandbox(UNCONFINED, f"there is no filter for system calls on {platform.machine()}")
    reasons = []
    for candidate in candidates():
        reason = find_fault(candidate) if candidate.confines else candidate.detail
        if reason is None:
            return replace(candidate, detail=f"{candidate.detail}, seccomp, {_landlock()}")
        reasons.append(reason)
    return Sandbox(UNCONFINED, "; ".join(dict.fromkeys(reasons)))


def _landlock() -> str:
    from .inside.locks import landlock_version  # noqa: PLC0415 - exists on Linux only

    version = landlock_version()
    return f"Landlock {version}" if version else "no Landlock in this kernel"


def candidates() -> Iterator[Sandbox]:
    """Go through what may work, the strongest first; what surely does not says why."""
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


def find_fault(sandbox: Sandbox) -> str | None:
    """Try a sandbox; return why it does not work, None when it does."""
    nothing = WorkspaceView([], [], is_writable=False)
    program = Program(("/bin/sh", "-c", "exit 0"), folder="/")
    try:
        outcome = run_confined(program, nothing, sandbox.bubblewrap, _TRIAL_TIMEOUT_S, Job())
    except BenchpinError as error:
        reason, _, _ = str(error.data.get("reason", error.message)).partition("\n")
        return f"{sandbox.name}: {textwrap.shorten(reason, _MOST_CHARS, placeholder=' …')}"
    return None if outcome.exit_code == 0 else f"{sandbox.name}: a trial failed"
