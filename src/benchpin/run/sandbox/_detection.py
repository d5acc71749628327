"""Probe which sandbox works on this machine."""

import platform
import subprocess
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError

from ._bubblewrap import inspect_bubblewrap
from ._running import run_confined
from ._sandbox import UNCONFINED, Program, Sandbox
from ._seccomp import build_filter

_PROBE_TIMEOUT_S = 10
_MAX_REASON_CHARS = 160


def find_strongest(bubblewrap: str | None) -> Sandbox:
    """Return the strongest sandbox that works, or an unconfined one with the reasons."""
    if build_filter(platform.machine()) is None:
        return Sandbox(UNCONFINED, f"no seccomp filter for {platform.machine()} machines")
    reasons = []
    for candidate in candidates(bubblewrap):
        reason = probe(candidate) if candidate.confines else candidate.detail
        if reason is None:
            return replace(candidate, detail=f"{candidate.detail}, seccomp, {_landlock()}")
        reasons.append(reason)
    return Sandbox(UNCONFINED, "; ".join(dict.fromkeys(reasons)))


def _landlock() -> str:
    from benchpin.run.sandbox.launcher import (  # noqa: PLC0415 - exists on Linux only
        landlock_version,
    )

    version = landlock_version()
    return f"Landlock {version}" if version else "no Landlock in this kernel"


def candidates(bubblewrap: str | None) -> Iterator[Sandbox]:
    """Yield what may work, the strongest first; unconfined ones carry the reason for a failure."""
    if bubblewrap is None:
        yield Sandbox(UNCONFINED, "bubblewrap (bwrap) is not installed")
    else:
        yield from _bubblewrap_candidates(bubblewrap)
    yield Sandbox("namespaces", f"user namespaces of Linux {platform.release()}")


def _bubblewrap_candidates(program: str) -> Iterator[Sandbox]:
    try:
        found = inspect_bubblewrap(program)
    except (OSError, subprocess.SubprocessError) as error:
        yield Sandbox(UNCONFINED, f"bubblewrap does not start: {error}")
        return
    yield Sandbox("bubblewrap", f"{program} {found.version}", found)


def probe(sandbox: Sandbox) -> str | None:
    """Run a trivial program in a sandbox; return why it failed, or None."""
    program = Program(("/bin/sh", "-c", "exit 0"), cwd="/")
    try:
        report = run_confined(program, None, sandbox, _PROBE_TIMEOUT_S, Job())
    except BenchpinError as error:
        reason, _, _ = str(error.data.get("reason", error.message)).partition("\n")
        return f"{sandbox.name}: {textwrap.shorten(reason, _MAX_REASON_CHARS, placeholder=' …')}"
    return None if report.exit_code == 0 else f"{sandbox.name}: a test program failed"
