"""Files beside the source that say how a project is put together."""

import os
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

    def read(path: str) -> bytes | None:
        if "\0" in path or not os.path.lexists(root + b"/" + os.fsencode(path)):
            return None  # as most are not there, that is found out in the quickest way
        try:
            named, real = PurePosixPath(path), bench.workspace.relative(bench.path(path))
            return read_regular(root, str(named), _MOST_BYTES)[0] if named == real else None
        except (PathError, Unreadable):
            return None

    return read
