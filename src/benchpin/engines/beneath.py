"""Open files beneath a folder, without ever following a link.

A client's path was resolved and its permissions checked before; between that and the open, a
folder may have been swapped for a link. So the open itself refuses links: by `openat2` where the
kernel has it, and one name at a time elsewhere. Written by hand, because Python has no `openat2`.
"""

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path, PurePosixPath

_OPENAT2 = 437
"""The number of the system call, which is the same on every architecture of Linux."""
_NO_MAGIC_LINKS = 0x02
_NO_SYMLINKS = 0x04
_BENEATH = 0x08
_RESOLVE = _NO_MAGIC_LINKS | _NO_SYMLINKS | _BENEATH
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _OpenHow(ctypes.Structure):
    """The argument of openat2(2)."""

    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


def open_beneath(folder: int, path: PurePosixPath, flags: int, mode: int = 0) -> int:
    """Open a path beneath an open folder; links anywhere in it are refused.

    Raises:
        OSError: when it cannot be opened; ELOOP or ENOTDIR for a link.
    """
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC
    if has_openat2():
        return _openat2(folder, path, flags, mode)
    return _open_by_names(folder, path, flags, mode)


@contextmanager
def folder_beneath(root: Path, path: PurePosixPath, *, makes: bool = False) -> Iterator[int]:
    """Hold a folder beneath the root open; `makes` makes it and its parents when missing.

    Raises:
        OSError: when it cannot be opened, or is not a folder.
    """
    folder = os.open(root, FOLDER & ~os.O_NOFOLLOW)
    try:
        if path.parts:
            if makes:
                _make_folders(folder, path)
            top, folder = folder, open_beneath(folder, path, FOLDER)
            os.close(top)
        yield folder
    finally:
        os.close(folder)


def _make_folders(top: int, path: PurePosixPath) -> None:
    """Make the folders that are missing, each in the one before it."""
    for place in (*reversed(path.parents), path):
        if place.name:
            parent = open_beneath(top, place.parent, FOLDER)
            try:
                os.mkdir(place.name, dir_fd=parent)
            except FileExistsError:
                pass
            finally:
                os.close(parent)


@cache
def has_openat2() -> bool:
    """Whether the kernel has the call, and lets us use it."""
    if not hasattr(os, "O_DIRECTORY") or os.uname().sysname != "Linux":
        return False
    here = os.open("/", FOLDER)
    try:
        os.close(_openat2(here, PurePosixPath("."), FOLDER, 0))
    except OSError:
        return False
    finally:
        os.close(here)
    return True


def _openat2(folder: int, path: PurePosixPath, flags: int, mode: int) -> int:
    how = _OpenHow(flags, mode if flags & os.O_CREAT else 0, _RESOLVE)
    while True:
        opened: int = _libc().syscall(
            ctypes.c_long(_OPENAT2),
            ctypes.c_int(folder),
            ctypes.c_char_p(os.fsencode(path)),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if opened >= 0:
            return opened
        number = ctypes.get_errno()
        if number not in {errno.EINTR, errno.EAGAIN}:
            raise OSError(number, os.strerror(number), str(path))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _open_by_names(folder: int, path: PurePosixPath, flags: int, mode: int) -> int:
    if path.is_absolute() or ".." in path.parts:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(path))
    *parents, name = path.parts or (".",)
    current = os.dup(folder)
    try:
        for parent in parents:
            inner = os.open(parent, FOLDER, dir_fd=current)
            os.close(current)
            current = inner
        return os.open(name, flags, mode, dir_fd=current)
    finally:
        os.close(current)
