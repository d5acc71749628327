"""How long each part of the work took, so that the parts add up to the whole."""

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from benchpin.core.results import Item

T = TypeVar("T")

READING = "reading and parsing"
_REST = "everything else"
_DIGITS = 4


class PartTime(Item):
    """The time that one part of the work took, without the parts that it is computed from."""

    name: str
    seconds: float


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


def total_of(parts: Iterable[PartTime]) -> float:
    """Return the sum of the parts, as rounded as they are."""
    return round(sum(it.seconds for it in parts), _DIGITS)


def times_line(parts: Iterable[PartTime]) -> str:
    """Return the parts and their sum on one line."""
    times = list(parts)
    listed = ", ".join(f"{it.name} {it.seconds:.3f} s" for it in times)
    return f"{total_of(times):.3f} s: {listed}"
