"""Run a program in a sandbox, or without one if the operator chose so."""

import math
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.run.sandbox.launcher import BOOTSTRAP

from ._grants import system_grants, workspace_grants
from ._messages import Grant, LaunchRequest, Mount
from ._process import Conversation, WorkspaceChanged, run_process
from ._report import ExecutionReport
from ._sandbox import LANDLOCK, UNCONFINED, Execution, Sandbox
from ._seccomp import build_filter
from ._system_mounts import (
    SCRIPTS,
    SHARED,
    TMP,
    bind,
    outside_mounts,
    sort_mounts,
    system_mounts,
    system_path,
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
    """Run a program in bubblewrap, in namespaces that the launcher creates, or under Landlock.

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
        grants=None,
        seccomp_filter=build_filter(platform.machine()),
        max_processes=_MAX_PROCESSES,
        max_threads=_MAX_THREADS,
        max_memory_bytes=_MAX_MEMORY_BYTES,
    )
    run = partial(
        run_process,
        request=request,
        sandbox=sandbox.name,
        timeout_s=timeout_s,
        job=job,
        kept_bytes=program.kept_bytes,
        conversation=conversation,
    )
    if sandbox.name == LANDLOCK:
        with _own_folder() as folder:
            _confine_by_landlock(
                request, mounts, workspace, folder, program.script, _rlimits(timeout_s)
            )
            return run(_launcher)
    if workspace is not None and workspace.is_writable:
        request["writable_paths"].append(workspace.request["root"])
    if program.script is not None:
        _add_script(request, f"{SCRIPTS}/main.py", program.script)
    bubblewrap = sandbox.bubblewrap
    if bubblewrap is None:
        request["mounts"] = mounts
        return run(_launcher)
    # A file, not the command line: its length is limited, and other users can read it.
    with tempfile.TemporaryFile() as arguments:
        arguments.write(bubblewrap.arguments(mounts))
        arguments.seek(0)
        fd = arguments.fileno()
        return run(lambda channel: bubblewrap.command(fd, _launcher(channel)), pass_fds=(fd,))


@contextmanager
def _own_folder() -> Iterator[Path]:
    """Make a folder for one program, and remove it with whatever the program put there."""
    folder = tempfile.mkdtemp(prefix="benchpin-")
    try:
        yield Path(folder)
    finally:
        with suppress(RecursionError):  # folders in folders, too deep to remove
            shutil.rmtree(folder, ignore_errors=True)


def _confine_by_landlock(
    request: LaunchRequest,
    mounts: list[Mount],
    workspace: WorkspaceMounts | None,
    folder: Path,
    script: str | None,
    rlimits: list[tuple[int, int]],
) -> None:
    """Allow what the mounts would show; the folder takes the place of /tmp."""
    home = folder / "home"
    home.mkdir()
    if script is not None:
        _add_script(request, str(folder / "main.py"), script)
    request["environment"] |= {"HOME": str(home), "TMPDIR": str(home)}
    request["writable_paths"] = [str(home)]
    request["seccomp_filter"] = build_filter(platform.machine(), has_namespaces=False)
    request["rlimits"] = rlimits  # not of threads: the kernel would count all of the user
    grants = [*system_grants(mounts), Grant(path=str(folder), right="read", identity=None)]
    if workspace is not None:
        root = workspace.request["root"]
        grants = [it for it in grants if it["path"] != root]
        try:
            grants += workspace_grants(workspace.request, workspace.permissions)
        except OSError as error:
            raise WorkspaceChanged(
                f"The program was not started: {error.filename or root!r} changed",
                suggestion="Try again when no other program moves files in the workspace.",
                data={"reason": str(error)},
            ) from error
    request["grants"] = grants


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
        grants=None,
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
        *system_path(),
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
