"""Selections of files for tests of engines."""

from pathlib import Path

from benchpin.core.calls import Job, Operation, Permissions, Rule, WorkspaceSession
from benchpin.facts import FileSelection, SourceQuery

_EVERYTHING = Rule("**", frozenset({Operation.READ}))


def select_all(
    root: Path,
    cache_dir: Path,
    job: Job | None = None,
    *,
    denied: tuple[str, ...] = (),
    is_fresh: bool = False,
) -> FileSelection:
    """Return all files of a workspace but those that a glob denies, in a session of its own."""
    rules = [_EVERYTHING, *(Rule(pattern, frozenset()) for pattern in denied)]
    return FileSelection(
        WorkspaceSession(root, cache_dir),
        Permissions().narrowed(rules) if denied else Permissions(),
        job or Job(),
        SourceQuery(start="."),
        is_fresh=is_fresh,
    )
