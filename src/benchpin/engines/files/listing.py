"""List folders beneath a root, without what git ignores."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from benchpin.core import Job
from benchpin.engines.beneath import folder_beneath
from benchpin.engines.ordering import sorted_names
from benchpin.engines.source.excludes import Known, is_repository, known_above, known_in
from benchpin.engines.source.ignore import Rules

from .reading import refusals

Kind = Literal["file", "folder", "link", "other"]

_CHECK_EVERY = 256


class Entry(NamedTuple):
    """Something in a folder."""

    path: str
    kind: Kind


class Described(NamedTuple):
    """Something in a folder, and what the system knows of it."""

    path: str
    kind: Kind
    size_bytes: int | None
    mtime_ns: int


class Listing(NamedTuple):
    """What to list."""

    max_depth: int
    include_hidden: bool = False
    include_ignored: bool = False


class _Folder(NamedTuple):
    """A folder that is being listed."""

    prefix: str
    kinds: dict[str, Kind]
    rules: Rules | None
    names: Iterator[str]


def list_folder(root: Path, path: PurePosixPath, wanted: Listing, job: Job) -> Iterator[Entry]:
    """Give what is in a folder, folders before what is in them, in the order of names.

    Links are named and not followed. `.git` is left out.

    Raises:
        FileMissing: when there is no such folder.
        AccessDenied: when the system refuses it.
        Cancelled: when the job was cancelled.
    """
    with refusals(path):
        prefix = f"{path}/" if path.parts else ""
        stack = [_look(root, prefix, wanted, lambda: known_above(root / path, root), job)]
    seen = 0
    while stack:
        folder = stack[-1]
        for name in folder.names:
            seen += 1
            if seen % _CHECK_EVERY == 0 and not _goes_on(job):
                return
            kind = folder.kinds[name]
            if not _is_wanted(name, wanted, folder.rules, is_folder=kind == "folder"):
                continue
            yield Entry(folder.prefix + name, kind)
            if kind == "folder" and len(stack) < wanted.max_depth:
                with suppress(OSError):
                    stack.append(_enter(root, folder, name, wanted, job))
                    break
        else:
            stack.pop()


def describe(root: Path, entries: Iterable[Entry], job: Job) -> Iterator[Described]:
    """Ask the system about entries, those of one folder together; what is gone is left out.

    Raises:
        Cancelled: when the job was cancelled.
    """
    for parent, members in groupby(entries, lambda entry: entry.path.rpartition("/")[0]):
        with suppress(OSError), folder_beneath(root, PurePosixPath(parent)) as folder:
            for at, (path, _kind) in enumerate(members):
                if at % _CHECK_EVERY == 0:
                    job.check()
                try:
                    name = path.rpartition("/")[2]
                    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                except OSError:
                    continue
                yield _described(path, status)


def _goes_on(job: Job) -> bool:
    job.check()
    if job.is_expired:
        job.leave_out("folders that were not listed")
        return False
    return True


def _enter(root: Path, folder: _Folder, name: str, wanted: Listing, job: Job) -> _Folder:
    def above() -> Known:
        return Known(Rules() if folder.rules is None else folder.rules.enter(name), ())

    return _look(root, f"{folder.prefix}{name}/", wanted, above, job)


def _look(
    root: Path, prefix: str, wanted: Listing, above: Callable[[], Known], job: Job
) -> _Folder:
    """Read one folder, and find the rules that are in force there."""
    kinds: dict[str, Kind] = {}
    with folder_beneath(root, PurePosixPath(prefix)) as opened, os.scandir(opened) as entries:
        for entry in entries:
            kinds[entry.name] = _kind(entry)
            if len(kinds) % _CHECK_EVERY == 0:
                job.check()
    rules = None if wanted.include_ignored else _rules(f"{root}/{prefix}", kinds, above)
    return _Folder(prefix, kinds, rules, iter(sorted_names([*kinds])))


def _rules(place: str, names: dict[str, Kind], above: Callable[[], Known]) -> Rules:
    """Add the rules that a folder brings itself; those above a repository do not count in it."""
    marker = Path(place, ".git")
    known = known_in(marker) if ".git" in names and is_repository(marker) else above()
    return (known.joined_by(place) if ".gitignore" in names else known).rules


def _is_wanted(name: str, wanted: Listing, rules: Rules | None, *, is_folder: bool) -> bool:
    if name == ".git" or (name.startswith(".") and not wanted.include_hidden):
        return False
    if rules is None:
        return True
    return not (rules.match_folder(name) if is_folder else rules.match_file(name))


def _kind(entry: "os.DirEntry[str]") -> Kind:
    try:
        if entry.is_file(follow_symlinks=False):
            return "file"
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "link" if entry.is_symlink() else "other"
    except OSError:
        return "other"


def _described(path: str, status: os.stat_result) -> Described:
    mode = status.st_mode
    kind: Kind = (
        "folder"
        if stat.S_ISDIR(mode)
        else "file"
        if stat.S_ISREG(mode)
        else "link"
        if stat.S_ISLNK(mode)
        else "other"
    )
    return Described(path, kind, status.st_size if kind == "file" else None, status.st_mtime_ns)
