"""Running programs: what confines them here, what they see, and how they end."""

from .capture import Captured
from .hiding import TooManyDenied, WorkspaceView, workspace_view
from .process import Outcome, SandboxFailed
from .running import Program, run_confined, run_unconfined
from .sandbox import UNCONFINED, Sandbox, detect_sandbox

__all__ = [
    "UNCONFINED",
    "Captured",
    "Outcome",
    "Program",
    "Sandbox",
    "SandboxFailed",
    "TooManyDenied",
    "WorkspaceView",
    "detect_sandbox",
    "run_confined",
    "run_unconfined",
    "workspace_view",
]
