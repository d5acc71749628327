"""What a call is given: the bench, its job, its limits and permissions, the session."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._bench import Bench, Caller, Installation, Workspace, utc_now
    from ._client import Client
    from ._job import REPORT_INTERVAL_S, HowMade, Job, LogLevel, NotBrief, Progress, job_lock
    from ._permissions import Operation, Permissions, Rule, covers, is_own_file, only_denies
    from ._workspace_session import (
        KIB,
        MIB,
        Limits,
        WorkspaceSession,
        give_back_free_memory,
        resident_bytes,
    )

__all__ = [
    "KIB",
    "MIB",
    "REPORT_INTERVAL_S",
    "Bench",
    "Caller",
    "Client",
    "HowMade",
    "Installation",
    "Job",
    "Limits",
    "LogLevel",
    "NotBrief",
    "Operation",
    "Permissions",
    "Progress",
    "Rule",
    "Workspace",
    "WorkspaceSession",
    "covers",
    "give_back_free_memory",
    "is_own_file",
    "job_lock",
    "only_denies",
    "resident_bytes",
    "utc_now",
]

__getattr__ = lazy(__name__)
