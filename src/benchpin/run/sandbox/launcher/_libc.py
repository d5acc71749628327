"""System calls that Python has no functions for.

The constants repeat `signal` and `fcntl`, whose import would slow the start of every program.
"""

from __future__ import annotations

import ctypes
import os

SIGHUP, SIGINT, SIGKILL, SIGPIPE, SIGTERM, SIGXFSZ = 1, 2, 9, 13, 15, 25
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000

libc = ctypes.CDLL(None, use_errno=True)


def set_signal(number: int, *, is_ignored: bool) -> None:
    """Ignore a signal (SIG_IGN), or restore its default action (SIG_DFL)."""
    libc.signal(number, ctypes.c_void_p(1 if is_ignored else 0))


def prctl(option: int, *arguments: object) -> None:
    """Change an attribute of this process.

    Raises:
        OSError: when the kernel refuses.
    """
    # Padded with zeros: the kernel requires unused arguments of some options to be 0.
    padded = [ctypes.c_ulong(it) if isinstance(it, int) else it for it in (*arguments, 0, 0, 0, 0)]
    check(libc.prctl(option, *padded[:4]), f"prctl {option}")


def syscall(number: int, *arguments: object, what: str) -> int:
    """Make a system call that has the same number on all machines.

    Raises:
        OSError: when the kernel refuses; its message starts with `what`.
    """
    typed = [ctypes.c_long(it) if isinstance(it, int) else it for it in arguments]
    returned: int = libc.syscall(ctypes.c_long(number), *typed)
    check(returned, what)
    return returned


def check(returned: int, what: str) -> None:
    """Check the return value of a call.

    Raises:
        OSError: when it is negative; its message starts with `what`.
    """
    if returned < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
