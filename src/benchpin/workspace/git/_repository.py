"""Find the repository of a folder without running git, and without being misled.

A `.git` may point elsewhere: it may be a file or a symbolic link, have a `commondir`, or contain
links. Work trees and submodules are made like this; but a folder could also expose the history of a
private repository of its reader. So a git folder outside the workspace must itself point back.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from benchpin.core.errors import BenchpinError, InvalidPath, PathOutsideWorkspace
from benchpin.core.own_files import open_own

from ._safe_files import GitFiles, outside, read_start, resolved

_MAX_POINTER_BYTES = 1 << 16
_MAX_SHALLOW_BYTES = 1 << 24
_WORK_TREE = re.compile(rb"^[ \t]*+worktree\s*+=\s*+(\S[^\n]*+)", re.MULTILINE)
_SHA256_CHARS = 64
_SHA256 = b"[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha256\n"
ATTRIBUTES = b".gitattributes"
# The limit of a file of git.
_MAX_BYTES = 1 << 24


class NotARepository(BenchpinError):
    """No git repository contains the folder."""

    kind = "not_a_repository"


@dataclass(frozen=True)
class Repository:
    """A repository as seen from a workspace; all paths are resolved.

    The workspace may contain the repository, or be a folder of it; then the rest is left out.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    """The folder of refs and objects; differs from `git_dir` in a linked work tree."""
    workspace_root: Path
    git_folders: tuple[Path, ...] = ()
    """Folders outside the workspace that its history may be in."""

    @cached_property
    def prefix(self) -> str:
        """The path of the workspace in the repository, with a slash; empty if it is not below."""
        return _steps_down(self.root, self.workspace_root)

    @cached_property
    def mount(self) -> str:
        """The path of the repository in the workspace, with a slash; empty if it is not below."""
        return _steps_down(self.workspace_root, self.root)

    @property
    def untrusted_root(self) -> Path:
        """The outer one of repository and workspace: no program below it is run."""
        return self.root if self.prefix else self.workspace_root

    def objects_stamp(self) -> bytes:
        """Return something that differs once the clone has got objects that it lacked."""
        folder = self.common_dir / "objects"
        with suppress(OSError):
            inside = sorted((it.name, it.stat().st_mtime_ns) for it in os.scandir(folder))
            return repr((inside, _content(folder / "info" / "alternates"))).encode()
        return b"unknown"

    def shallow_edges(self) -> frozenset[str]:
        """Return the commits whose parents a shallow clone left out."""
        listed = read_start(self.common_dir / "shallow", _MAX_SHALLOW_BYTES) or b""
        return frozenset(listed.decode("ascii", "replace").split())

    @contextmanager
    def unconfigured(self, commit: str) -> Iterator["Repository"]:
        """Give the objects and shallow edges of it without its configuration and refs."""
        with TemporaryDirectory(prefix="benchpin-git-") as place:
            folder = Path(place)
            (folder / "refs").mkdir()
            (folder / "objects" / "info").mkdir(parents=True)
            objects = os.fsencode(self.common_dir / "objects")
            (folder / "objects" / "info" / "alternates").write_bytes(objects + b"\n")
            (folder / "HEAD").write_bytes(b"ref: refs/heads/none\n")
            if len(commit) == _SHA256_CHARS:
                (folder / "config").write_bytes(_SHA256)
            if edges := sorted(self.shallow_edges()):
                (folder / "shallow").write_bytes("\n".join([*edges, ""]).encode("ascii"))
            yield replace(self, git_dir=folder, common_dir=folder)


def _steps_down(start: Path, end: Path) -> str:
    """Return the relative path with a slash at the end; empty if `end` is not below `start`."""
    is_below = end != start and end.is_relative_to(start)
    return f"{end.relative_to(start).as_posix()}/" if is_below else ""


def find_repository(
    folder: Path, workspace_root: Path, git_folders: tuple[Path, ...] = ()
) -> Repository:
    """Return the repository that contains a folder of the workspace.

    Its history may also be in `git_folders`, which the operator allows.

    Raises:
        FileTooLarge: when git would read too large a file.
        PathOutsideWorkspace: when the folder, or what git would read for it, is outside.
        InvalidPath: when it is not a folder, or git would read a pipe or device.
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
            found = Repository(root, git_dir, _common_dir(git_dir), workspace_root, git_folders)
            GitFiles(root, _trusted(found)).check({git_dir, found.common_dir})
            return found
    raise NotARepository(
        f"No git repository contains {folder.name!r}",
        suggestion="Name a folder that is under version control, or run `git init` and commit.",
    )


def _git_dir(marker: Path) -> Path | None:
    """Return the git folder of a `.git`, which is a folder or a file that names one."""
    pointer = read_start(marker, _MAX_POINTER_BYTES)
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
    pointer = read_start(git_dir / "commondir", _MAX_POINTER_BYTES)
    return (None if pointer is None else _follow(git_dir, pointer)) or git_dir


def _trusted(found: Repository) -> Sequence[Path] | None:
    """Return the folders that may contain its history; None if git itself connects the two.

    Raises:
        PathOutsideWorkspace: when `.git` presents the history of another folder as that of this.
    """
    trusted = (found.workspace_root, found.root, *found.git_folders)
    if all(
        any(path.is_relative_to(folder) for folder in trusted)
        for path in (found.git_dir, found.common_dir)
    ):
        return trusted
    if work_tree_of(found.git_dir, found.common_dir) != found.root:
        raise outside(found.root)
    return None


def work_tree_of(git_dir: Path, common_dir: Path) -> Path | None:
    """Return the work tree that a git folder names, as those of work trees and submodules do."""
    if git_dir.parent == common_dir / "worktrees":
        marker = _follow(git_dir, read_start(git_dir / "gitdir", _MAX_POINTER_BYTES) or b"")
        return None if marker is None else marker.parent
    named = _WORK_TREE.search(read_start(git_dir / "config", _MAX_POINTER_BYTES) or b"")
    is_whole = git_dir == common_dir
    return _follow(git_dir, named[1].rstrip()) if is_whole and named is not None else None


def _follow(base: Path, pointer: bytes) -> Path | None:
    """Return the resolved path of a pointer; None if it is not a valid path."""
    return resolved(base / os.fsdecode(pointer.strip()))


# How a clone shows the history of a commit: what decides it, besides the commit.


def history_view(repository: Repository) -> Iterator[bytes]:
    """Yield everything besides the commit that decides how its history is read."""
    yield " ".join(sorted(repository.shallow_edges())).encode()
    yield from shown_by(repository)


def shown_by(repository: Repository) -> Iterator[bytes]:
    """Yield what decides how git shows a commit, wherever the history ends."""
    for name in (repository.root.name, repository.prefix, repository.mount):
        yield os.fsencode(name)
    yield _content(repository.root / ".mailmap")
    git_dir = repository.common_dir
    yield _content(git_dir / "info" / "attributes")
    yield _content(git_dir / "info" / "grafts")
    # Replacements of objects, packed and loose, change the history that git shows.
    packed = _content(git_dir / "packed-refs").splitlines()
    loose = sorted((git_dir / "refs" / "replace").glob("*"))
    yield b"\n".join(
        [
            *(line for line in packed if b" refs/replace/" in line),
            *(os.fsencode(place.name) + b" " + _content(place) for place in loose),
        ]
    )


def _content(place: Path) -> bytes:
    """Return the content of a file; empty when it cannot be read."""
    try:
        with open_own(place) as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return b""
