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
    root = os.fsencode(bench.workspace.root)

    @cache
    def names_in(folder: str) -> frozenset[bytes]:
        """Return what is in a folder; most files that are asked for are not, and many share one."""
        try:
            with os.scandir(root + b"/" + os.fsencode(folder)) as entries:
                return frozenset(it.name for it in entries)
        except (OSError, ValueError):
            return frozenset()

    def read(path: str) -> bytes | None:
        folder, _, name = path.rpartition("/")
        if os.fsencode(name) not in names_in(folder):
            return None
        try:
            named, real = PurePosixPath(path), bench.workspace.relative(bench.path(path))
            return read_regular(root, str(named), _MOST_BYTES)[0] if named == real else None
        except (PathError, Unreadable):
            return None

    return read
