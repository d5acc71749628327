"""What the tools that change many files share: a preview, then all or nothing."""

from collections.abc import Sequence

from benchpin.core import Bench, FileChanged, Operation
from benchpin.engines.diffing.unified import unified_diff
from benchpin.engines.files.change_set import FileChange, apply_changes, digest_of


def write_previewed(changes: Sequence[FileChange], apply: str | None, bench: Bench) -> str:
    """Return the digest of changes; write them if `apply` is that digest.

    Raises:
        AccessDenied: when one of the files may not be written.
        FileChanged: when `apply` names other changes.
    """
    for it in changes:
        bench.path(it.path, Operation.WRITE)
    digest = digest_of(changes)
    if apply is None:
        return digest
    if apply != digest:
        raise FileChanged(
            f"The change {apply[:60]!r} is not what would be written now ({digest})",
            suggestion="Call without apply, look at the new preview, and apply its digest.",
            data={"digest": digest},
        )
    apply_changes(bench.workspace.root, changes, bench.job)
    return digest


def diff_of(changes: Sequence[FileChange]) -> str:
    """Return the unified diff of all changes."""
    return "\n".join(
        unified_diff(
            it.before.decode(errors="replace"), it.after.decode(errors="replace"), it.path
        ).rstrip("\n")
        for it in changes
    )
