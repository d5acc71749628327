"""A lock that a job waits for only as long as it may run."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from ._job import Job

_POLL_S = 0.05  # a lock cannot be woken by a cancelled job, so look at the job in between


@contextmanager
def job_lock(lock: Lock, job: Job) -> Iterator[bool]:
    """Hold a lock; yield False, without it, when the time of the job runs out first.

    Raises:
        Cancelled: when the job was cancelled while it waited.
    """
    while not (is_held := lock.acquire(timeout=_POLL_S)):
        job.check()
        if job.is_expired:
            break
    try:
        yield is_held
    finally:
        if is_held:
            lock.release()
