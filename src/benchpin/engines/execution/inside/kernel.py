"""Calls of the kernel that Python has no functions for."""

from __future__ import annotations

import ctypes
import os

SIGHUP, SIGINT, SIGKILL, SIGPIPE, SIGTERM, SIGXFSZ = 1, 2, 9, 13, 15, 25
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000

libc = ctypes.CDLL(None, use_errno=True)


def handle(number: int, *, is_ignored: bool) -> None:
    """Ignore a signal, or take it as a program does by default."""
    libc.signal(number, ctypes.c_void_p(1 if is_ignored else 0))


def prctl(option: int, *arguments: object) -> None:
    """Change something about this process.

    Raises:
        OSError: when the kernel refuses.
    """
    padded = [ctypes.c_ulong(it) if isinstance(it, int) else it for it in (*arguments, 0, 0, 0, 0)]
    check(libc.prctl(option, *padded[:4]), f"prctl {option}")


def syscall(number: int, *arguments: object, what: str) -> int:
    """Make a system call that has one number on all machines.

    Raises:
        OSError: when the kernel refuses, saying what was tried.
    """
    typed = [ctypes.c_long(it) if isinstance(it, int) else it for it in arguments]
    done: int = libc.syscall(ctypes.c_long(number), *typed)
    check(done, what)
    return done


def check(done: int, what: str) -> None:
    """See whether a call has worked.

    Raises:
        OSError: when it has not, saying what was tried.
    """
    if done < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
