"""Find the repository of a folder without running git, and without being misled.

A `.git` may point elsewhere: it may be a file or a symbolic link, have a `commondir`, or contain
links. Work trees and submodules are made like this; but a folder could also expose the history of a
private repository of its reader. So a git folder outside the workspace must itself point back.
"""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchpin.core import BenchpinError, InvalidPath, PathOutsideWorkspace

from .git_config import read_settings

_MAX_POINTER_BYTES = 1 << 16
_MAX_SHALLOW_BYTES = 1 << 24
_LINKABLE = ("HEAD", "config", "objects", "packed-refs", "refs", "reftable", "shallow")
_READ_FIRST = (
    *_LINKABLE,
    "FETCH_HEAD",
    "commondir",
    "config.worktree",
    "info/attributes",
    "info/grafts",
    "objects/info/alternates",
    "objects/info/commit-graph",
)
_MAX_CONFIG_BYTES = 1 << 20
_MAX_INCLUDED = 64
_WORK_TREE = re.compile(rb"^[ \t]*+worktree\s*+=\s*+(\S[^\n]*+)", re.MULTILINE)


class NotARepository(BenchpinError):
    """No git repository contains the folder."""

    kind = "not_a_repository"


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as seen from a workspace; all paths are resolved.

    The workspace may contain the repository, or be a folder of it; then the rest is left out.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    """The folder of refs and objects; differs from `git_dir` in a linked work tree."""
    workspace_root: Path

    @property
    def prefix(self) -> str:
        """The path of the workspace in the repository, with a slash; empty if it is not below."""
        return _steps_down(self.root, self.workspace_root)

    @property
    def mount(self) -> str:
        """The path of the repository in the workspace, with a slash; empty if it is not below."""
        return _steps_down(self.workspace_root, self.root)

    @property
    def untrusted_root(self) -> Path:
        """The outer one of repository and workspace: no program below it is run."""
        return self.root if self.prefix else self.workspace_root

    def shallow_edges(self) -> frozenset[str]:
        """Return the commits whose parents a shallow clone left out."""
        listed = _read_start(self.common_dir / "shallow", _MAX_SHALLOW_BYTES) or b""
        return frozenset(listed.decode("ascii", "replace").split())


def _steps_down(start: Path, end: Path) -> str:
    """Return the relative path with a slash at the end; empty if `end` is not below `start`."""
    is_below = end != start and end.is_relative_to(start)
    return f"{end.relative_to(start).as_posix()}/" if is_below else ""


def find_repository(folder: Path, workspace_root: Path) -> Repository:
    """Return the repository that contains a folder of the workspace.

    Raises:
        PathOutsideWorkspace: when the folder, or what git would read for it, is outside.
        InvalidPath: when it is not a folder.
        NotARepository: when it is not in a repository.
    """
    folder, workspace_root = folder.resolve(), workspace_root.resolve()
    if not folder.is_relative_to(workspace_root):
        raise PathOutsideWorkspace(
            f"{folder.name!r} is outside the workspace",
            suggestion="Give a path inside it, or start Benchpin with another --root.",
        )
    if not folder.is_dir():
        raise InvalidPath(f"{folder.name!r} is not a folder", suggestion="Name an existing folder.")
    for root in (folder, *folder.parents):
        git_dir = _git_dir(root / ".git")
        if git_dir is not None:
            found = Repository(root, git_dir, _common_dir(git_dir), workspace_root)
            _check_origin(found)
            _check_files(found)
            return found
    raise NotARepository(
        f"No git repository contains {folder.name!r}",
        suggestion="Name a folder that is under version control, or run `git init` and commit.",
    )


def _git_dir(marker: Path) -> Path | None:
    """Return the git folder of a `.git`, which is a folder or a file that names one."""
    pointer = _read_start(marker, _MAX_POINTER_BYTES)
    if pointer is None:
        return marker.resolve() if _is_git_dir(marker) else None
    keyword, _, target = pointer.partition(b":")
    git_dir = _follow(marker.resolve().parent, target)
    if keyword != b"gitdir" or git_dir is None or not _is_git_dir(git_dir):
        raise NotARepository(
            f"The .git of {marker.parent.name!r} does not point to a repository",
            suggestion="Run `git submodule update --init` or `git worktree repair`.",
        )
    return git_dir


def _is_git_dir(folder: Path) -> bool:
    return os.path.lexists(folder / "HEAD") and (_common_dir(folder) / "objects").is_dir()


def _common_dir(git_dir: Path) -> Path:
    pointer = _read_start(git_dir / "commondir", _MAX_POINTER_BYTES)
    return (None if pointer is None else _follow(git_dir, pointer)) or git_dir


def _check_origin(found: Repository) -> None:
    """Refuse a `.git` that presents the history of another folder as that of this one."""

    def is_inside(path: Path | None) -> bool:
        return path is not None and any(
            path.is_relative_to(folder) for folder in (found.workspace_root, found.root)
        )

    if is_inside(found.git_dir) and is_inside(found.common_dir):
        is_ours = all(is_inside(_follow(link, b"")) for link in _links(found))
    else:
        is_ours = _belongs_to(found) == found.root
    if not is_ours:
        raise PathOutsideWorkspace(
            f"The history of {found.root.name!r} is kept outside the workspace",
            suggestion="Start Benchpin with a --root that contains its git folder too.",
        )


def _belongs_to(found: Repository) -> Path | None:
    """Return the work tree that a git folder names, as those of work trees and submodules do."""
    if found.git_dir.parent == found.common_dir / "worktrees":
        marker = _follow(
            found.git_dir, _read_start(found.git_dir / "gitdir", _MAX_POINTER_BYTES) or b""
        )
        return None if marker is None else marker.parent
    named = _WORK_TREE.search(_read_start(found.git_dir / "config", _MAX_POINTER_BYTES) or b"")
    is_whole = found.git_dir == found.common_dir
    return _follow(found.git_dir, named[1].rstrip()) if is_whole and named is not None else None


def _links(found: Repository) -> Iterator[Path]:
    """Yield the symbolic links in a git folder that decide which history is read."""
    for folder in {found.git_dir, found.common_dir}:
        yield from (folder / name for name in _LINKABLE if (folder / name).is_symlink())
        for parent, folders, files in os.walk(folder / "refs"):
            entries = (Path(parent, name) for name in (*folders, *files))
            yield from (entry for entry in entries if entry.is_symlink())


def _check_files(found: Repository) -> None:
    """Refuse pipes and devices in place of files: git would block on them."""
    for path in _files_read(found):
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):  # git cannot read it either
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise InvalidPath(
                f"{path.name!r} of the repository {found.root.name!r} is not a regular file",
                suggestion="Remove the pipe or device, or the git setting that includes it.",
                data={"file": path.name},
            )


def _files_read(found: Repository) -> Iterator[Path]:
    """Yield the files that git reads before it reads history."""
    yield from (found.root / name for name in (".gitattributes", ".mailmap"))
    for folder in {found.git_dir, found.common_dir}:
        yield from (folder / name for name in _READ_FIRST)
        for parent, _folders, files in os.walk(folder / "refs"):
            yield from (Path(parent, name) for name in files)
        for name in ("config", "config.worktree"):
            yield from _included(folder / name)


def _included(config: Path) -> Iterator[Path]:
    """Yield the files that a configuration includes, under any condition and recursively."""
    waiting, seen = [config], {config}
    while waiting and len(seen) <= _MAX_INCLUDED:
        path = waiting.pop()
        for name, value in read_settings(_read_start(path, _MAX_CONFIG_BYTES) or b""):
            if name.startswith("include") and name.endswith(".path") and value:
                inner = path.parent / os.path.expanduser(value)  # noqa: PTH111
                if inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
                    yield inner


def _follow(base: Path, pointer: bytes) -> Path | None:
    """Return the resolved path of a pointer; None if it is not a valid path."""
    try:
        return (base / os.fsdecode(pointer.strip())).resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of symbolic links, a NUL byte
        return None


def _read_start(path: Path, size: int) -> bytes | None:
    """Return the first bytes of a regular file, None for anything else; never blocks on a pipe."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        return os.read(handle, size) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    finally:
        os.close(handle)
