"""The folders of a workspace as a scan finds them, and what covers their entries."""

import os
import stat
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from ._messages import Cover, CoverKind

Identity = tuple[int, int]


@dataclass(slots=True)
class VisibleFolder:
    """A folder that the program may see."""

    path: str
    is_writable: bool
    parent: "VisibleFolder | None"
    identity: Identity = (0, 0)
    has_readable: bool = False
    """Whether anything in it can be read, at any depth."""
    covered: list[Cover] = field(default_factory=list)
    """Covers of files and folders directly in it."""
    shown: list[tuple[int, Cover]] | None = None
    """If it is replaced: what the new one shows, with the time of the last change."""

    def __iter__(self) -> Iterator["VisibleFolder"]:
        """Yield this folder and those above it, up to the root."""
        folder: VisibleFolder | None = self
        while folder is not None:
            yield folder
            folder = folder.parent

    def hide_in_parent(self) -> None:
        """Cover this folder as a whole."""
        if self.parent is not None:
            self.parent.covered.append(cover(self.path, self.identity, "hidden folder"))


@dataclass(slots=True)
class LinkedFile:
    """A file with several hard links."""

    links: int = 0
    names: list[tuple[VisibleFolder, str]] = field(default_factory=list)
    """Where it may be written."""


def cover(path: str, identity: Identity, kind: CoverKind) -> Cover:
    """Return the cover of a path that leads to a certain file or folder."""
    device, inode = identity
    return Cover(path=path, device=device, inode=inode, kind=kind)


def identity_of(status: os.stat_result) -> Identity:
    """Return what no other file has at the same time."""
    return status.st_dev, status.st_ino


def fullest_folders(paths: Collection[str], most: int) -> frozenset[str]:
    """Return the smallest folders without which at most `most` of the paths are left, if any."""
    parts = [path.split("/") for path in paths]
    top: list[str] = []
    while True:
        depth = len(top)
        below = Counter(it[depth] for it in parts if it[:depth] == top and len(it) > depth + 1)
        ((name, count),) = below.most_common(1) or (("", 0),)
        if len(parts) - count > most:  # no single folder is enough
            break
        top.append(name)
    chosen, left = set(), len(parts)
    for name, count in below.most_common():
        if left <= most:
            break
        chosen.add("/".join((*top, name)))
        left -= count
    return frozenset(("/".join(top),) if left > most and top else chosen)


def is_closed(status: os.stat_result) -> bool:
    """Whether root cannot enter a folder inside the sandbox, where it has no capabilities."""
    shift = 6 if status.st_uid == 0 else 3 if status.st_gid in os.getgroups() else 0
    return not status.st_mode >> shift & stat.S_IXOTH
