"""A measure or the reason why there is none, and how long measures took."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, TimeLimitExceeded
from benchpin.core.results import Item

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


READING = "reading and parsing"


_REST = "everything else"


_DIGITS = 4


class PartTime(Item):
    """The time that one part of the work took, without the parts that it is computed from."""

    name: str
    seconds: float


class Performance(Item):
    """The time that the search took."""

    phases: list[PartTime]
    """They add up to total_seconds."""
    total_seconds: float
    tokens: int
    """How many tokens were compared."""
    tokens_per_second: float | None
    """None when the clones were remembered, or the time was too short to measure."""

    def line(self) -> str:
        return f"{self.tokens:,} tokens on the CPU, {times_line(self.phases)}"


class Stopwatch:
    """Times parts of the work; the time of a part inside another counts for the inner one only."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inner_s = 0.0
        self._started = time.perf_counter()

    def time(self, name: str, make: Callable[[], T]) -> T:
        """Return what a function makes, and add the time to a part."""
        started, outer_s = time.perf_counter(), self._inner_s
        self._inner_s = 0.0
        try:
            return make()
        finally:
            spent_s = time.perf_counter() - started
            self.seconds[name] = self.seconds.get(name, 0.0) + spent_s - self._inner_s
            self._inner_s = outer_s + spent_s

    def parts(self, details: Iterable[PartTime] = (), *, of: str = "") -> list[PartTime]:
        """Return all parts since the beginning; `details` replace the part that they are `of`."""
        total_s = time.perf_counter() - self._started
        inner = list(details)
        known = [(name, it) for name, it in self.seconds.items() if name != of or not inner]
        known += [(it.name, it.seconds) for it in inner]
        known.append((_REST, max(0.0, total_s - sum(it for _, it in known))))
        return [PartTime(name=name, seconds=round(it, _DIGITS)) for name, it in known]

    def performance(self, search: Sequence[PartTime], of: str, tokens: int) -> Performance:
        """Return all parts, with the phases of a search in place of the part that they are `of`."""
        phases, search_s = self.parts(search, of=of), total_of(search)
        return Performance(
            phases=phases,
            total_seconds=total_of(phases),
            tokens=tokens,
            tokens_per_second=round(tokens / search_s) if search_s else None,
        )


def total_of(parts: Iterable[PartTime]) -> float:
    """Return the sum of the parts, as rounded as they are."""
    return round(sum(it.seconds for it in parts), _DIGITS)


def times_line(parts: Iterable[PartTime]) -> str:
    times = list(parts)
    listed = ", ".join(f"{it.name} {it.seconds:.3f} s" for it in times)
    return f"{total_of(times):.3f} s: {listed}"
