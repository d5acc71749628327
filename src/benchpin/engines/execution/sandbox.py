"""Find out what can confine a program on this machine, by trying it."""

import shutil
import subprocess
from dataclasses import dataclass
from functools import cache

_PROBE_TIMEOUT_S = 5
_PROBE = ("--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "--", "true")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A means of confinement, or the lack of one."""

    name: str
    detail: str


@cache
def detect_sandbox() -> Sandbox:
    """Return the strongest confinement that works here; the answer is kept for the process."""
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        return Sandbox("none", "bubblewrap (bwrap) is not installed")
    try:
        trial = subprocess.run(  # noqa: S603 - a fixed command, no input
            (bubblewrap, *_PROBE), capture_output=True, timeout=_PROBE_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Sandbox("none", f"bubblewrap does not start: {error}")
    if trial.returncode != 0:
        reason = trial.stderr.decode(errors="replace").strip() or f"exit code {trial.returncode}"
        return Sandbox("none", f"bubblewrap does not work here: {reason}")
    return Sandbox("bubblewrap", bubblewrap)
