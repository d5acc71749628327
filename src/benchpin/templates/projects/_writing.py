"""Write all files of a project, or none."""

import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, BenchpinError, InvalidPath
from benchpin.templates import RenderedFile
from benchpin.workspace.files import folder_beneath, opened, path_errors
from benchpin.workspace.writing import (
    NO_FILE,
    StagedFile,
    folder_to_write,
    make_executable,
    missing_folders,
    remove_folders,
    replace_file,
    sha256_of,
    staged,
)

# A folder that contains only these counts as empty.
_HARMLESS = frozenset({".git", ".benchpin"})
# A larger file is not replaced: its content is held in memory until all files are written.
_MAX_REPLACED_BYTES = 16 << 20


class WouldOverwrite(InvalidPath):
    """The folder is not empty."""

    kind = "would_overwrite"


@dataclass(frozen=True, slots=True)
class _Written:
    path: PurePosixPath
    before: bytes | None
    """None when there was no file."""
    content: bytes


def write_files(
    root: Path,
    target: PurePosixPath,
    files: Sequence[RenderedFile],
    job: Job,
    *,
    overwrite: bool = False,
) -> list[PurePosixPath]:
    """Write files into a new or empty folder, and return their paths relative to the root.

    All are on the disk before the first is renamed to its place, so a full disk changes nothing.
    When a rename fails, the earlier ones are undone. `overwrite` allows a folder that has files,
    and replaces those of the same name. The folders are locked until all is written.

    Raises:
        WouldOverwrite: when the folder is not empty.
        PathError: when a file cannot be written; nothing is changed then.
    """
    if not overwrite:
        _require_empty(root, target)
    paths = [target / file.path for file in files]
    missing = missing_folders(root, paths)
    done: list[_Written] = []
    with ExitStack() as locks:
        try:
            folders = {target: locks.enter_context(folder_to_write(root, target, job))}
            if not overwrite:  # again: another writer may have had the lock meanwhile
                _require_empty(root, target)
            # One order for all, so that two writers do not wait for each other.
            for folder in sorted({path.parent for path in paths} - {target}):
                folders[folder] = locks.enter_context(folder_to_write(root, folder, job))
            with ExitStack() as temporary:
                new: list[tuple[StagedFile, _Written]] = []
                for path, file in zip(paths, files, strict=True):
                    content = file.content.encode()
                    may_exist = overwrite or file.path.partition("/")[0] in _HARMLESS
                    before = _content(root, path) if may_exist else None
                    with path_errors(path):
                        file_stage = temporary.enter_context(
                            staged(folders[path.parent], path, content)
                        )
                    new.append((file_stage, _Written(path, before, content)))
                for (file_stage, written), file in zip(new, files, strict=True):
                    done.append(written)
                    before = written.before
                    with path_errors(written.path):
                        file_stage.commit(NO_FILE if before is None else sha256_of(before))
                    if file.is_executable:
                        make_executable(folders[written.path.parent], written.path.name)
        except (BenchpinError, OSError) as error:
            _undo(root, done, missing)
            if isinstance(error, OSError):
                raise AccessDenied(
                    f"The project cannot be written: {error.strerror}",
                    suggestion="Nothing was changed. Make room or choose another target.",
                    is_server_fault=True,
                ) from error
            raise
    return paths


def _require_empty(root: Path, target: PurePosixPath) -> None:
    place = root / target
    if not place.exists():
        return
    if not place.is_dir():
        hint = "Choose another target."
        raise InvalidPath(f"{str(target)!r} is not a folder", suggestion=hint)
    found = sorted(it.name for it in place.iterdir() if it.name not in _HARMLESS)
    if found:
        shown = ", ".join(found[:3]) + (" …" if len(found) > 3 else "")  # noqa: PLR2004 - a few
        raise WouldOverwrite(
            f"{str(target)!r} is not empty: it has {shown}",
            suggestion="Choose a new folder, or give overwrite: true to replace files there.",
            data={"target": str(target), "count": len(found)},
        )


def _content(root: Path, path: PurePosixPath) -> bytes | None:
    if not os.path.lexists(root / path):
        return None
    with opened(root, path, _MAX_REPLACED_BYTES) as file:
        return file.read(_MAX_REPLACED_BYTES)


def _undo(root: Path, done: Sequence[_Written], missing: Sequence[PurePosixPath]) -> None:
    """Restore every file that has our content, as far as the system permits."""
    for written in reversed(done):
        with suppress(OSError, BenchpinError):
            if _content(root, written.path) != written.content:
                continue
            if written.before is None:
                with folder_beneath(root, written.path.parent) as folder:
                    os.unlink(written.path.name, dir_fd=folder)
            else:
                replace_file(root, written.path, written.before)
    remove_folders(root, missing)
