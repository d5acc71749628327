"""List folders below a root, without what git ignores."""

import datetime as dt
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidPath
from benchpin.core.text import sendable
from benchpin.system.formats import sorted_names
from benchpin.workspace.files import folder_beneath, path_errors
from benchpin.workspace.walking import IgnoreRules, RepositoryRules, TrackedRules, is_repository

Kind = Literal["file", "folder", "link", "other"]

_CHECK_EVERY = 256  # entries between two looks at the job: often enough to end at once
_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


class ListedPath(NamedTuple):
    """A path in a listing, before its size and time are read."""

    path: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """A file, folder or link, with its size and time."""

    path: str
    kind: Kind
    size_bytes: int | None
    """Of files only."""
    modified: dt.datetime


class ListingOptions(NamedTuple):
    """How deep to list, and what to include."""

    max_depth: int
    include_hidden: bool = False
    include_ignored: bool = False


class _Folder(NamedTuple):
    """A folder whose listing is under way."""

    prefix: str
    kinds: dict[str, Kind]
    rules: IgnoreRules | None
    names: Iterator[str]


def list_folder(
    root: Path, path: PurePosixPath, options: ListingOptions, rules: RepositoryRules, job: Job
) -> Iterator[ListedPath]:
    """Yield the entries of a folder sorted by name, each folder before its own entries.

    Symbolic links are listed but not followed. `.git` is left out.

    Raises:
        FileMissing: when there is no such folder.
        InvalidPath: when it is a file.
        AccessDenied: when the system refuses it.
    """
    lister = _Lister(root, options, rules, job)
    with path_errors(path), _file_errors(root, path):
        stack = [lister.open_start(path)]
    seen = 0
    while stack:
        folder = stack[-1]
        for name in folder.names:
            seen += 1
            if seen % _CHECK_EVERY == 0 and _is_expired(job):
                return
            kind = folder.kinds[name]
            if not lister.is_listed(folder, name):
                continue
            yield ListedPath(folder.prefix + name, kind)
            if kind == "folder" and len(stack) < options.max_depth:
                with suppress(OSError):
                    stack.append(lister.open_inner(folder, name))
                    break
        else:
            stack.pop()


class _Lister:
    """Opens folders, with the ignore rules that apply in them."""

    def __init__(
        self, root: Path, options: ListingOptions, rules: RepositoryRules, job: Job
    ) -> None:
        self._root = root
        self._options = options
        self._rules = rules
        self._job = job

    def open_start(self, path: PurePosixPath) -> _Folder:
        prefix = f"{path}/" if path.parts else ""
        return self._open(prefix, lambda: self._rules.above(self._root / path, self._root))

    def open_inner(self, folder: _Folder, name: str) -> _Folder:
        outer = IgnoreRules() if folder.rules is None else folder.rules
        return self._open(f"{folder.prefix}{name}/", lambda: TrackedRules(outer.enter(name), ()))

    def is_listed(self, folder: _Folder, name: str) -> bool:
        if name == ".git" or (name.startswith(".") and not self._options.include_hidden):
            return False
        rules = folder.rules
        if rules is None:
            return True
        is_folder = folder.kinds[name] == "folder"
        return not (rules.match_folder(name) if is_folder else rules.match_file(name))

    def _open(self, prefix: str, above: Callable[[], TrackedRules]) -> _Folder:
        kinds: dict[str, Kind] = {}
        path = PurePosixPath(prefix)
        with folder_beneath(self._root, path) as opened, os.scandir(opened) as entries:
            for entry in entries:
                kinds[entry.name] = _kind(entry)
                if len(kinds) % _CHECK_EVERY == 0:
                    self._job.check()
        rules = None if self._options.include_ignored else self._find_rules(prefix, kinds, above)
        return _Folder(prefix, kinds, rules, iter(sorted_names([*kinds])))

    def _find_rules(
        self, prefix: str, names: dict[str, Kind], above: Callable[[], TrackedRules]
    ) -> IgnoreRules:
        """Add the rules of a folder itself; the rules above a repository do not apply in it."""
        folder = f"{self._root}/{prefix}"
        marker = Path(folder, ".git")
        known = self._rules.of(marker) if ".git" in names and is_repository(marker) else above()
        return (known.joined_by(folder) if ".gitignore" in names else known).rules


def read_entries(root: Path, paths: Iterable[ListedPath], job: Job) -> Iterator[DirectoryEntry]:
    """Read the size and time of each path, one folder at a time; skip what has been removed."""
    for parent, members in groupby(paths, lambda it: it.path.rpartition("/")[0]):
        with suppress(OSError), folder_beneath(root, PurePosixPath(parent)) as folder:
            for at, (path, _kind) in enumerate(members):
                if at % _CHECK_EVERY == 0:
                    job.check()
                try:
                    name = path.rpartition("/")[2]
                    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                except OSError:
                    continue
                yield _entry(path, status)


@contextmanager
def _file_errors(root: Path, path: PurePosixPath) -> Iterator[None]:
    """Say that a path leads to a file where a folder was expected."""
    try:
        yield
    except NotADirectoryError as error:
        if not (root / path).is_file():
            raise
        shown = sendable(str(path))
        raise InvalidPath(
            f"{shown} is a file, not a folder",
            suggestion="Read it with read_file, or list the folder that it is in.",
            data={"path": shown},
        ) from error


def _is_expired(job: Job) -> bool:
    job.check()
    if job.is_expired:
        job.leave_out("folders that were not listed")
    return job.is_expired


def _kind(entry: "os.DirEntry[str]") -> Kind:
    try:
        if entry.is_file(follow_symlinks=False):
            return "file"
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "link" if entry.is_symlink() else "other"
    except OSError:
        return "other"


def _entry(path: str, status: os.stat_result) -> DirectoryEntry:
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), "other")
    size = status.st_size if kind == "file" else None
    modified = dt.datetime.fromtimestamp(status.st_mtime_ns / 1e9, dt.UTC)
    return DirectoryEntry(sendable(path), kind, size, modified)
