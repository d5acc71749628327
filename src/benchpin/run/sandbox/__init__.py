"""Running programs: the sandbox, what a program can see in it, its limits and its output."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._calls import RunningCall, Timeout, execute, require_allowed
    from ._messages import Cover, Grant, LaunchRequest, Mount, ProcessEnd, WorkspaceRequest
    from ._report import MAX_ARGUMENT_BYTES, ExecutionReport, require_passable
    from ._running import run_confined
    from ._sandbox import (
        UNCONFINED,
        Execution,
        OutputCapture,
        Sandbox,
        can_confine,
        detect_sandbox,
        remember,
    )
    from ._system_mounts import fetched_folders

__all__ = [
    "MAX_ARGUMENT_BYTES",
    "UNCONFINED",
    "Cover",
    "Execution",
    "ExecutionReport",
    "Grant",
    "LaunchRequest",
    "Mount",
    "OutputCapture",
    "ProcessEnd",
    "RunningCall",
    "Sandbox",
    "Timeout",
    "WorkspaceRequest",
    "can_confine",
    "detect_sandbox",
    "execute",
    "fetched_folders",
    "remember",
    "require_allowed",
    "require_passable",
    "run_confined",
]

__getattr__ = lazy(__name__)
