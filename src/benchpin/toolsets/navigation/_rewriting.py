"""What the tools that change many files share: a preview, then all or nothing."""

from collections.abc import Sequence

from benchpin.core.calls import Bench, Operation
from benchpin.core.results import Result
from benchpin.workspace.writing import FileChange, apply_preview, digest_of


def write_previewed(changes: Sequence[FileChange], apply: str | None, bench: Bench) -> str:
    """Return the digest of changes; write them if `apply` is that digest.

    Raises:
        AccessDenied: when one of the files may not be written.
        FileChanged: when `apply` names other changes.
    """
    for change in changes:
        bench.path(change.path, Operation.WRITE)
    if apply is not None:
        apply_preview(bench.workspace.root, changes, apply, bench.job)
    return digest_of(changes)


def last_line(result: Result, digest: str, done: str, *, is_written: bool) -> str:
    """Return what was done, or how to have it done."""
    if is_written:
        return f"[written: {done}]"
    how = result.text_style.hint(f"apply={digest}")
    return f"[preview of {done}; nothing was written; to write it: {how}]"
