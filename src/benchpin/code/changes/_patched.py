"""What a patch would change in the files on the disk."""

import os

from benchpin.core.errors import InvalidParams
from benchpin.core.text import sendable
from benchpin.facts import FileSelection
from benchpin.workspace.diffs import FilePatch, apply_patch, is_applied, read_patch
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.git_objects import MAX_OBJECT_BYTES

from ._deltas import TOO_LARGE, Deltas, FileDelta


def patch_deltas(selection: FileSelection, patch: str) -> Deltas:
    """Return what a patch would change in the selected files, as they are on the disk.

    Raises:
        InvalidParams: when it is not a unified diff, or does not fit.
    """
    found: list[FileDelta] = []
    for part in selection.job.each(read_patch(patch), "files"):
        before = _on_disk(selection, part.old_path)
        try:
            after = apply_patch(before, part)
        except InvalidParams as error:
            _refuse_applied(selection, part, error)
            raise
        path = part.new_path or part.old_path
        _require_inside(selection, path)
        is_renamed = part.old_path and part.new_path and part.old_path != part.new_path
        found.append(FileDelta(path, before, after, part.old_path if is_renamed else ""))
    return Deltas("the patch", tuple(found), {})


def _on_disk(selection: FileSelection, path: str) -> bytes | None:
    if not path or not selection.accepts(path):
        return None
    try:
        content = read_regular(os.fsencode(selection.root), path, MAX_OBJECT_BYTES + 1)[0]
    except Unreadable:
        return None
    if len(content) > MAX_OBJECT_BYTES:
        raise InvalidParams(
            f"The patch changes {sendable(path)!r}, which is {TOO_LARGE}",
            suggestion="Leave the file out of the patch.",
        )
    return content


def _refuse_applied(selection: FileSelection, part: FilePatch, error: InvalidParams) -> None:
    """Say of a patch that does not fit that it is applied already, if it is."""
    path = part.new_path or part.old_path
    if selection.accepts(path) and is_applied(_on_disk(selection, path), part):
        raise InvalidParams(
            f"The patch is applied already: {sendable(path)!r} is as the patch would leave it",
            suggestion="Compare with the revision before it: give diff=REV, and no patch.",
            data=error.data,
        ) from error


def _require_inside(selection: FileSelection, path: str) -> None:
    """Refuse a patch of what is not, or may not be, in the workspace."""
    is_inside = path and not path.startswith("/") and ".." not in path.split("/")
    if not is_inside or not selection.may_read(path):
        raise InvalidParams(
            f"The patch changes {sendable(path[:200])!r}, which cannot be read or written here",
            suggestion="Give paths inside the workspace, as `git diff` prints them.",
        )
