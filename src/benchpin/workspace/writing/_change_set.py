"""Change several files together: shown first, then written all or none.

Whoever has seen a preview names it by its digest. The digest covers the content of every file
before and after, so what is written is what was shown, or nothing.
"""

import hashlib
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, FileChanged
from benchpin.core.text import sendable
from benchpin.workspace.diffs import unified_diff
from benchpin.workspace.files import path_errors, read_in

from ._journal import (
    MAX_FILE_BYTES,
    FileStep,
    Plan,
    missing_folders,
    noted,
    settle_abandoned,
    sync,
    temporary_name,
)
from ._writing import NO_FILE, create_file, file_to_replace, folder_to_write, sha256_of

logger = logging.getLogger(__name__)

_NOTHING = bytes(hashlib.sha256().digest_size)
_EXECUTABLE = 0o111


@dataclass(frozen=True, slots=True)
class FileChange:
    """New content for a file that has been read; None where there is no file."""

    path: str
    before: bytes | None
    after: bytes | None
    is_executable: bool = False
    """Whether the file is made executable; if not, its mode stays."""


def digest_of(changes: Sequence[FileChange]) -> str:
    """Return the name of a set of changes: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for change in sorted(changes, key=lambda it: it.path):
        for part in (change.path.encode(errors="surrogateescape"), change.before, change.after):
            digest.update(_NOTHING if part is None else hashlib.sha256(part).digest())
        digest.update(b"x" if change.is_executable else b"")
    return digest.hexdigest()[:16]


def diff_of(changes: Sequence[FileChange]) -> str:
    """Return the unified diff of all changes."""
    return "\n".join(
        unified_diff(
            None if it.before is None else it.before.decode(errors="replace"),
            None if it.after is None else it.after.decode(errors="replace"),
            it.path,
        ).rstrip("\n")
        for it in changes
    )


def apply_preview(
    root: Path, changes: Sequence[FileChange], digest: str, job: Job, cache_dir: Path
) -> None:
    """Write the changes if the digest names them.

    Raises:
        FileChanged: when the digest names other changes, or a file has changed.
        PathError: when a file cannot be replaced.
    """
    present = digest_of(changes)
    if digest != present:
        raise FileChanged(
            f"The change {digest[:60]!r} is not what would be written now ({present})",
            suggestion="Call without `apply`, look at the new preview, and give its digest.",
            data={"digest": present},
        )
    apply_changes(root, changes, job, cache_dir)


def apply_changes(
    root: Path,
    changes: Sequence[FileChange],
    job: Job,
    cache_dir: Path,
    *,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Write all changes in their order, or none.

    Every folder is locked, every new content is on the disk and every old file is kept under
    another name before the first file is replaced. When one cannot be replaced, the others get
    their old content back. A killed process or a power cut leaves a note in the cache folder, by
    which the next start does that. `check` may refuse as soon as all folders are locked.

    Raises:
        FileChanged: when a file no longer has the content that the change was made from.
        PathError: when a file cannot be replaced, or the note cannot be written.
        TimeLimitExceeded: when another writer holds a folder until the time of the job is over.
    """
    settle_abandoned(cache_dir, root, job)
    plan = _plan(root, changes)
    with noted(cache_dir, plan, job) as note, ExitStack() as locks:
        held: dict[PurePosixPath, int] = {}
        try:
            for parent in plan.parents:
                held[parent] = locks.enter_context(folder_to_write(root, parent, job))
            check()
            for change, step in zip(changes, plan.steps, strict=True):
                with path_errors(PurePosixPath(change.path)):
                    _prepare(held[step.parent], change, step)
            sync(held)
            job.check()
            note.enter("replacing")
            for change, step in zip(changes, plan.steps, strict=True):
                with path_errors(PurePosixPath(change.path)):
                    _replace(held[step.parent], change, step)
            sync(held)
            note.enter("replaced")
        finally:
            try:
                note.settle(held)
            except (BenchpinError, OSError) as error:  # the next start settles it
                logger.warning("what a change left behind is not removed yet: %s", error)


def _plan(root: Path, changes: Sequence[FileChange]) -> Plan:
    paths = [PurePosixPath(it.path) for it in changes]
    steps = (
        FileStep(
            path=it.path,
            new="" if it.after is None else temporary_name(path),
            old="" if it.before is None else temporary_name(path),
            after=NO_FILE if it.after is None else sha256_of(it.after),
        )
        for it, path in zip(changes, paths, strict=True)
    )
    return Plan(str(root), tuple(steps), tuple(map(str, missing_folders(root, paths))))


def _prepare(folder: int, change: FileChange, step: FileStep) -> None:
    """Write the new content beside the file, and keep the old file."""
    path = PurePosixPath(change.path)
    if _content(folder, path) != change.before:
        raise _changed(change.path)
    if change.after is None:
        return
    status = file_to_replace(folder, path)
    create_file(folder, PurePosixPath(step.new), change.after, status)
    if change.is_executable:
        _make_executable(folder, step.new)
    if change.before is not None:
        try:
            os.link(path.name, step.old, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:  # a file system without links
            create_file(folder, PurePosixPath(step.old), change.before, status)


def _replace(folder: int, change: FileChange, step: FileStep) -> None:
    path = PurePosixPath(change.path)
    if step.new:
        if _content(folder, path) != change.before:  # not all programs take the lock
            raise _changed(change.path)
        os.replace(step.new, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    os.replace(path.name, step.old, src_dir_fd=folder, dst_dir_fd=folder)
    if _content(folder, path.with_name(step.old)) != change.before:
        raise _changed(change.path)


def _content(folder: int, path: PurePosixPath) -> bytes | None:
    try:
        return read_in(folder, path, MAX_FILE_BYTES)
    except FileNotFoundError:
        return None


def _make_executable(folder: int, name: str) -> None:
    """Let those execute a file who may read it."""
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode & 0o777
    os.chmod(name, mode | ((mode & 0o444) >> 2 & _EXECUTABLE), dir_fd=folder)


def _changed(path: str) -> FileChanged:
    shown = sendable(path)
    return FileChanged(
        f"{shown} has changed since the preview; nothing was written",
        suggestion="Ask for a new preview, and apply that one.",
        data={"path": shown},
    )
