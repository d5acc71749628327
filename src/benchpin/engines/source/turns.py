"""Wait for one's turn, but no longer than anybody is interested in what comes of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from benchpin.core import Job

_POLL_S = 0.05


@contextmanager
def turn(lock: Lock, job: Job) -> Iterator[bool]:
    """Hold a lock, and give whether it is held: it is not when the time was up before.

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
