"""How many worker processes to start."""

import os

_MAX_WORKERS = 8  # each has its own grammars and cache connection; more mostly cost memory


def worker_count() -> int:
    """Return how many worker processes this machine can keep busy."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(_MAX_WORKERS, cores or 1))
