"""Find the repository that a folder belongs to, without asking git and without being lied to.

A `.git` may lead elsewhere: as a file, as a link, by its `commondir`, by links inside it. That is
how work trees and submodules are made, and how a folder could show the history of a repository
that its reader keeps private. So what lies outside the workspace must itself point back.
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
_MOST_INCLUDED = 64
_WORK_TREE = re.compile(rb"^\s*worktree\s*=\s*(\S.*?)\s*$", re.MULTILINE)


class NotARepository(BenchpinError):
    """No git repository contains the folder."""

    kind = "not_a_repository"


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as seen from a workspace; all places are real ones.

    The workspace may hold the repository, or be a folder of it: then the rest is not spoken of.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    """Where refs and objects are; differs from `git_dir` in a linked work tree."""
    workspace_root: Path

    @property
    def prefix(self) -> str:
        """Return what git puts before the workspace's paths; empty when the root is inside it."""
        return _way(self.root, self.workspace_root)

    @property
    def mount(self) -> str:
        """Return what the workspace puts before git's paths; empty when the root is above it."""
        return _way(self.workspace_root, self.root)

    def shallow_edges(self) -> frozenset[str]:
        """Return the commits whose parents a shallow clone left out."""
        listed = _read_start(self.common_dir / "shallow", _MAX_SHALLOW_BYTES) or b""
        return frozenset(listed.decode("ascii", "replace").split())


def _way(start: Path, end: Path) -> str:
    """Return the way down as a beginning of paths; empty when there is none to go."""
    is_below = end != start and end.is_relative_to(start)
    return f"{end.relative_to(start).as_posix()}/" if is_below else ""


def find_repository(folder: Path, workspace_root: Path) -> Repository:
    """Return the repository that contains a folder of the workspace.

    Raises:
        PathOutsideWorkspace: when the folder, or what git would read for it, is elsewhere.
        InvalidPath: when it is no folder.
        NotARepository: when there is none.
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
            _check_home(found)
            _check_files(found)
            return found
    raise NotARepository(
        f"No git repository contains {folder.name!r}",
        suggestion="Name a folder that is under version control, or run `git init` and commit.",
    )


def _git_dir(marker: Path) -> Path | None:
    """Return where a `.git` leads: a folder, or a file that names one."""
    pointer = _read_start(marker, _MAX_POINTER_BYTES)
    if pointer is None:
        return marker.resolve() if _is_git_dir(marker) else None
    keyword, _, target = pointer.partition(b":")
    place = _follow(marker.resolve().parent, target)
    if keyword != b"gitdir" or place is None or not _is_git_dir(place):
        raise NotARepository(
            f"The .git of {marker.parent.name!r} leads to no repository",
            suggestion="Run `git submodule update --init` or `git worktree repair`.",
        )
    return place


def _is_git_dir(place: Path) -> bool:
    return os.path.lexists(place / "HEAD") and (_common_dir(place) / "objects").is_dir()


def _common_dir(git_dir: Path) -> Path:
    pointer = _read_start(git_dir / "commondir", _MAX_POINTER_BYTES)
    return (None if pointer is None else _follow(git_dir, pointer)) or git_dir


def _check_home(found: Repository) -> None:
    """Refuse a `.git` that passes off the history of another place as that of this folder."""

    def is_home(place: Path | None) -> bool:
        return place is not None and any(
            place.is_relative_to(home) for home in (found.workspace_root, found.root)
        )

    if is_home(found.git_dir) and is_home(found.common_dir):
        is_ours = all(is_home(_follow(link, b"")) for link in _links(found))
    else:
        is_ours = _belongs_to(found) == found.root
    if not is_ours:
        raise PathOutsideWorkspace(
            f"The history of {found.root.name!r} is kept outside the workspace",
            suggestion="Start Benchpin with a --root that contains its git folder too.",
        )


def _belongs_to(found: Repository) -> Path | None:
    """Return the work tree that a git folder itself names; a linked one or a submodule's does."""
    if found.git_dir.parent == found.common_dir / "worktrees":
        marker = _follow(
            found.git_dir, _read_start(found.git_dir / "gitdir", _MAX_POINTER_BYTES) or b""
        )
        return None if marker is None else marker.parent
    named = _WORK_TREE.search(_read_start(found.git_dir / "config", _MAX_POINTER_BYTES) or b"")
    is_whole = found.git_dir == found.common_dir
    return _follow(found.git_dir, named[1]) if is_whole and named is not None else None


def _links(found: Repository) -> Iterator[Path]:
    """Find what in a git folder is a link, as far as it decides which history is read."""
    for folder in {found.git_dir, found.common_dir}:
        yield from (folder / name for name in _LINKABLE if (folder / name).is_symlink())
        for parent, folders, files in os.walk(folder / "refs"):
            entries = (Path(parent, name) for name in (*folders, *files))
            yield from (entry for entry in entries if entry.is_symlink())


def _check_files(found: Repository) -> None:
    """Refuse what git would wait for in vain: a pipe or a device in the place of a file."""
    for place in _files_read(found):
        try:
            mode = place.stat().st_mode
        except (OSError, ValueError):  # git reads nothing where it cannot
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise InvalidPath(
                f"{place.name!r} of the repository {found.root.name!r} is not a regular file",
                suggestion="Remove the pipe or device, or what includes it in the git settings.",
                data={"file": place.name},
            )


def _files_read(found: Repository) -> Iterator[Path]:
    """Find the files that git reads for itself before it reads history."""
    yield from (found.root / name for name in (".gitattributes", ".mailmap"))
    for folder in {found.git_dir, found.common_dir}:
        yield from (folder / name for name in _READ_FIRST)
        for parent, _folders, files in os.walk(folder / "refs"):
            yield from (Path(parent, name) for name in files)
        for name in ("config", "config.worktree"):
            yield from _included(folder / name)


def _included(config: Path) -> Iterator[Path]:
    """Find what a file of settings includes, whatever the condition, and what that includes."""
    waiting, seen = [config], {config}
    while waiting and len(seen) <= _MOST_INCLUDED:
        place = waiting.pop()
        for name, value in read_settings(_read_start(place, _MAX_CONFIG_BYTES) or b""):
            if name.startswith("include") and name.endswith(".path") and value:
                inner = place.parent / os.path.expanduser(value)  # noqa: PTH111
                if inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
                    yield inner


def _follow(base: Path, pointer: bytes) -> Path | None:
    """Return the real place that a pointer means, None when it cannot mean any."""
    try:
        return (base / os.fsdecode(pointer.strip())).resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, a NUL byte
        return None


def _read_start(place: Path, size: int) -> bytes | None:
    """Return the first bytes of a file, None for anything else; a pipe is not waited for."""
    try:
        handle = os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        return os.read(handle, size) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    finally:
        os.close(handle)
