"""Run a program in a sandbox, or without one if the operator chose so."""

import math
import os
import platform
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.run.sandbox.launcher import BOOTSTRAP

from ._messages import LaunchRequest
from ._process import Conversation, run_process
from ._report import ExecutionReport
from ._sandbox import UNCONFINED, Execution, Sandbox
from ._seccomp import build_filter
from ._system_mounts import (
    SCRIPTS,
    SHARED,
    TMP,
    bind,
    outside_mounts,
    sort_mounts,
    system_mounts,
    toolchain_environment,
    toolchain_mounts,
)
from ._workspace_mounts import WorkspaceMounts

_MIB = 1 << 20
_RLIMITS = {
    # Not memory, which is limited below: Node reserves 10 GiB for each instance of WebAssembly.
    "RLIMIT_AS": 64 * 1024 * _MIB,
    "RLIMIT_DATA": 1536 * _MIB,
    "RLIMIT_FSIZE": 64 * _MIB,
    "RLIMIT_NOFILE": 1024,
    "RLIMIT_CORE": 0,
}
_MAX_PROCESSES = 256
_MAX_THREADS = 512
_MAX_MEMORY_BYTES = 4096 * _MIB
_KERNEL_WITH_NAMESPACE_RLIMITS = (5, 14)
_NICENESS = 5  # the server itself must stay responsive
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_KEPT_VARIABLES = (
    *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH"),
    *("SHELL", "TERM", "TMPDIR", "TZ", "USER"),
)


def run_confined(
    program: Execution,
    workspace: WorkspaceMounts | None,
    sandbox: Sandbox,
    timeout_s: float,
    job: Job,
    toolchains: Sequence[Path] = (),
    conversation: Conversation | None = None,
) -> ExecutionReport:
    """Run a program in bubblewrap, or in namespaces that the launcher creates itself.

    It sees the system, the folders of `toolchains`, and the workspace if there is one.

    Raises:
        Cancelled: when the job was cancelled; every process has ended by then.
        SandboxFailed: when the sandbox could not be built or the program not be started.
        WorkspaceChanged: when the workspace changed since it was scanned.
    """
    files = None if workspace is None else workspace.request
    shown = toolchain_mounts(toolchains, None if files is None else files["root"])
    mounts = sort_mounts((*system_mounts(sys.executable), *shown))
    if files is not None:
        # By path only for bubblewrap: the launcher checks that it is the folder that was scanned.
        root = bind(files["root"], is_writable=files["is_writable"])
        mounts = sort_mounts((*outside_mounts(mounts, files["root"]), root))
    request = LaunchRequest(
        argv=list(program.argv),
        cwd=program.cwd,
        environment={**_confined_environment(toolchains), **program.environment},
        files={},
        rlimits=[*_rlimits(timeout_s), *_thread_limit(platform.release())],
        niceness=_NICENESS,
        mounts=None,
        workspace=files,
        is_in_bubblewrap=sandbox.bubblewrap is not None,
        writable_paths=[TMP, SHARED],
        seccomp_filter=build_filter(platform.machine()),
        max_processes=_MAX_PROCESSES,
        max_threads=_MAX_THREADS,
        max_memory_bytes=_MAX_MEMORY_BYTES,
    )
    if workspace is not None and workspace.is_writable:
        request["writable_paths"].append(workspace.request["root"])
    if program.script is not None:
        _add_script(request, f"{SCRIPTS}/main.py", program.script)
    bubblewrap = sandbox.bubblewrap
    if bubblewrap is None:
        request["mounts"] = mounts
        return run_process(
            _launcher,
            request,
            sandbox.name,
            timeout_s=timeout_s,
            job=job,
            kept_bytes=program.kept_bytes,
            conversation=conversation,
        )
    # A file, not the command line: its length is limited, and other users can read it.
    with tempfile.TemporaryFile() as arguments:
        arguments.write(bubblewrap.arguments(mounts))
        arguments.seek(0)
        fd = arguments.fileno()
        return run_process(
            lambda channel: bubblewrap.command(fd, _launcher(channel)),
            request,
            sandbox.name,
            timeout_s=timeout_s,
            job=job,
            kept_bytes=program.kept_bytes,
            pass_fds=(fd,),
            conversation=conversation,
        )


def run_unconfined(program: Execution, timeout_s: float, job: Job) -> ExecutionReport:
    """Run a program with the rights of Benchpin itself and a reduced environment.

    On Linux everything that it starts ends with it, unless it kills its supervisor.

    Raises:
        SandboxFailed: when the program could not be started.
    """
    request = LaunchRequest(
        argv=list(program.argv),
        cwd=program.cwd,
        environment={
            **{name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
            **program.environment,
        },
        files={},
        rlimits=_rlimits(timeout_s),
        niceness=0,
        mounts=None,
        workspace=None,
        is_in_bubblewrap=False,
        writable_paths=[],
        seccomp_filter=None,
        max_processes=None,
        max_threads=_MAX_THREADS,
        max_memory_bytes=None,
    )
    with tempfile.TemporaryDirectory(prefix="benchpin-") as folder:
        if program.script is not None:
            _add_script(request, str(Path(folder, "main.py")), program.script)
        return run_process(
            _launcher,
            request,
            UNCONFINED,
            timeout_s=timeout_s,
            job=job,
            kept_bytes=program.kept_bytes,
        )


def _add_script(request: LaunchRequest, path: str, text: str) -> None:
    request["files"] = {path: text}
    request["argv"].append(path)


def _launcher(channel: int) -> Sequence[str]:
    # -I and -S: neither the environment nor site-packages can change what the launcher runs.
    return (sys.executable, "-I", "-S", "-X", "utf8", "-c", BOOTSTRAP, str(channel))


def _confined_environment(toolchains: Sequence[Path]) -> dict[str, str]:
    chosen = toolchain_environment(toolchains)
    folders = [
        *chosen["PATH"].split(":"),
        *_SYSTEM_PATH.split(":"),
        str(Path(sys.executable).parent),
    ]
    path = ":".join(dict.fromkeys(it for it in folders if it))
    zone = {"TZ": os.environ["TZ"]} if "TZ" in os.environ else {}
    own = {"PATH": path, "HOME": TMP, "TMPDIR": TMP, "LANG": "C.UTF-8", "TERM": "dumb"}
    return {**chosen, **zone, **own}


def _rlimits(timeout_s: float) -> list[tuple[int, int]]:
    """Return the limits of each process."""
    import resource  # noqa: PLC0415 - Windows imports this module too, and has no such module

    if sys.platform != "linux":  # macOS defines the memory limits but does not enforce them
        return [(resource.RLIMIT_FSIZE, _RLIMITS["RLIMIT_FSIZE"]), (resource.RLIMIT_CORE, 0)]
    # Only a safety net: with all cores busy, the timeout comes before this limit.
    rlimits = _RLIMITS | {"RLIMIT_CPU": math.ceil(timeout_s) * (os.cpu_count() or 1) + 1}
    return [(getattr(resource, name), value) for name, value in rlimits.items()]


def _thread_limit(kernel: str) -> list[tuple[int, int]]:
    """Limit threads, unless the kernel counts all processes of the user outside as well."""
    import resource  # noqa: PLC0415 - see above

    release = tuple(int(part) for part in re.findall(r"\d+", kernel)[:2])
    is_per_namespace = release >= _KERNEL_WITH_NAMESPACE_RLIMITS
    return [(resource.RLIMIT_NPROC, _MAX_THREADS)] if is_per_namespace else []
