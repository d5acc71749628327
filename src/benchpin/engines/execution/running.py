"""Run a program in a sandbox, or without one where the operator says so."""

import math
import os
import platform
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchpin.core import Job

from .bubblewrap import Bubblewrap
from .hiding import WorkspaceView
from .inside import BOOTSTRAP
from .orders import Orders
from .process import Outcome, run_process
from .program import Program
from .seccomp import build_filter
from .view import SCRIPTS, SHARED, TMP, in_order, system_view

_MIB = 1 << 20
_MOST = {
    "RLIMIT_AS": 16 * 1024 * _MIB,  # runtimes reserve far more than they use
    "RLIMIT_DATA": 1536 * _MIB,
    "RLIMIT_FSIZE": 64 * _MIB,
    "RLIMIT_NOFILE": 1024,
    "RLIMIT_CORE": 0,
}
_MOST_PROCESSES = 256
_MOST_THREADS = 512
_MOST_MEMORY_BYTES = 4096 * _MIB
_COUNTS_BY_NAMESPACE = (5, 14)
_NICENESS = 5
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_KEPT_VARIABLES = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
)


def run_confined(
    program: Program,
    workspace: WorkspaceView,
    bubblewrap: Bubblewrap | None,
    timeout_s: float,
    job: Job,
) -> Outcome:
    """Run a program behind walls: those of bubblewrap, or our own.

    Raises:
        Cancelled: when the job was cancelled; everything that was started is gone.
        SandboxFailed: when the walls could not be built or the program not be started.
    """
    mounts = in_order((*system_view(sys.executable), *workspace.mounts))
    root = workspace.mounts[0]["target"] if workspace.mounts else TMP
    orders = Orders(
        argv=list(program.argv),
        folder=program.folder,
        environment=_environment_inside(),
        files={},
        limits=[*_limits(timeout_s), *_thread_limit(platform.release())],
        niceness=_NICENESS,
        walls=None,
        writable=[TMP, SHARED, *([root] if workspace.is_writable else ())],
        filter=build_filter(platform.machine()),
        most_processes=_MOST_PROCESSES,
        most_memory_bytes=_MOST_MEMORY_BYTES,
    )
    if program.script is not None:
        _add_script(orders, f"{SCRIPTS}/main.py", program.script)
    if bubblewrap is None:
        orders["walls"] = mounts
        return run_process(_launcher, orders, timeout_s=timeout_s, job=job)
    with tempfile.TemporaryFile() as arguments:
        arguments.write(bubblewrap.arguments(mounts))
        arguments.seek(0)
        number = arguments.fileno()
        return run_process(
            lambda channel: bubblewrap.command(number, _launcher(channel)),
            orders,
            timeout_s=timeout_s,
            job=job,
            pass_fds=(number,),
        )


def run_unconfined(program: Program, timeout_s: float, job: Job) -> Outcome:
    """Run a program with the rights of Benchpin itself, its environment cut down.

    On Linux everything that it starts ends with it, unless it kills its supervisor.

    Raises:
        Cancelled: when the job was cancelled.
        SandboxFailed: when the program could not be started.
    """
    variables = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    orders = Orders(
        argv=list(program.argv),
        folder=program.folder,
        environment=variables,
        files={},
        limits=_limits(timeout_s),
        niceness=0,
        walls=None,
        writable=[],
        filter=None,
        most_processes=None,
        most_memory_bytes=None,
    )
    with tempfile.TemporaryDirectory(prefix="benchpin-") as folder:
        if program.script is not None:
            _add_script(orders, str(Path(folder, "main.py")), program.script)
        return run_process(_launcher, orders, timeout_s=timeout_s, job=job)


def _add_script(orders: Orders, place: str, text: str) -> None:
    orders["files"] = {place: text}
    orders["argv"].append(place)


def _launcher(channel: int) -> Sequence[str]:
    return (sys.executable, "-I", "-S", "-X", "utf8", "-c", BOOTSTRAP, str(channel))


def _environment_inside() -> dict[str, str]:
    own = str(Path(sys.executable).parent)
    path = _SYSTEM_PATH if own in _SYSTEM_PATH.split(":") else f"{_SYSTEM_PATH}:{own}"
    zone = {"TZ": os.environ["TZ"]} if "TZ" in os.environ else {}
    return {"PATH": path, "HOME": TMP, "TMPDIR": TMP, "LANG": "C.UTF-8", "TERM": "dumb", **zone}


def _limits(timeout_s: float) -> list[tuple[int, int]]:
    """Return the limits of each process; for processor time the clock on the wall comes first."""
    import resource  # noqa: PLC0415 - Windows has none, and imports this module too

    if sys.platform != "linux":  # macOS knows those of memory by name only
        return [(resource.RLIMIT_FSIZE, _MOST["RLIMIT_FSIZE"]), (resource.RLIMIT_CORE, 0)]
    most = _MOST | {"RLIMIT_CPU": math.ceil(timeout_s) * (os.cpu_count() or 1) + 1}
    return [(getattr(resource, name), value) for name, value in most.items()]


def _thread_limit(kernel: str) -> list[tuple[int, int]]:
    """Limit threads where the kernel counts those of a namespace, not all that a user has."""
    import resource  # noqa: PLC0415 - see above

    release = tuple(int(part) for part in re.findall(r"\d+", kernel)[:2])
    return [(resource.RLIMIT_NPROC, _MOST_THREADS)] if release >= _COUNTS_BY_NAMESPACE else []
