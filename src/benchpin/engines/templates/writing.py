"""Write all files of a project, or none."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core import AccessDenied, BenchpinError, InvalidPath
from benchpin.engines.beneath import folder_beneath
from benchpin.engines.files.reading import opened
from benchpin.engines.files.writing import write_atomically

from .template import RenderedFile

_HARMLESS = frozenset({".git", ".benchpin"})
"""A folder that contains only these counts as empty."""
_MAX_REPLACED_BYTES = 16 << 20
"""A larger file is not replaced: its content is held in memory until all files are written."""
_EXECUTABLE = 0o111


class WouldOverwrite(InvalidPath):
    """The folder is not empty."""

    kind = "would_overwrite"


@dataclass(frozen=True, slots=True)
class _Before:
    path: PurePosixPath
    content: bytes | None
    """None when there was no file."""


def write_files(
    root: Path, target: PurePosixPath, files: Sequence[RenderedFile], *, overwrite: bool = False
) -> list[PurePosixPath]:
    """Write files into a new or empty folder, and return their paths relative to the root.

    When one cannot be written, the earlier ones are undone. `overwrite` allows a folder that has
    files, and replaces those of the same name.

    Raises:
        WouldOverwrite: when the folder is not empty.
        PathError: when a file cannot be written; nothing is changed then.
    """
    if not overwrite:
        _require_empty(root, target)
    missing = _missing_folders(root, [target / file.path for file in files])
    done: list[_Before] = []
    try:
        for file in files:
            path = target / file.path
            done.append(_Before(path, _content(root, path)))
            write_atomically(root, path, file.content.encode())
            if file.is_executable:
                _make_executable(root, path)
    except (BenchpinError, OSError) as error:
        _undo(root, done, missing)
        if isinstance(error, OSError):
            raise AccessDenied(
                f"The project cannot be written: {error.strerror}",
                suggestion="Nothing was changed. Make room or choose another target.",
            ) from error
        raise
    return [it.path for it in done]


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


def _missing_folders(root: Path, paths: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """Return the folders that writing will create, deepest first."""
    folders = {parent for path in paths for parent in path.parents}
    missing = [folder for folder in folders if not (root / folder).exists()]
    return sorted(missing, key=lambda folder: (-len(folder.parts), str(folder)))


def _content(root: Path, path: PurePosixPath) -> bytes | None:
    if not os.path.lexists(root / path):
        return None
    with opened(root, path, _MAX_REPLACED_BYTES) as file:
        return file.read(_MAX_REPLACED_BYTES)


def _make_executable(root: Path, path: PurePosixPath) -> None:
    with folder_beneath(root, path.parent) as folder:
        mode = os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode & 0o777
        readers = (mode & 0o444) >> 2  # who may read it may execute it
        os.chmod(path.name, mode | (readers & _EXECUTABLE), dir_fd=folder)


def _undo(root: Path, done: Sequence[_Before], missing: Sequence[PurePosixPath]) -> None:
    """Restore every file, as far as the system permits."""
    for it in reversed(done):
        with suppress(OSError, BenchpinError):
            if it.content is None:
                with folder_beneath(root, it.path.parent) as folder:
                    os.unlink(it.path.name, dir_fd=folder)
            else:
                write_atomically(root, it.path, it.content)
    for created in missing:
        with suppress(OSError), folder_beneath(root, created.parent) as folder:
            os.rmdir(created.name, dir_fd=folder)
