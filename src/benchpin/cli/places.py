"""Which workspace a typed path belongs to."""

from pathlib import Path
from typing import NamedTuple

from benchpin.app import OWN_FILES
from benchpin.core.errors import FileMissing

from .flags import Flags


class Place(NamedTuple):
    """A path, and the workspace that it is relative to."""

    root: Path
    path: str


def find_place(flags: Flags, typed: str) -> Place | None:
    """Return whether a path is part of the workspace or a workspace itself; None if it is missing.

    A folder is a workspace if it is a git repository and the current workspace has no
    configuration file. A path outside belongs to the repository around it.
    """
    workspace = flags.configuration().settings.root
    is_fixed = _is_fixed(flags, workspace)
    try:
        root, path = workspace.resolve(), (workspace / typed).resolve()
        if not path.exists():
            return None
        is_repository = (path / ".git").exists() and path != root
        is_own = is_repository and not any((root / name).exists() for name in OWN_FILES)
    except (OSError, RuntimeError, ValueError):
        return None
    if path.is_relative_to(root):
        return Place(path, ".") if is_own else Place(workspace, typed)
    return Place(workspace, typed) if is_fixed else _in_its_repository(path)


def place_outside(flags: Flags, typed: str) -> Place | None:
    """Return the place of a path outside the current folder; None if it is inside.

    Typing a path is reason enough to read there, unless the operator chose a workspace.

    Raises:
        FileMissing: when nothing is there.
    """
    workspace = flags.configuration().settings.root
    if _is_fixed(flags, workspace):
        return None
    try:
        path = (workspace / typed).resolve()
        if path.is_relative_to(workspace.resolve()) or typed.startswith("file:"):
            return None
        is_there = path.exists()
    except (OSError, RuntimeError, ValueError):
        return None  # the tool says what is wrong with it
    if not is_there:
        hint = "Check the path; it is relative to the current folder."
        raise FileMissing(f"There is no file or folder {typed!r}", suggestion=hint)
    return _in_its_repository(path)


def _is_fixed(flags: Flags, workspace: Path) -> bool:
    """Whether a flag or the environment names the workspace."""
    return "root" in flags.given or workspace != Path()


def _in_its_repository(path: Path) -> Place:
    """Return a path in the repository or configured folder around it, or else in its own folder."""
    folder = path if path.is_dir() else path.parent
    marks = (".git", *OWN_FILES)
    around = (it for it in (folder, *folder.parents) if any((it / mark).exists() for mark in marks))
    root = next(around, folder)
    return Place(root, str(path.relative_to(root)))
