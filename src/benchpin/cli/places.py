"""What a typed path means: a place in a workspace, a workspace of its own, or a revision."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from benchpin.app import OWN_FILES
from benchpin.core.errors import BenchpinError, FileMissing

from .flags import Flags

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class WorkspacePath(NamedTuple):
    """A path, and the workspace that it is relative to."""

    root: Path
    path: str


def find_place(flags: Flags, typed: str) -> WorkspacePath | None:
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
        return WorkspacePath(path, ".") if is_own else WorkspacePath(workspace, typed)
    return WorkspacePath(workspace, typed) if is_fixed else _in_its_repository(path)


def place_outside(flags: Flags, typed: str) -> WorkspacePath | None:
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
        raise FileMissing(f"There is nothing at {typed!r}", suggestion=hint)
    return _in_its_repository(path)


def _is_fixed(flags: Flags, workspace: Path) -> bool:
    """Whether a flag or the environment names the workspace."""
    return "root" in flags.given or workspace != Path()


def _in_its_repository(path: Path) -> WorkspacePath:
    """Return a path in the repository or configured folder around it, or else in its own folder."""
    folder = path if path.is_dir() else path.parent
    marks = (".git", *OWN_FILES)
    around = (it for it in (folder, *folder.parents) if any((it / mark).exists() for mark in marks))
    root = next(around, folder)
    return WorkspacePath(root, str(path.relative_to(root)))


def placed(given: dict[str, object], name: str | None, flags: Flags) -> Flags:
    """Return the flags with the workspace of a typed path, which becomes relative to it."""
    place = place_outside(flags, str(given[name])) if name and given.get(name) else None
    if name is None or place is None:
        return flags
    given[name] = place.path
    return flags.over({"root": place.root})


def as_change(given: dict[str, object], path: str | None, flags: Flags) -> None:
    """Take a revision that was typed in the place of a path, as git does: `review HEAD~3`."""
    typed = given.get(path) if path else None
    if not isinstance(typed, str) or "diff" not in given or given["diff"] is not None:
        return
    if find_place(flags, typed) is None and _names_commits(flags, typed):
        given["diff"], given[path or ""] = typed, None


def _names_commits(flags: Flags, typed: str) -> bool:
    """Whether each end of a text such as main or HEAD~3..HEAD is a revision of the repository."""
    from benchpin.core.calls import Job  # noqa: PLC0415 - only for what is no path
    from benchpin.workspace.git import find_commit, find_repository  # noqa: PLC0415 - likewise

    root = flags.configuration().settings.root.resolve()
    try:
        repository = find_repository(root, root, flags.configuration().settings.git_folders)
        for end in re.split(r"\.{2,3}", typed):
            find_commit(repository, end or "HEAD", Job())
    except BenchpinError:
        return False
    return True


def complete_path(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """Complete an option or argument that is the name of a file."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - loaded when used

    return [CompletionItem(incomplete, type="file")]
