"""Hold a project's measures against thresholds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from benchpin.engines.insight.project import OUT_OF_TIME, Project

from .baseline import Baseline, Known, record
from .changes import Changes
from .measures import MEASURES, Measure
from .readings import Place, Reading, remark, take, total

Status = Literal["passed", "failed", "not_measured"]
CheckStatus = Status | Literal["told"]
"""What is over its threshold but does not count, as nobody says that it got worse, is told."""
_TOLD = "told, not judged: diff judges functions, and what is named in checks"
_MOST_PARTS = 10


@dataclass(frozen=True, slots=True)
class Violation:
    """A value that a threshold does not let pass."""

    measure: Measure
    value: float
    threshold: float
    place: Place | None
    """None for the project as a whole."""
    recorded: float | None = None
    """What the baseline has for it, if it got worse."""
    parts: tuple[Reading, ...] = ()
    """What adds most to the value of a project, or lacks most where it should be high."""

    @property
    def message(self) -> str:
        """What is wrong, in a sentence."""
        bound = "under" if self.measure.is_better_high else "over"
        of = f" of {self.place.name or self.place.file}" if self.place else ""
        before = "" if self.recorded is None else f", and was {shown(self.recorded)} before"
        name = self.measure.name.replace("_", " ").replace("percent", "%")
        return f"{name}{of} is {shown(self.value)}, {bound} {shown(self.threshold)}{before}"


@dataclass(frozen=True, slots=True)
class Check:
    """One threshold, and what came of it."""

    measure: Measure
    threshold: float
    status: CheckStatus
    reason: str = ""
    """Why it was not measured, or what else is to know."""
    value: float | None = None
    """Of the project; for functions and files the worst one."""
    measured: int = 0
    """How many functions, files or parts of the project were looked at."""
    violations: tuple[Violation, ...] = ()
    known: int = 0
    """Violations that the baseline has."""
    mended: tuple[Known, ...] = ()
    records: tuple[Known, ...] = ()
    """What a baseline that is written now has for it."""


@dataclass(frozen=True, slots=True)
class Gate:
    """All checks."""

    checks: list[Check]
    is_strict: bool
    """Whether what was not measured fails."""
    unmeasured_files: str = ""
    """How many files have no numbers, and why the first has none; empty when all have."""

    @property
    def status(self) -> Status:
        """Whether it all passes; what ran out of time, and nothing at all, never does."""
        late = any(it.reason == OUT_OF_TIME for it in self.checks)
        unmeasured = sum(it.status == "not_measured" for it in self.checks)
        is_lacking = bool(unmeasured or self.unmeasured_files)
        if any(it.status == "failed" for it in self.checks) or (self.is_strict and is_lacking):
            return "failed"
        return "not_measured" if late or unmeasured == len(self.checks) else "passed"

    @property
    def violations(self) -> list[Violation]:
        """All of them, the worst first."""
        return sorted((it for check in self.checks for it in check.violations), key=_order)

    def records(self, before: Baseline) -> list[Known]:
        """Return what a baseline should have: what is there, and what was not looked at."""
        measured = {it.measure.threshold_name for it in self.checks if it.status != "not_measured"}
        kept = [it for it in before.violations if it.threshold not in measured]
        return [*kept, *(it for check in self.checks for it in check.records)]


@dataclass(frozen=True, slots=True)
class Terms:
    """What is held against a project."""

    thresholds: Mapping[str, float]
    baseline: Baseline = field(default_factory=Baseline)
    changes: Changes | None = None
    """Only what is among them counts."""
    is_strict: bool = False
    asked: frozenset[str] = frozenset()
    """Thresholds that were asked for by name."""

    def can_fail(self, measure: Measure) -> bool:
        """Whether a value that is too bad fails: among changes, one of a whole file may be old."""
        is_asked = measure.threshold_name in self.asked
        return self.changes is None or measure.scope == "function" or is_asked


def judge(project: Project, terms: Terms) -> Gate:
    """Take the measures that have a threshold, those that take least time first.

    Raises:
        Cancelled: when the job was cancelled.
    """
    wanted = [it for it in MEASURES.values() if it.threshold_name in terms.thresholds]
    checks = [_check(project, it, terms) for it in wanted]
    return Gate(checks, terms.is_strict, _told(project.sources.unmeasured))


def _told(unmeasured: Mapping[str, str]) -> str:
    if not unmeasured:
        return ""
    path, reason = min(unmeasured.items())
    return f"{len(unmeasured):,} files were not measured; the first is {path}: {reason}"


def shown(value: float) -> str:
    """Return a number as people write it."""
    return f"{round(value, 4):,}".removesuffix(".0")


def _check(project: Project, measure: Measure, terms: Terms) -> Check:
    threshold = terms.thresholds[measure.threshold_name]
    taken = take(measure, project)
    if taken.value is None:
        return Check(measure, threshold, "not_measured", taken.reason)
    if measure.scope == "project":
        check = _judge_project(measure, threshold, taken.value, terms)
    else:
        check = _judge_places(measure, threshold, taken.value, terms, _looked_at(project))
    if check.status == "failed" and not terms.can_fail(measure):
        check = replace(check, status="told", reason=_TOLD, violations=())
    return check if check.reason else replace(check, reason=remark(measure, project))


def _looked_at(project: Project) -> Callable[[str], bool]:
    """Return what says whether a file of the baseline is here, or was and is gone."""
    chosen = {file.path for file in project.sources.files}
    root, accepts = project.selection.root, project.selection.accepts
    return lambda path: path in chosen or (accepts(path) and not (root / path).exists())


def _judge_places(
    measure: Measure,
    threshold: float,
    readings: Sequence[Reading],
    terms: Terms,
    accepts: Callable[[str], bool],
) -> Check:
    changes = terms.changes
    over = [it for it in readings if measure.is_worse(it.value, threshold)]
    matching = terms.baseline.match(measure, threshold, readings, accepts)
    among = [it for it in readings if changes is None or changes.touch(it.place)]
    violations = tuple(
        Violation(measure, it.reading.value, threshold, it.reading.place, it.recorded)
        for it in matching.fresh
        if changes is None or changes.touch(it.reading.place)
    )
    worst = min if measure.is_better_high else max
    others = terms.baseline.elsewhere(measure, accepts)
    return Check(
        measure,
        threshold,
        "failed" if violations else "passed",
        reason="" if among else _nothing_changed(terms),
        value=worst((it.value for it in among), default=None),
        measured=len(among),
        violations=tuple(sorted(violations, key=_order)),
        known=matching.known,
        mended=tuple(matching.mended),
        records=(*others, *(record(measure, it, threshold) for it in over)),
    )


def _judge_project(
    measure: Measure, threshold: float, readings: Sequence[Reading], terms: Terms
) -> Check:
    changes = terms.changes
    parts = [it for it in readings if changes is None or changes.touch(it.place)]
    value = total(measure, parts)
    if value is None:
        if changes is None or total(measure, readings) is None:
            return Check(measure, threshold, "not_measured", "there is nothing to measure")
        return Check(measure, threshold, "passed", _nothing_changed(terms))
    recorded = terms.baseline.of_project(measure) if changes is None else None
    check = Check(measure, threshold, "passed", value=value, measured=len(parts))
    if not measure.is_worse(value, threshold):
        if recorded is None or measure.is_worse(value, recorded.limit):
            return check
        return replace(check, mended=(recorded,))
    now = Known(measure.threshold_name, "", "", value, threshold)
    if recorded is not None and not measure.has_worsened(value, recorded.value):
        return replace(check, known=1, records=(now,))
    before = None if recorded is None else recorded.value
    violation = Violation(measure, value, threshold, None, before, _worst_parts(measure, parts))
    return replace(check, status="failed", violations=(violation,), records=(now,))


def _nothing_changed(terms: Terms) -> str:
    revision = "" if terms.changes is None else f" since {terms.changes.revision}"
    return f"nothing that it measures changed{revision}"


def _worst_parts(measure: Measure, parts: Sequence[Reading]) -> tuple[Reading, ...]:
    """Return the parts that weigh most, with what they add, or with what they lack of the whole."""
    if measure.is_better_high:
        parts = [Reading(it.place, it.whole - it.value, it.whole) for it in parts]
    ranked = sorted(parts, key=lambda it: (-it.value, it.place))
    return tuple(it for it in ranked[:_MOST_PARTS] if it.value > 0)


def _order(it: Violation) -> tuple[float, float, str, Place]:
    excess = it.measure.excess(it.value, it.threshold)
    size = it.value if it.measure.is_better_high else -it.value
    return -excess, size, it.measure.threshold_name, it.place or Place("")
