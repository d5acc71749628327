"""Keep the memory of a server small, and the time that this takes.

glibc keeps freed memory for each of many threads, and takes ever larger blocks from there once such
blocks were freed: after a burst of large answers a server would hold hundreds of megabytes.
"""

import ctypes
import gc
import sys

from benchpin.core.calls import KIB, MIB

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8


def keep_heap_small() -> None:
    """Have large blocks returned when they are freed, and threads share what is left."""
    library = _glibc()
    if library is not None:
        library.mallopt(_M_MMAP_THRESHOLD, 256 * KIB)
        library.mallopt(_M_TRIM_THRESHOLD, MIB)
        library.mallopt(_M_ARENA_MAX, 2)


def collect_less() -> None:
    """Leave what is loaded by now out of collections, and collect less often.

    Scanning it takes longer than most calls, and collecting took a twentieth of the time of short
    ones.
    """
    gc.freeze()
    gc.set_threshold(5_000, 20, 20)


def trim_heap() -> None:
    """Return the free memory that is left.

    Answers that were dropped are often held by exceptions, which only the collector frees.
    """
    gc.collect()
    library = _glibc()
    if library is not None:
        library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    return library if hasattr(library, "malloc_trim") else None
