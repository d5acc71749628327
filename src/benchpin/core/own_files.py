"""Open files that Benchpin keeps for itself: caches, stores, manifests.

Somebody may have put a pipe, a socket, a device or a folder where one of them is expected. So they
are opened here only, where that is refused at once instead of waited for.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

# The notes on `a.py` are in `a.py.comments`: they are no file of the project.
SIDECAR_SUFFIX = ".comments"
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def open_own(place: Path) -> BinaryIO:
    """Open a file for reading.

    Raises:
        OSError: when it is missing, cannot be read, or is not a regular file.
    """
    file = open(os.open(place, _READ), "rb")  # noqa: PTH123, SIM115 - of a descriptor
    try:
        _require_regular(os.fstat(file.fileno()), place)
    except OSError:
        file.close()
        raise
    return file


def read_own(place: Path) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: as `open_own` does.
    """
    with open_own(place) as file:
        return file.read()


def require_own(place: Path) -> None:
    """Check that a file that a library is to open is missing or a regular one.

    Raises:
        OSError: when it is something else.
    """
    try:
        status = place.stat()
    except FileNotFoundError:
        return
    _require_regular(status, place)


def _require_regular(status: os.stat_result, place: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "is not a regular file; remove it", str(place))
