"""What a report says of one file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from benchpin.core import Job

Unit = Literal["lines", "functions"]
UNITS: tuple[Unit, ...] = ("lines", "functions")

MAX_BYTES = 1 << 26
"""A report that is bigger is not read."""
MOST_LINES = 5_000_000
"""A report of more lines is not read."""


_HEED_EVERY = 1 << 12


class Damaged(Exception):
    """A report that cannot be read, and why."""


class OutOfTime(Exception):
    """A report that there was no time for."""

    def __init__(self) -> None:
        super().__init__("out of time")


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a file was run."""

    covered: int
    total: int
    unit: Unit = "lines"
    """Functions for what names the lines that ran and not those that could have."""

    @property
    def share(self) -> float | None:
        """From 0 to 1; None for a file without anything to run."""
        return self.covered / self.total if self.total else None


def share_of_all(files: Iterable[Coverage]) -> float | None:
    """Return how much was run of some files; of functions only where no lines are known."""
    known = list(files)
    for unit in UNITS:
        total = sum(it.total for it in known if it.unit == unit)
        if total:
            return sum(it.covered for it in known if it.unit == unit) / total
    return None


@dataclass(slots=True)
class Lines:
    """The lines of one file, or only their numbers where a report names none."""

    hits: dict[int, bool] = field(default_factory=dict)
    """Whether each line that can run did."""
    covered: int = 0
    total: int = 0
    entered: frozenset[int] | None = None
    """The lines that ran, of a report that does not know those that did not."""

    def add(self, line: int, *, is_hit: bool) -> None:
        """Note a line; one that ran in any test has run."""
        self.hits[line] = self.hits.get(line, False) or is_hit

    def coverage(self) -> Coverage:
        """Return the lines that ran and those that could."""
        if self.hits:
            return Coverage(sum(self.hits.values()), len(self.hits))
        return Coverage(min(self.covered, self.total), self.total)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a report says, its paths as they are written there."""

    files: Mapping[str, Lines]
    sources: tuple[str, ...] = ()
    """Folders that the paths may start from."""


def heed(job: Job) -> None:
    """Stop here when the job was cancelled or its time is up.

    Raises:
        Cancelled: when the job was cancelled.
        OutOfTime: when its time is up.
    """
    job.check()
    if job.is_expired:
        raise OutOfTime


class Budget:
    """Counts lines, and stops a report with too many, or when the time is up."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._left = MOST_LINES
        self._next_heed = MOST_LINES

    def spend(self, count: int = 1) -> None:
        """Count what is read.

        Raises:
            Cancelled: when the job was cancelled.
            Damaged: when it is too much.
            OutOfTime: when the time is up.
        """
        self._left -= count
        if self._left < 0:
            raise Damaged(f"it has more than {MOST_LINES:,} lines")
        if self._left <= self._next_heed:
            self._next_heed = self._left - _HEED_EVERY
            heed(self._job)


def number(text: str | None) -> int:
    """Read a count.

    Raises:
        Damaged: when it is none.
    """
    if text is None or not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS:
        raise Damaged(f"it has {(text or '')[:20]!r} where a number belongs")
    return int(text)


_MOST_DIGITS = 18
