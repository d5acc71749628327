"""Restrictions of a process before it becomes the program: rlimits, Landlock, seccomp."""

from __future__ import annotations

import ctypes
import os
import resource
import sys

from ._libc import libc, prctl, syscall

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
# The size of struct landlock_ruleset_attr, and how many rights for files there are.
_LANDLOCK_SIZES = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}
# The keys are versions of Landlock; later versions have the size and the bits of the newest known
# one.
_LANDLOCK_FILE_BITS = {1: 13, 2: 14, 3: 15, 4: 15}


def limit(kind: int, most: int) -> None:
    """Limit a resource of this process and of each that it starts."""
    _, hard = resource.getrlimit(kind)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (allowed, allowed))


def landlock_version() -> int:
    """Return the version of Landlock in this kernel; 0 without it."""
    if sys.platform != "linux":
        return 0
    version: int = libc.syscall(
        _LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1
    )  # 1: ask for the version
    return max(version, 0)


def restrict_files(writable_paths: list[str]) -> None:
    """Have Landlock deny writing outside some folders, TCP, and signals to processes outside."""
    version = landlock_version()
    if not version:
        return
    everything = (1 << _LANDLOCK_FILE_BITS.get(version, 16)) - 1
    # Files; TCP bind and connect; scopes: abstract Unix sockets and signals.
    handled = (ctypes.c_uint64 * 3)(everything, 3, 3)
    size = _LANDLOCK_SIZES.get(version, 24)
    rules = syscall(_LANDLOCK_CREATE, handled, ctypes.c_size_t(size), 0, what="Landlock")
    device_rights = _READ_FILE | _READ_DIR | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV
    _allow(rules, "/", _EXECUTE | _READ_FILE | _READ_DIR)
    _allow(rules, "/dev", device_rights & everything)
    for path in writable_paths:
        _allow(rules, path, everything)
    syscall(_LANDLOCK_RESTRICT, rules, 0, what="Landlock")
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    # struct landlock_path_beneath_attr, which is packed.
    rule = rights.to_bytes(8, sys.byteorder) + folder.to_bytes(4, sys.byteorder)
    syscall(_LANDLOCK_ADD, rules, 1, rule, 0, what=path)
    os.close(folder)


def install_filter(program: bytes) -> None:
    """Install a seccomp filter, which the kernel runs before every later system call."""
    instructions = ctypes.create_string_buffer(program, len(program))

    class _SockFprog(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))

    fprog = _SockFprog(len(program) // 8, ctypes.addressof(instructions))
    prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(fprog))
