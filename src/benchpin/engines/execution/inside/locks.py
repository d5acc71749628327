"""What a process forgoes before it becomes the program: resources, files, system calls."""

from __future__ import annotations

import ctypes
import os
import resource
import sys

from .kernel import libc, prctl, syscall

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_LANDLOCK_SIZES = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}
_LANDLOCK_FILE_BITS = {1: 13, 2: 14, 3: 15, 4: 15}
"""By the version of Landlock, where it is not the newest that is known here."""


def limit(kind: int, most: int) -> None:
    """Bound a resource, for this process and each that it starts."""
    _, hard = resource.getrlimit(kind)
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (least, least))


def landlock_version() -> int:
    """Return which Landlock the kernel has; 0 for none."""
    if sys.platform != "linux":
        return 0
    version: int = libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)
    return max(version, 0)


def restrict_files(writable: list[str]) -> None:
    """Have Landlock let the program write only beneath some places, and nowhere connect to."""
    version = landlock_version()
    if not version:
        return
    everything = (1 << _LANDLOCK_FILE_BITS.get(version, 16)) - 1
    # Files, then TCP both ways, then abstract sockets and signals.
    handled = (ctypes.c_uint64 * 3)(everything, 3, 3)
    size = _LANDLOCK_SIZES.get(version, 24)
    rules = syscall(_LANDLOCK_CREATE, handled, ctypes.c_size_t(size), 0, what="Landlock")
    existing = _READ_FILE | _READ_DIR | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV
    _allow(rules, "/", _EXECUTE | _READ_FILE | _READ_DIR)
    _allow(rules, "/dev", existing & everything)
    for place in writable:
        _allow(rules, place, everything)
    syscall(_LANDLOCK_RESTRICT, rules, 0, what="Landlock")
    os.close(rules)


def _allow(rules: int, place: str, rights: int) -> None:
    folder = os.open(place, os.O_PATH | os.O_CLOEXEC)
    rule = rights.to_bytes(8, sys.byteorder) + folder.to_bytes(4, sys.byteorder)
    syscall(_LANDLOCK_ADD, rules, 1, rule, 0, what=place)
    os.close(folder)


def filter_calls(program: bytes) -> None:
    """Have the kernel ask the filter before every system call from here on."""
    instructions = ctypes.create_string_buffer(program, len(program))

    class _Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))

    whole = _Program(len(program) // 8, ctypes.addressof(instructions))
    prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(whole))
