"""Run a program for a call: with its rights, its time limit, and the sandbox of this machine."""

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import Field

from benchpin.core.calls import Caller, Job, Permissions, Workspace
from benchpin.core.errors import DependencyMissing, InvalidParams
from benchpin.core.text import counted
from benchpin.core.tools import Effect
from benchpin.workspace.files import SystemNotSupported

from ._report import ExecutionReport
from ._sandbox import Execution, Sandbox, detect_sandbox

Timeout = Annotated[int, Field(ge=1, le=86_400)]

_MAX_NAMED_FOLDERS = 5
# Scans of a workspace that other programs change at the same time.
_MAX_TRIES = 5


class RunningCall(Protocol):
    """What a call has with which programs are run."""

    @property
    def workspace(self) -> Workspace: ...

    @property
    def permissions(self) -> Permissions: ...

    @property
    def effects(self) -> frozenset[Effect]: ...

    @property
    def caller(self) -> Caller: ...

    @property
    def job(self) -> Job: ...

    @property
    def toolchains(self) -> tuple[Path, ...]: ...

    @property
    def is_unconfined(self) -> bool: ...


def require_allowed(timeout_s: float, name: str, job: Job) -> None:
    """Refuse a timeout that the server would cut short.

    Raises:
        InvalidParams: when it is above the time limit of the tool.
    """
    limit_s = job.time_limit_s
    if limit_s is not None and timeout_s > limit_s:
        raise InvalidParams(
            f"timeout is {timeout_s:g} s, and this server stops {name} after {limit_s:g} s",
            suggestion=f"Give at most {limit_s:g}, or have the operator raise --tool-timeout or "
            f"tool_timeouts.{name}.",
            data={"limit_s": limit_s},
        )


def execute(program: Execution, timeout_s: float, call: RunningCall) -> ExecutionReport:
    """Run a program in the strongest sandbox available, or in none if the operator chose so.

    Raises:
        DependencyMissing: when no sandbox works here.
        SystemNotSupported: on Windows.
        SandboxFailed: when the program could not be started.
        TooManyDenied: when the permissions hide too many files for a sandbox.
    """
    program = replace(program, environment=call.caller.environment())
    report = (_unconfined if call.is_unconfined else _confined)(program, timeout_s, call)
    if report.timed_out and report.timeout_s < timeout_s:
        call.job.leave_out("output after the time limit of this server (tool_timeout)")
    return report


def _unconfined(program: Execution, timeout_s: float, call: RunningCall) -> ExecutionReport:
    from ._running import run_unconfined  # noqa: PLC0415 - when used

    if not hasattr(os, "fork"):
        raise SystemNotSupported(
            "Programs cannot be run on this system: to limit and end them takes a Unix",
            suggestion="Run Benchpin in WSL 2 or in a container.",
        )
    return run_unconfined(program, _limit(timeout_s, call), call.job)


def _confined(program: Execution, timeout_s: float, call: RunningCall) -> ExecutionReport:
    from ._process import WorkspaceChanged  # noqa: PLC0415 - when used

    sandbox = detect_sandbox(call.workspace.root)
    if not sandbox.confines:
        raise DependencyMissing(
            f"No sandbox works on this machine: {sandbox.detail}",
            suggestion=f"{sandbox.remedy}, or start it with --unconfined to run without one.",
        )
    for _ in range(_MAX_TRIES - 1):
        with suppress(WorkspaceChanged):
            return _run_in(sandbox, program, timeout_s, call)
    return _run_in(sandbox, program, timeout_s, call)


def _run_in(
    sandbox: Sandbox, program: Execution, timeout_s: float, call: RunningCall
) -> ExecutionReport:
    from ._running import run_confined  # noqa: PLC0415 - when used
    from ._system_mounts import folder_to_allow  # noqa: PLC0415 - when used
    from ._workspace_mounts import workspace_mounts  # noqa: PLC0415 - when used

    may_write = Effect.WRITE in call.effects
    root, permissions = call.workspace.root, call.permissions
    toolchains = (*call.toolchains, *program.toolchains)
    mounts = workspace_mounts(
        root, permissions, call.job, may_write=may_write, toolchains=toolchains
    )
    # After the scan, which takes from the same time.
    limit_s = _limit(timeout_s, call)
    report = run_confined(program, mounts, sandbox, limit_s, call.job, toolchains)
    hidden = folder_to_allow(report, str(root), toolchains)
    if hidden is not None:
        report = report.model_copy(update={"suggestion": _allow(*hidden)})
    for folders, effect in (
        (mounts.unscanned, "hidden from the program"),
        (mounts.replaced, "shown without most of their entries, and read-only"),
    ):
        if folders:
            named = ", ".join(it or "." for it in folders[:_MAX_NAMED_FOLDERS])
            call.job.leave_out(
                f"{counted(len(folders), 'folder')} {effect}, because of too many entries, "
                f"denied files or levels: {named}"
            )
    return report


def _allow(name: str, folder: str) -> str:
    return (
        f"{name} is installed in {folder}, which programs in the sandbox do not see. Allow the "
        "folder with the setting toolchains (BENCHPIN_TOOLCHAINS): it is read-only inside."
    )


def _limit(timeout_s: float, call: RunningCall) -> float:
    left = call.job.time_left_s()
    return timeout_s if left is None else min(timeout_s, left)
