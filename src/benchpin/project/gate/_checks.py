"""Check a project's measures against thresholds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.present import show_cell
from benchpin.project import OUT_OF_TIME, Project

from ._measures import MEASURES, GateMeasure, Scope
from ._values import ChangedLines, GateValue, ReportsUnreadable, find_values, reason_of, total
from .baseline import Baseline, BaselineMatch, KnownViolation, record

Status = Literal["passed", "failed", "not_measured"]
# With `diff`, a value over its threshold that may be old debt is reported and does not fail.
CheckStatus = Status | Literal["reported"]
_REPORTED = "reported, not checked: with diff, only functions and the named checks can fail"
# Parts of a project's value that a violation lists.
_MAX_PARTS = 10


class GatePart(Item):
    """What adds to the value of a project, or is lacking where it should be high."""

    file: str
    line: int
    name: str
    value: int | float


class GateViolation(Item):
    """A value over its threshold, or under one that is a minimum."""

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
    """The value in the baseline, if it got worse."""
    parts: list[GatePart]
    """What adds most to a value of the whole project; what is missed, of coverage."""


class GateCheck(Item):
    """One threshold and its outcome."""

    name: str
    threshold: int | float
    status: CheckStatus
    """reported: over the threshold, but diff checks only functions and what checks names."""
    reason: str = ""
    """Why it was not measured, or a note on the value."""
    scope: Scope
    unit: str
    value: int | float | None = None
    """The value of the project; for functions and files the worst one."""
    measured: int = 0
    """How many functions or files were measured; parts of the project's value otherwise."""
    violations: int = 0
    known: int = 0
    """Violations that the baseline has."""
    worst: Annotated[GateViolation | None, Field(exclude=True)] = None
    """The worst value over the threshold, also when it is only reported."""

    def updated(self, **fields: object) -> "GateCheck":
        """Return the check with other values of some fields."""
        return self.model_copy(update=fields)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A check, and everything behind it."""

    check: GateCheck
    violations: tuple[GateViolation, ...] = ()
    """Worst first."""
    fixed: tuple[KnownViolation, ...] = ()
    """Violations of the baseline that are gone."""
    records: tuple[KnownViolation, ...] = ()
    """What a baseline that is written now records."""
    has_unreadable_reports: bool = False
    """Whether there is a report to measure it from, and none that can be read."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The outcomes of all checks."""

    outcomes: list[Outcome]
    is_strict: bool
    """Whether what was not measured fails."""
    unmeasured_files: str = ""
    """How many files could not be measured, and why the first one; empty when all were."""

    @property
    def checks(self) -> list[GateCheck]:
        """Every check, in the order of the measures."""
        return [it.check for it in self.outcomes]

    @property
    def status(self) -> Status:
        """Whether everything passes.

        A gate that ran out of time, is empty, or has unreadable reports does not.
        """
        checks = self.checks
        is_late = any(it.reason == OUT_OF_TIME for it in checks)
        is_blind = any(it.has_unreadable_reports for it in self.outcomes)
        unmeasured = sum(it.status == "not_measured" for it in checks)
        is_lacking = bool(unmeasured or self.unmeasured_files)
        if any(it.status == "failed" for it in checks) or (self.is_strict and is_lacking):
            return "failed"
        is_unknown = is_late or is_blind or unmeasured == len(checks)
        return "not_measured" if is_unknown else "passed"

    @property
    def violations(self) -> list[GateViolation]:
        """The violations of all checks, worst first."""
        return sorted((it for one in self.outcomes for it in one.violations), key=_order)

    @property
    def fixed(self) -> list[KnownViolation]:
        """The violations of the baseline that are gone."""
        return [it for one in self.outcomes for it in one.fixed]

    def records(self, before: Baseline) -> list[KnownViolation]:
        """Return what a new baseline records: what is there, and what was not measured now."""
        measured = {it.name for it in self.checks if it.status != "not_measured"}
        kept = [it for it in before.violations if it.threshold not in measured]
        return [*kept, *(it for one in self.outcomes for it in one.records)]


@dataclass(frozen=True, slots=True)
class GateTerms:
    """What a project is checked against."""

    thresholds: Mapping[str, float]
    baseline: Baseline = field(default_factory=Baseline)
    changes: ChangedLines | None = None
    """Only what changed is checked."""
    is_strict: bool = False
    asked: frozenset[str] = frozenset()
    """Thresholds that the caller named."""

    def can_fail(self, measure: GateMeasure) -> bool:
        """Whether a bad value fails: in a diff, the value of a whole file may be old debt."""
        is_asked = measure.threshold_name in self.asked
        return self.changes is None or measure.scope == "function" or is_asked

    def changed(self, values: Sequence[GateValue]) -> list[GateValue]:
        """Return the values of what changed; all of them where nothing is compared."""
        if self.changes is None:
            return list(values)
        lines, touch = self.changes.lines, self.changes.touch
        return [it for it in values if (it.also or it.file in lines) and touch(it)]

    @property
    def nothing_changed(self) -> str:
        """Why a check that measured nothing passes."""
        revision = "" if self.changes is None else f" since {self.changes.revision}"
        return f"nothing that it measures changed{revision}"


def check_project(project: Project, terms: GateTerms) -> Gate:
    """Take the measures that have a threshold, the quickest first.

    Raises:
        Cancelled: when the job was cancelled.
    """
    wanted = [it for it in MEASURES.values() if it.threshold_name in terms.thresholds]
    outcomes = [_check(project, it, terms) for it in wanted]
    return Gate(outcomes, terms.is_strict, _unmeasured_files(project.sources.unmeasured))


def _unmeasured_files(unmeasured: Mapping[str, str]) -> str:
    if not unmeasured:
        return ""
    path, reason = min(unmeasured.items())
    files = counted(len(unmeasured), "file was", "files were")
    return f"{files} not measured; the first is {path}: {reason}"


def _check(project: Project, measure: GateMeasure, terms: GateTerms) -> Outcome:
    passed = GateCheck(
        name=measure.threshold_name,
        threshold=terms.thresholds[measure.threshold_name],
        status="passed",
        scope=measure.scope,
        unit=measure.unit,
    )
    found = find_values(measure, project)
    if found.value is None:
        return Outcome(
            passed.updated(status="not_measured", reason=found.reason),
            has_unreadable_reports=isinstance(found.error, ReportsUnreadable),
        )
    if measure.scope == "project":
        outcome = _check_total(measure, passed, found.value, terms)
    else:
        outcome = _check_each(measure, passed, found.value, terms, _is_here(project))
    check = outcome.check.updated(worst=next(iter(outcome.violations), None))
    outcome = replace(outcome, check=check)
    if check.status == "failed" and not terms.can_fail(measure):
        reported = check.updated(status="reported", reason=_REPORTED, violations=0)
        return replace(outcome, check=reported, violations=())
    if check.reason:
        return outcome
    return replace(outcome, check=check.updated(reason=reason_of(measure, project)))


def _is_here(project: Project) -> Callable[[str], bool]:
    """Return a test whether a file of the baseline is selected, or was and is gone."""
    selected = {file.path for file in project.sources.files}
    root, accepts = project.selection.root, project.selection.accepts
    return lambda path: path in selected or (accepts(path) and not (root / path).exists())


def _check_each(
    measure: GateMeasure,
    passed: GateCheck,
    values: Sequence[GateValue],
    terms: GateTerms,
    is_here: Callable[[str], bool],
) -> Outcome:
    """Check functions or files, each on its own."""
    threshold = passed.threshold
    among = terms.changed(values)
    has_baseline = bool(terms.baseline.violations)
    if not has_baseline:  # what did not change matters to a baseline only
        values = among
    over = [it for it in values if measure.is_worse(it.value, threshold)]
    match = BaselineMatch([(it, None) for it in over], 0, [])
    others: list[KnownViolation] = []
    if has_baseline:
        match = terms.baseline.match(measure, threshold, values, is_here)
        others = terms.baseline.elsewhere(measure, is_here)
    violations = [
        _violation(measure, it.value, threshold, recorded, at=it)
        for it, recorded in match.new
        if terms.changed([it])
    ]
    worst = min if measure.is_better_high else max
    return Outcome(
        passed.updated(
            status="failed" if violations else "passed",
            reason="" if among else terms.nothing_changed,
            value=worst((it.value for it in among), default=None),
            measured=len(among),
            violations=len(violations),
            known=match.known,
        ),
        violations=tuple(sorted(violations, key=_order)),
        fixed=tuple(match.fixed),
        records=(*others, *(record(measure, it, threshold) for it in over)),
    )


def _check_total(
    measure: GateMeasure, passed: GateCheck, values: Sequence[GateValue], terms: GateTerms
) -> Outcome:
    threshold = passed.threshold
    parts = terms.changed(values)
    value = total(measure, parts)
    if value is None:
        if total(measure, values) is None:
            nothing = "there is nothing to measure"
            return Outcome(passed.updated(status="not_measured", reason=nothing))
        return Outcome(passed.updated(reason=terms.nothing_changed))
    recorded = terms.baseline.of_project(measure) if terms.changes is None else None
    check = passed.updated(value=value, measured=len(parts))
    if not measure.is_worse(value, threshold):
        if recorded is None or measure.is_worse(value, recorded.limit):
            return Outcome(check)
        return Outcome(check, fixed=(recorded,))
    now = KnownViolation(measure.threshold_name, "", "", value, threshold)
    if recorded is not None and not measure.has_worsened(value, recorded.value):
        return Outcome(check.updated(known=1), records=(now,))
    before = None if recorded is None else recorded.value
    violation = _violation(measure, value, threshold, before, parts=_worst_parts(measure, parts))
    failed = check.updated(status="failed", violations=1)
    return Outcome(failed, violations=(violation,), records=(now,))


def _violation(
    measure: GateMeasure,
    value: float,
    threshold: float,
    recorded: float | None,
    *,
    at: GateValue | None = None,
    parts: Sequence[GatePart] = (),
) -> GateViolation:
    bound = "under" if measure.is_better_high else "over"
    of = f" of {at.name or at.file}" if at else ""
    before = "" if recorded is None else f", and was {show_cell(recorded)} before"
    name = measure.name.replace("_", " ").replace("percent", "%")
    return GateViolation(
        check=measure.threshold_name,
        message=f"{name}{of} is {show_cell(value)}, {bound} {show_cell(threshold)}{before}",
        file=at and at.file,
        line=at and at.line,
        end_line=at and at.end_line,
        name=at and at.name,
        value=value,
        threshold=threshold,
        recorded=recorded,
        parts=list(parts),
    )


def _worst_parts(measure: GateMeasure, parts: Sequence[GateValue]) -> list[GatePart]:
    """Return the parts that add most, or lack most where the value should be high."""
    ranked = sorted(
        ((it.whole - it.value if measure.is_better_high else it.value, it) for it in parts),
        key=lambda pair: (-pair[0], pair[1].place),
    )
    return [
        GatePart(file=it.file, line=it.line, name=it.name, value=amount)
        for amount, it in ranked[:_MAX_PARTS]
        if amount > 0
    ]


def _order(violation: GateViolation) -> tuple[float, float, str, str, int, str]:
    measure = MEASURES[violation.check]
    size = violation.value if measure.is_better_high else -violation.value
    place = (violation.file or "", violation.line or 0, violation.name or "")
    return -measure.excess(violation.value, violation.threshold), size, violation.check, *place
