"""Files beside the source that say how a project is put together."""

import os
from functools import cache
from pathlib import PurePosixPath

from benchpin.core import Bench, PathError
from benchpin.engines.source.opening import Unreadable, read_regular
from benchpin.engines.source.resolve import Reader

_MOST_BYTES = 1 << 20


def manifest_reader(bench: Bench) -> Reader:
    """Return what gives engines the beginning of a file of the workspace that may be read.

    No link is followed: what it leads to has a name of its own.
    """
    root = str(bench.workspace.root)

    @cache
    def names_in(folder: str) -> frozenset[str]:
        """Return what is in a folder; most files that are asked for are not, and many share one."""
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                return frozenset(it.name for it in entries)
        except (OSError, ValueError):
            return frozenset()

    def read(path: str) -> bytes | None:
        folder, _, name = path.rpartition("/")
        if name not in names_in(folder):
            return None
        try:
            named, real = PurePosixPath(path), bench.workspace.relative(bench.path(path))
            if named != real:
                return None
            return read_regular(os.fsencode(root), str(named), _MOST_BYTES)[0]
        except (PathError, Unreadable):
            return None

    return read
