"""A measure, or the reason why there is none."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, TimeLimitExceeded

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

OUT_OF_TIME = "out of time"


@dataclass(frozen=True, slots=True)
class MeasureResult(Generic[T_co]):
    """A measure, or why there is none."""

    found: T_co | None
    error: BenchpinError | None = None
    lacks: str = ""
    """What was left out of it, or that time ran out; empty when it is complete."""

    @property
    def value(self) -> T_co | None:
        """What was found, if that is all there is to find."""
        return None if self.lacks else self.found

    @property
    def reason(self) -> str:
        """Why there is no value, in words."""
        if isinstance(self.error, TimeLimitExceeded):
            return OUT_OF_TIME
        return self.lacks if self.error is None else self.error.message

    def then(self, derive: Callable[[T_co], T]) -> "MeasureResult[T]":
        """Return what is derived from the value; without a value, the same reason."""
        if self.value is None:
            return MeasureResult(None, self.error, self.lacks)
        return MeasureResult(derive(self.value))

    def map(self, derive: Callable[[T_co], T]) -> "MeasureResult[T]":
        """Return what is derived from what was found, all of it or not."""
        found = None if self.found is None else derive(self.found)
        return MeasureResult(found, self.error, self.lacks)

    def required(self) -> T_co:
        """Return what was found, all of it or not.

        Raises:
            BenchpinError: when that is nothing, and why.
        """
        if self.found is None:
            raise cast("BenchpinError", self.error)
        return self.found


def lacking(job: Job, omissions: int) -> str:
    """Return why a measure is incomplete, or ""; `omissions` is how many there were before it."""
    left_out = job.left_out_since(omissions)
    return OUT_OF_TIME if left_out and job.is_expired else "; ".join(left_out)
