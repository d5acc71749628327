"""Mounts by descriptor: neither the source nor the target can be exchanged for a symbolic link."""

# Importing pathlib, typing or contextlib takes as long as starting the interpreter.

from __future__ import annotations

import ctypes
import os

from ._libc import AT_EMPTY_PATH, AT_RECURSIVE, syscall

_OPEN_TREE, _MOVE_MOUNT, _FSOPEN, _FSCONFIG, _FSMOUNT, _MOUNT_SETATTR = 428, 429, 430, 431, 432, 442
_OPENAT2 = 437
_NO_LINKS_BELOW = 0x02 | 0x04 | 0x08  # RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH
_OPEN_TREE_CLONE = 1
_MOVE_BETWEEN_DESCRIPTORS = 0x04 | 0x40  # MOVE_MOUNT_F_EMPTY_PATH, MOVE_MOUNT_T_EMPTY_PATH
_SET_STRING, _CREATE, _CLOSE_ON_EXEC = 1, 6, 1  # of fsconfig(2), fsconfig(2) and fsmount(2)
READ_ONLY, NO_SETUID, NO_DEVICES = 1, 2, 4
PATH_ONLY = os.O_PATH | os.O_CLOEXEC


def open_below(folder: int, path: str) -> int:
    """Open a path below a folder; no symbolic link is followed, the last one is opened itself.

    Raises:
        OSError: when it cannot be opened, or a folder on the way is a symbolic link.
    """
    # One call for the whole path: name by name, a deep folder took seconds.
    parent, _, name = path.strip("/").rpartition("/")
    opened = _open_folder(folder, parent)
    try:
        return os.open(name, PATH_ONLY | os.O_NOFOLLOW, dir_fd=opened) if name else os.dup(opened)
    finally:
        os.close(opened)


def _open_folder(folder: int, path: str) -> int:
    how = (ctypes.c_uint64 * 3)(PATH_ONLY | os.O_DIRECTORY, 0, _NO_LINKS_BELOW)
    name = os.fsencode(path) or b"."
    return syscall(_OPENAT2, folder, name, how, ctypes.sizeof(how), what=path)


def clone_tree(source: int, *, is_writable: bool, is_device: bool = False) -> int:
    """Return a detached mount of an open file or folder.

    Raises:
        OSError: when the kernel refuses.
    """
    flags = _OPEN_TREE_CLONE | AT_RECURSIVE | AT_EMPTY_PATH | os.O_CLOEXEC
    tree = syscall(_OPEN_TREE, source, b"", flags, what="copying a mount")
    attributes = NO_SETUID
    attributes |= 0 if is_device else NO_DEVICES
    attributes |= 0 if is_writable else READ_ONLY
    set_attributes(tree, attributes, recursive=True)
    if is_writable:
        try:  # noqa: SIM105 - contextlib is slow to import
            _clear_read_only(tree)  # which it has from a read-only workspace around it
        except OSError:
            pass  # read-only outside as well
    return tree


def clone_path(source: str, *, is_writable: bool = False, is_device: bool = False) -> int:
    """Return a detached mount of a path that no confined program can change.

    Raises:
        OSError: when it cannot be opened, or the kernel refuses.
    """
    opened = os.open(source, PATH_ONLY)
    try:
        return clone_tree(opened, is_writable=is_writable, is_device=is_device)
    finally:
        os.close(opened)


def new_file_system(kind: str, attributes: int, **options: str) -> int:
    """Return a detached mount of a new file system, such as tmpfs.

    Raises:
        OSError: when the kernel refuses.
    """
    context = syscall(_FSOPEN, kind.encode(), _CLOSE_ON_EXEC, what=kind)
    for key, value in options.items():
        arguments = (context, _SET_STRING, key.encode(), value.encode(), 0)
        syscall(_FSCONFIG, *arguments, what=f"{kind} {key}")
    syscall(_FSCONFIG, context, _CREATE, None, None, 0, what=kind)
    tree = syscall(_FSMOUNT, context, _CLOSE_ON_EXEC, attributes, what=kind)
    os.close(context)
    return tree


def attach(tree: int, target: int) -> None:
    """Mount a detached mount over an open file or folder, and close it.

    Raises:
        OSError: when the kernel refuses.
    """
    syscall(_MOVE_MOUNT, tree, b"", target, b"", _MOVE_BETWEEN_DESCRIPTORS, what="mounting")
    os.close(tree)


def set_attributes(mount: int, attributes: int, *, recursive: bool = False) -> None:
    """Add attributes, such as READ_ONLY, to the mount of an open file or folder.

    Raises:
        OSError: when the kernel refuses.
    """
    wanted = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    flags = AT_EMPTY_PATH | (AT_RECURSIVE if recursive else 0)
    syscall(_MOUNT_SETATTR, mount, b"", flags, wanted, ctypes.sizeof(wanted), what="mount flags")


def _clear_read_only(mount: int) -> None:
    wanted = (ctypes.c_uint64 * 4)(0, READ_ONLY, 0, 0)
    arguments = (mount, b"", AT_EMPTY_PATH, wanted, ctypes.sizeof(wanted))
    syscall(_MOUNT_SETATTR, *arguments, what="mount flags")
