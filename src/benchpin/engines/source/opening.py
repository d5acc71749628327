"""Read files of a workspace that may change under us: never through a link, never waiting.

A folder on the way can be exchanged for a link after it was looked at, so where the system allows
it every step of the way is opened from the one before, and none may be a link.
"""

import errno
import os
import stat

_NO_LINK = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = _NO_LINK | getattr(os, "O_DIRECTORY", 0)
_FILE = _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CAN_STEP = os.open in os.supports_dir_fd


class Unreadable(Exception):
    """A file that cannot be read, and why."""


def read_regular(root: bytes, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """Return the first bytes of a regular file beneath a root, and its status before.

    Raises:
        Unreadable: when it is none, is gone or may not be read.
    """
    try:
        handle = _opened(root, os.fsencode(path))
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable("not a regular file")
            return _filled(handle, max_bytes), status
        finally:
            os.close(handle)
    except OSError as error:
        is_link = error.errno in {errno.ELOOP, errno.EMLINK, errno.ENXIO}
        reason = "not a regular file" if is_link else (error.strerror or "unreadable").lower()
        raise Unreadable(reason) from error


def _opened(root: bytes, path: bytes) -> int:
    if not _CAN_STEP:
        return os.open(os.path.join(root, path), _FILE)  # noqa: PTH118 - bytes
    *way, name = path.split(b"/")
    folder = os.open(root, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        for step in way:
            inner = os.open(step, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _filled(handle: int, max_bytes: int) -> bytes:
    """Read until the end or the limit."""
    parts: list[bytes] = []
    left = max_bytes
    while left and (part := os.read(handle, left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
