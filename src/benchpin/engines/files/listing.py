"""List folders beneath a root, without what git ignores."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from benchpin.core import Job
from benchpin.engines.beneath import folder_beneath
from benchpin.engines.source.excludes import Known, is_repository, known_above, known_in

from .reading import refusals

Kind = Literal["file", "folder", "link", "other"]

_CHECK_EVERY = 256


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a folder."""

    path: str
    kind: Kind
    size_bytes: int | None
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Listing:
    """What to list."""

    max_depth: int
    include_hidden: bool = False
    include_ignored: bool = False


def list_folder(root: Path, path: PurePosixPath, wanted: Listing, job: Job) -> Iterator[Entry]:
    """Give what is in a folder, folders before what is in them, in the order of names.

    Links are named and not followed. `.git` is left out.

    Raises:
        FileMissing: when there is no such folder.
        AccessDenied: when the system refuses it.
        Cancelled: when the job was cancelled.
    """
    known = None if wanted.include_ignored else known_above(root / path, root)
    with refusals(path):
        stack = [_look(root, path, wanted, known)]
    seen = 0
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
            continue
        entry, rules = found
        yield entry
        seen += 1
        if seen % _CHECK_EVERY == 0:
            job.check()
        if entry.kind == "folder" and len(stack) < wanted.max_depth:
            name = PurePosixPath(entry.path).name
            inner = None if rules is None else Known(rules.rules.enter(name), ())
            with suppress(OSError):
                stack.append(_look(root, PurePosixPath(entry.path), wanted, inner))


def _look(
    root: Path, place: PurePosixPath, wanted: Listing, outer: Known | None
) -> Iterator[tuple[Entry, Known | None]]:
    """Read one folder, and give what is wanted of it with the rules that are in force there."""
    entries = _scan(root, place)
    names = {name for name, _ in entries}
    rules = None if outer is None else _joined(root / place, names, outer)
    return (
        (_entry(place / name, status), rules)
        for name, status in entries
        if _is_wanted(name, wanted, rules, is_folder=stat.S_ISDIR(status.st_mode))
    )


def _scan(root: Path, place: PurePosixPath) -> list[tuple[str, os.stat_result]]:
    found = []
    with folder_beneath(root, place) as folder, os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                found.append((entry.name, entry.stat(follow_symlinks=False)))
    return sorted(found)


def _joined(place: Path, names: set[str], outer: Known) -> Known:
    """Add the rules that a folder brings itself."""
    known = outer
    if ".git" in names and is_repository(place / ".git"):
        known = known_in(place / ".git")
    return known.joined_by(str(place)) if ".gitignore" in names else known


def _is_wanted(name: str, wanted: Listing, known: Known | None, *, is_folder: bool) -> bool:
    if name == ".git" or (name.startswith(".") and not wanted.include_hidden):
        return False
    if known is None:
        return True
    rules = known.rules
    return not (rules.match_folder(name) if is_folder else rules.match_file(name))


def _entry(path: PurePosixPath, status: os.stat_result) -> Entry:
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
    size = status.st_size if kind == "file" else None
    return Entry(str(path), kind, size, status.st_mtime_ns)
