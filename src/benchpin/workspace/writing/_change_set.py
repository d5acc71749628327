"""Change several files together: shown first, then written all or none.

Whoever has seen a preview names it by its digest. The digest covers the content of every file
before and after, so what is written is what was shown, or nothing.
"""

import hashlib
import os
import secrets
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, FileChanged
from benchpin.core.text import sendable
from benchpin.workspace.diffs import unified_diff
from benchpin.workspace.files import folder_beneath, path_errors, read_in

from ._writing import NO_FILE, StagedFile, folder_to_write, replace_file, sha256_of, staged

_MAX_BYTES = 64 << 20
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


def apply_preview(root: Path, changes: Sequence[FileChange], digest: str, job: Job) -> None:
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
    apply_changes(root, changes, job)


def apply_changes(root: Path, changes: Sequence[FileChange], job: Job) -> None:
    """Write all changes in their order, or none.

    Every folder is locked, and every new content is on the disk, before the first file is replaced.
    When one cannot be replaced, those before it get their old content back. A power cut in that
    moment can leave some files old and some new, each of them whole.

    Raises:
        FileChanged: when a file no longer has the content that the change was made from.
        PathError: when a file cannot be replaced.
        TimeLimitExceeded: when another writer holds a folder until the time of the job is over.
    """
    paths = {it.path: PurePosixPath(it.path) for it in changes}
    missing = missing_folders(root, list(paths.values()))
    try:
        with ExitStack() as stack:
            # In one order, or two writers could wait for one another.
            parents = sorted({it.parent for it in paths.values()})
            folders = {it: stack.enter_context(folder_to_write(root, it, job)) for it in parents}
            steps: list[_Step] = []
            for change in changes:
                path = paths[change.path]
                folder = folders[path.parent]
                with path_errors(path):
                    if _content(folder, path) != change.before:
                        raise _changed(change.path)
                    new = None
                    if change.after is not None:
                        new = stack.enter_context(staged(folder, path, change.after))
                    steps.append(_Step(root, change, folder, new))
            job.check()
            _commit(steps)
    except (BenchpinError, OSError):
        remove_folders(root, missing)
        raise
    gone = {parent for it in changes if it.after is None for parent in paths[it.path].parents}
    remove_folders(root, sorted(gone, key=lambda it: -len(it.parts)))


@dataclass(frozen=True, slots=True)
class _Step:
    """One change that is ready to be made."""

    root: Path
    change: FileChange
    folder: int
    new: StagedFile | None
    """None for a file that is deleted."""

    def commit(self, undo: ExitStack, done: ExitStack) -> None:
        """Make the change; `undo` takes it back, `done` removes what that would need."""
        path, before = PurePosixPath(self.change.path), self.change.before
        with path_errors(path):
            if self.new is None:
                # Set aside under a name that the next writer cleans up, should we be killed.
                aside = f".{path.name[:100]}.{secrets.token_hex(6)}.tmp"
                self._rename(path.name, aside)
                undo.callback(self._rename, aside, path.name)
                if _content(self.folder, path.with_name(aside)) != before:
                    raise _changed(self.change.path)
                done.callback(os.unlink, aside, dir_fd=self.folder)
                return
            undo.callback(self._put_back)
            self.new.commit(NO_FILE if before is None else sha256_of(before))
            if self.change.is_executable:
                make_executable(self.folder, path.name)

    def _rename(self, name: str, new_name: str) -> None:
        os.replace(name, new_name, src_dir_fd=self.folder, dst_dir_fd=self.folder)

    def _put_back(self) -> None:
        path, before, after = PurePosixPath(self.change.path), self.change.before, self.change.after
        if after is None or _content(self.folder, path) != after:
            return
        if before is None:
            os.unlink(path.name, dir_fd=self.folder)
        else:
            replace_file(self.root, path, before, expected_sha256=sha256_of(after))


def _commit(steps: Sequence[_Step]) -> None:
    done = ExitStack()
    with ExitStack() as undo:
        for step in steps:
            step.commit(undo, done)
        undo.pop_all()
    with suppress(OSError):  # the next writer removes what is left
        done.close()


def _content(folder: int, path: PurePosixPath) -> bytes | None:
    try:
        return read_in(folder, path, _MAX_BYTES)
    except FileNotFoundError:
        return None


def missing_folders(root: Path, paths: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """Return the folders that writing will create, deepest first."""
    folders = {parent for path in paths for parent in path.parents}
    missing = [folder for folder in folders if not (root / folder).exists()]
    return sorted(missing, key=lambda folder: (-len(folder.parts), str(folder)))


def remove_folders(root: Path, folders: Sequence[PurePosixPath]) -> None:
    """Remove those folders that are empty; the deepest must come first."""
    for folder in folders:
        with suppress(OSError), folder_beneath(root, folder.parent) as parent:
            os.rmdir(folder.name, dir_fd=parent)


def make_executable(folder: int, name: str) -> None:
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
