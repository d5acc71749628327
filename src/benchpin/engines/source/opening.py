"""Read files of a workspace that may change under us: never through a link, never waiting."""

import errno
import os
import stat
from pathlib import PurePosixPath

from benchpin.engines.beneath import open_beneath

RACY_NS = 2_000_000_000
"""What was changed so shortly before it was read may have been changed again in the same tick of
a coarse clock (FAT counts in steps of two seconds): it is read again, as git does."""
_MORE_BYTES = 1 << 16
_READ = os.O_RDONLY | os.O_NONBLOCK


class Unreadable(Exception):
    """A file that cannot be read, and why."""


def read_regular(root: bytes, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """Return the first bytes of a regular file beneath a root, and its status before.

    Raises:
        Unreadable: when it is none, is gone or may not be read.
    """
    try:
        folder = os.open(root, os.O_RDONLY | os.O_CLOEXEC)
        try:
            handle = open_beneath(folder, PurePosixPath(path), _READ)
        finally:
            os.close(folder)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable("not a regular file")
            return _filled(handle, max_bytes, status.st_size + 1), status
        finally:
            os.close(handle)
    except OSError as error:
        is_link = error.errno in {errno.ELOOP, errno.EMLINK, errno.ENXIO}
        reason = "not a regular file" if is_link else (error.strerror or "unreadable").lower()
        raise Unreadable(reason) from error


def _filled(handle: int, max_bytes: int, room: int) -> bytes:
    """Read until the end or the limit, with as much room as the file is said to need.

    More room than that costs more than the reading itself.
    """
    parts: list[bytes] = []
    left = max_bytes
    while left and (part := os.read(handle, min(left, room))):
        parts.append(part)
        left -= len(part)
        room = _MORE_BYTES
    return b"".join(parts)
