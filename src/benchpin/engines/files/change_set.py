"""Change several files together: shown first, then written all or none.

Whoever has seen a preview names it by its digest. The digest covers the content of every file
before and after, so what is written is what was shown, or nothing.
"""

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core import FileChanged, Job, sendable

from .reading import path_errors, read_in
from .writing import StagedFile, folder_to_write, replace_file, sha256_of, staged

_MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class FileChange:
    """New content for a file that has been read."""

    path: str
    before: bytes
    after: bytes


def digest_of(changes: Sequence[FileChange]) -> str:
    """Return the name of a set of changes: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for it in sorted(changes, key=lambda it: it.path):
        for part in (it.path.encode(errors="surrogateescape"), it.before, it.after):
            digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:16]


def apply_changes(root: Path, changes: Sequence[FileChange], job: Job) -> None:
    """Write all changes, or none.

    Every folder is locked, and every new content is on the disk, before the first file is replaced.
    When one cannot be replaced, those before it get their old content back. A power cut in that
    moment can leave some files old and some new, each of them whole.

    Raises:
        FileChanged: when a file no longer has the content that the change was made from.
        PathError: when a file cannot be replaced.
        TimeLimitExceeded: when another writer holds a folder until the time of the job is over.
    """
    paths = {it.path: PurePosixPath(it.path) for it in changes}
    with ExitStack() as stack:
        # In one order, or two writers could wait for one another.
        parents = sorted({it.parent for it in paths.values()})
        folders = {it: stack.enter_context(folder_to_write(root, it, job)) for it in parents}
        ready: list[tuple[FileChange, StagedFile]] = []
        for it in changes:
            path = paths[it.path]
            folder = folders[path.parent]
            with path_errors(path):
                if read_in(folder, path, _MAX_BYTES) != it.before:
                    raise _changed(it.path)
                ready.append((it, stack.enter_context(staged(folder, path, it.after))))
        job.check()
        _commit(root, ready)


def _commit(root: Path, ready: Sequence[tuple[FileChange, StagedFile]]) -> None:
    with ExitStack() as undo:
        for it, new in ready:
            with path_errors(new.path):
                new.commit(sha256_of(it.before))
            undo.callback(_put_back, root, it)
        undo.pop_all()


def _put_back(root: Path, change: FileChange) -> None:
    expected = sha256_of(change.after)
    replace_file(root, PurePosixPath(change.path), change.before, expected_sha256=expected)


def _changed(path: str) -> FileChanged:
    shown = sendable(path)
    return FileChanged(
        f"{shown} has changed since the preview; nothing was written",
        suggestion="Ask for a new preview, and apply that one.",
        data={"path": shown},
    )
