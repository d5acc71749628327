"""Open files below a folder, without ever following a symbolic link.

A client's path is resolved and checked first; before the open, a folder could be replaced by a
link. Therefore the open itself refuses links: with `openat2` where the kernel has it (Python does
not wrap it), elsewhere by opening one folder after the other.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath
from typing import cast

from benchpin.core.errors import BenchpinError

# The same number on every architecture of Linux.
_OPENAT2 = 437
_NO_MAGIC_LINKS = 0x02
_NO_SYMLINKS = 0x04
_BENEATH = 0x08
_STRAIGHT = _NO_MAGIC_LINKS | _NO_SYMLINKS
_RESOLVE = _STRAIGHT | _BENEATH
_AT_FDCWD = -100
# Windows has none of these, and no way to open a path relative to a folder.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_CLOSE = getattr(os, "O_CLOEXEC", 0)
# Opens a file for reading; opening a named pipe does not wait for a writer.
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _CLOSE
# Opens the folder of a workspace, which may be a link.
ROOT = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOSE
FOLDER = ROOT | _NO_LINK


class SystemNotSupported(BenchpinError):
    """The operating system lacks what is needed to read files without following links."""

    kind = "system_not_supported"
    is_server_fault = True


class _LinkFound(OSError):
    """A path has a symbolic link."""


class _OpenHow(ctypes.Structure):
    """The argument of openat2(2)."""

    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


def open_below(root: Path, path: PurePosixPath, flags: int) -> int:
    """Open a path below a root to read it; refuse symbolic links in it.

    Raises:
        OSError: as `open_beneath` does.
    """
    name = str(path)
    if has_openat2() and not name.startswith("/") and ".." not in name:
        with suppress(_LinkFound):  # perhaps on the way to the root, where links are accepted
            return _openat2(_AT_FDCWD, f"{root}/{name}", flags | _NO_LINK | _CLOSE, 0, _STRAIGHT)
    with folder_beneath(root, PurePosixPath()) as top:
        return open_beneath(top, path, flags)


def open_beneath(folder: int, path: PurePosixPath, flags: int, mode: int = 0) -> int:
    """Open a path below an open folder; refuse symbolic links anywhere in it.

    Raises:
        OSError: when it cannot be opened; ELOOP or ENOTDIR for a link.
    """
    require_openat()
    flags |= _NO_LINK | _CLOSE
    if has_openat2():
        return _openat2(folder, str(path), flags, mode)
    return _open_step_by_step(folder, path, flags, mode)


def require_openat() -> None:
    """Refuse a system that cannot open files relative to a folder.

    Raises:
        SystemNotSupported: on Windows.
    """
    if os.open not in os.supports_dir_fd:
        raise SystemNotSupported(
            "Files of a workspace cannot be used on this system: Benchpin opens them relative to "
            "their folders, so that no link leads outside, and Windows cannot do that",
            suggestion="Run Benchpin in WSL 2 or in a container; docs/platforms.md says more.",
        )


@contextmanager
def folder_beneath(root: Path, path: PurePosixPath, *, create: bool = False) -> Iterator[int]:
    """Open a folder below the root; `create` creates it and its parents if needed.

    Raises:
        OSError: when it cannot be opened, or is not a folder.
    """
    require_openat()
    folder = os.open(root, ROOT)
    try:
        if path.parts:
            if create:
                _create_folders(folder, path)
            top, folder = folder, open_beneath(folder, path, FOLDER)
            os.close(top)
        yield folder
    finally:
        os.close(folder)


def _create_folders(top: int, path: PurePosixPath) -> None:
    for folder in (*reversed(path.parents), path):
        if folder.name:
            parent = open_beneath(top, folder.parent, FOLDER)
            try:
                os.mkdir(folder.name, dir_fd=parent)
                os.fsync(parent)  # or a crash may lose the folder with all that is in it
            except FileExistsError:
                pass
            finally:
                os.close(parent)


@cache
def has_openat2() -> bool:
    """Whether the kernel has the call, and no seccomp filter blocks it."""
    if sys.platform != "linux":
        return False
    here = os.open("/", FOLDER)
    try:
        os.close(_openat2(here, ".", FOLDER, 0))
    except OSError:
        return False
    finally:
        os.close(here)
    return True


def _openat2(folder: int, path: str, flags: int, mode: int, resolve: int = _RESOLVE) -> int:
    how = _how(flags, mode if flags & os.O_CREAT else 0, resolve)
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("embedded null byte")
    while True:
        opened: int = _syscall()(_OPENAT2, folder, name, how, ctypes.sizeof(how))
        if opened >= 0:
            return opened
        number = ctypes.get_errno()
        if number not in {errno.EINTR, errno.EAGAIN}:  # EAGAIN: a rename raced with the lookup
            kind = _LinkFound if number == errno.ELOOP else OSError
            raise kind(number, os.strerror(number), path)


@lru_cache(maxsize=16)
def _how(flags: int, mode: int, resolve: int) -> _OpenHow:
    return _OpenHow(flags, mode, resolve)


@cache
def _syscall() -> Callable[..., int]:
    # With the types declared once, a call takes half as long.
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    syscall.argtypes = (
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.POINTER(_OpenHow),
        ctypes.c_size_t,
    )
    return cast("Callable[..., int]", syscall)


def _open_step_by_step(folder: int, path: PurePosixPath, flags: int, mode: int) -> int:
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
