"""What a coverage report contains about each file, and the limits on reading one."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded

Unit = Literal["lines", "functions"]

# A larger report is not read.
MAX_BYTES = 1 << 26
# A report with more lines is not read.
MAX_LINES = 5_000_000
# Looking at the clock for every line would take longer than reading it.
_LINES_BETWEEN_CHECKS = 1 << 12
_MAX_DIGITS = 18


class DamagedReport(Exception):
    """A report that cannot be read, and why."""


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """How much of a file was run."""

    covered: int
    total: int
    unit: Unit = "lines"
    """Functions where the report has only the lines that ran, not those that could have."""

    @property
    def share(self) -> float | None:
        """From 0 to 1; None for a file without anything to run."""
        return self.covered / self.total if self.total else None


def share_of(files: Collection[FileCoverage], unit: Unit) -> float | None:
    """Return how much was run of the files that are counted in a unit; None without any."""
    total = sum(it.total for it in files if it.unit == unit)
    return sum(it.covered for it in files if it.unit == unit) / total if total else None


def share_of_all(files: Collection[FileCoverage]) -> float | None:
    """Return how much was run of some files; of functions only where no lines are known."""
    of_lines = share_of(files, "lines")
    return share_of(files, "functions") if of_lines is None else of_lines


@dataclass(slots=True)
class ReportedLines:
    """The lines of one file, or only their totals where a report has no more."""

    hits: dict[int, bool] = field(default_factory=dict)
    """Whether each line that can run did."""
    covered: int = 0
    total: int = 0
    entered: frozenset[int] | None = None
    """The lines that ran, in a report without those that did not."""

    def add(self, line: int, *, is_hit: bool) -> None:
        """Add a line; one that ran in any test has run."""
        self.hits[line] = self.hits.get(line, False) or is_hit

    def coverage(self) -> FileCoverage:
        """Return how many lines ran, and how many could."""
        if self.hits:
            return FileCoverage(sum(self.hits.values()), len(self.hits))
        return FileCoverage(min(self.covered, self.total), self.total)


@dataclass(frozen=True, slots=True)
class ReportContents:
    """The files of a report, by the paths that it writes."""

    files: Mapping[str, ReportedLines]
    sources: tuple[str, ...] = ()
    """Folders that the paths may be relative to."""


def check_time(job: Job) -> None:
    """Raise if the job was cancelled or is out of time.

    Raises:
        Cancelled: when the job was cancelled.
        TimeLimitExceeded: when its time is up.
    """
    job.check()
    if job.is_expired:
        raise TimeLimitExceeded("out of time", suggestion="Give it more time.")


class LineBudget:
    """Counts lines, and stops at a report with too many, or when the time is up."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._left = MAX_LINES
        self._next_check = MAX_LINES
        self._skipped = 0

    def skip(self) -> None:
        """Count a line that is not kept: it only takes time."""
        self._skipped += 1
        if self._skipped % _LINES_BETWEEN_CHECKS == 0:
            check_time(self._job)

    def spend(self, count: int = 1) -> None:
        """Count lines that are read.

        Raises:
            Cancelled: when the job was cancelled.
            DamagedReport: when there are too many.
            TimeLimitExceeded: when the time is up.
        """
        self._left -= count
        if self._left < 0:
            raise DamagedReport(f"it has more than {MAX_LINES:,} lines")
        if self._left <= self._next_check:
            self._next_check = self._left - _LINES_BETWEEN_CHECKS
            check_time(self._job)


def number(text: str | None) -> int:
    """Read a count.

    Raises:
        DamagedReport: when it is none.
    """
    if text is None or not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS:
        raise DamagedReport(f"it has {(text or '')[:20]!r} where a number belongs")
    return int(text)
