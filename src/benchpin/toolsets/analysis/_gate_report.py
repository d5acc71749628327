"""What the quality gate reports."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from benchpin.core import Item
from benchpin.engines.insight.gate.baseline import Known
from benchpin.engines.insight.gate.changes import Changes
from benchpin.engines.insight.gate.judging import Check, CheckStatus, Gate, Status, Violation
from benchpin.engines.insight.gate.measures import Scope
from benchpin.engines.insight.gate.readings import Reading

from ._formats import Report
from ._selection import FilesSeen

_MOST_MENDED = 100


class GateCheck(Item):
    """One threshold, and what came of it."""

    name: str
    threshold: int | float
    status: CheckStatus
    """Told: over the threshold, but with diff only functions and what checks names are judged."""
    reason: str
    """Why it was not measured, or what else is to know."""
    scope: Scope
    unit: str
    value: int | float | None
    """Of the project; for functions and files the worst one."""
    measured: int
    """How many functions or files were looked at; parts of the project's value otherwise."""
    violations: int
    known: int
    """Violations that the baseline has."""


class Part(Item):
    """What adds to the value of a project, or lacks where it should be high."""

    file: str
    line: int
    name: str
    value: int | float


class GateViolation(Item):
    """A value that is not let pass."""

    check: str
    message: str
    file: str | None
    """Null for a value of the whole project."""
    line: int | None
    end_line: int | None
    name: str | None
    value: int | float
    threshold: int | float
    recorded: int | float | None
    """What the baseline has for it, if it got worse."""
    parts: list[Part]
    """What adds most to a value of the whole project; what was missed, of coverage."""


class Mended(Item):
    """A violation of the baseline that is gone."""

    check: str
    file: str | None
    name: str
    value: int | float


class BaselineUse(Item):
    """The baseline, and how it compares."""

    file: str
    is_written: bool
    known: int
    mended_total: int
    mended: list[Mended]
    """The first of them; writing the baseline anew takes them out."""


class DiffUse(Item):
    """What changed."""

    revision: str
    commit: str | None
    """Null before the first commit: all is new."""
    changed_files: int


class GateReport(Report):
    """Whether it passes, every check, and the violations, worst first."""

    passed: bool
    status: Status
    is_strict: bool
    checks: list[GateCheck]
    violations: list[GateViolation]
    total: int
    next_cursor: str | None
    baseline: Annotated[BaselineUse | None, Field(exclude_if=lambda it: it is None)] = None
    diff: Annotated[DiffUse | None, Field(exclude_if=lambda it: it is None)] = None
    looked_at: FilesSeen
    fails: Annotated[bool, Field(exclude=True)] = False

    def is_failure(self) -> bool:
        """Whether the gate does not pass, and that is to be heard; no time is another matter."""
        is_late = self.partial and self.status == "not_measured"
        return self.fails and not self.passed and not is_late


def check_of(it: Check) -> GateCheck:
    """Return a check as it is reported."""
    return GateCheck(
        name=it.measure.threshold_name,
        threshold=it.threshold,
        status=it.status,
        reason=it.reason,
        scope=it.measure.scope,
        unit=it.measure.unit,
        value=it.value,
        measured=it.measured,
        violations=len(it.violations),
        known=it.known,
    )


def violation_of(it: Violation) -> GateViolation:
    """Return a violation as it is reported."""
    place = it.place
    return GateViolation(
        check=it.measure.threshold_name,
        message=it.message,
        file=None if place is None else place.file,
        line=None if place is None else place.line,
        end_line=None if place is None else place.end_line,
        name=None if place is None else place.name,
        value=it.value,
        threshold=it.threshold,
        recorded=it.recorded,
        parts=[_part(part) for part in it.parts],
    )


def _part(it: Reading) -> Part:
    return Part(file=it.place.file, line=it.place.line, name=it.place.name, value=it.value)


def baseline_use(
    path: str, gate: Gate, mended: Sequence[Known], *, is_written: bool
) -> BaselineUse:
    """Return how the baseline compares."""
    first = [
        Mended(check=it.threshold, file=it.file or None, name=it.name, value=it.value)
        for it in mended[:_MOST_MENDED]
    ]
    return BaselineUse(
        file=path,
        is_written=is_written,
        known=sum(check.known for check in gate.checks),
        mended_total=len(mended),
        mended=first,
    )


def diff_use(it: Changes) -> DiffUse:
    """Return what the changes were counted from."""
    return DiffUse(revision=it.revision, commit=it.commit, changed_files=len(it.spans))
