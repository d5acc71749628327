"""How much memory this process holds, and how to give back what it no longer uses."""

import ctypes
import gc
import os
import sys
from pathlib import Path

_IS_LINUX = sys.platform == "linux"
_STATUS = Path("/proc/self/statm")


def resident_bytes() -> int:
    """Return the resident memory of this process; 0 where the system does not say."""
    if not _IS_LINUX:
        return 0
    return int(_STATUS.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE")


def give_back_free_memory(*, with_cycles: bool = False) -> None:
    """Return freed memory to the system; glibc keeps it for later otherwise.

    `with_cycles` looks for objects that refer to one another first, which takes longer.
    """
    if with_cycles:
        gc.collect()
    if _IS_LINUX:
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # not in musl
        if trim is not None:
            trim(0)
