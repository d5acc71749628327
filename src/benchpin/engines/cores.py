"""How many processes work at once."""

import os

_MOST_WORKERS = 8


def worker_count() -> int:
    """Return how many workers this machine can feed."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(_MOST_WORKERS, cores or 1))
