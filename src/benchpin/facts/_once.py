"""What one job found out, which holds until it ends: it sees a workspace as of one moment."""

from collections.abc import Callable, Hashable
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

from benchpin.core.calls import Job

T = TypeVar("T")


class OncePerJob:
    """Values that are made once for a job, and forgotten with it."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Job, dict[Hashable, object]] = WeakKeyDictionary()

    def recall(self, job: Job, key: Hashable) -> object | None:
        """Return a value that was made for a job; None if there is none."""
        return self._known.get(job, {}).get(key)

    def recall_or(self, job: Job, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value, made now if it is not known; one that lacks something is not kept."""
        known = self._known.setdefault(job, {})
        if key in known:
            return cast("T", known[key])
        omissions = job.omissions
        value = make()
        if job.omissions == omissions:
            known[key] = value
        return value
