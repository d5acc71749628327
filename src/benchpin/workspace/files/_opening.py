"""Read files of a workspace that may change meanwhile, without following links or blocking."""

import errno
import os
import stat
from pathlib import PurePosixPath

from ._beneath import READ, open_beneath, require_openat

# A file changed less than this before it was read may change again with the same time stamp, since
# some clocks are coarse (2 s on FAT). Its stamp proves nothing, so it is read again, as git does.
RACY_NS = 2_000_000_000
Stamp = tuple[int, ...]
_CHUNK_BYTES = 1 << 16


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the values that differ after a file or a folder was changed or replaced."""
    return (
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_size,
        status.st_ino,
        status.st_dev,
    )


def is_racy(stamp: Stamp, now_ns: int) -> bool:
    """Whether something changed so recently that an equal stamp proves nothing."""
    # Programs can set the modification time, so the change time must be old as well.
    return now_ns - max(stamp[:2]) < RACY_NS


class Unreadable(Exception):
    """A file that cannot be read; the message is the reason."""


def read_regular(root: bytes, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """Return the first bytes of a regular file below a root, and its status before the read.

    Raises:
        Unreadable: when it is not a regular file, does not exist or may not be read.
    """
    require_openat()
    try:
        folder = os.open(root, READ)
        try:
            handle = open_beneath(folder, PurePosixPath(path), READ)
        finally:
            os.close(folder)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable("not a regular file")
            return _read(handle, max_bytes, status.st_size + 1), status
        finally:
            os.close(handle)
    except OSError as error:
        is_link = error.errno in {errno.ELOOP, errno.EMLINK, errno.ENXIO}
        reason = "not a regular file" if is_link else (error.strerror or "unreadable").lower()
        raise Unreadable(reason) from error


def _read(handle: int, max_bytes: int, room: int) -> bytes:
    """Read until the end or the limit; `room` is the expected size plus one.

    A larger buffer would take longer to allocate than the file to read.
    """
    parts: list[bytes] = []
    left = max_bytes
    while left and (part := os.read(handle, min(left, room))):
        parts.append(part)
        left -= len(part)
        room = _CHUNK_BYTES
    return b"".join(parts)
