"""Hotspots: functions that are hard to follow, in files that change, that tests do not run."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from benchpin.core.results import Item
from benchpin.measures import complexity
from benchpin.measures.complexity import ComplexityViolation, over_threshold
from benchpin.present import Column, Table
from benchpin.project import Findings

Priority = Literal["High", "Medium", "Low"]
TermName = Literal["complexity", "churn", "uncovered"]

_HIGH_FROM = 0.5
_MEDIUM_FROM = 0.25
_HOURS_BASIS = "15 minutes a point over a complexity threshold, 30 from twice the threshold on"


class Location(Item):
    """A function in a file."""

    file: str
    line: int
    end_line: int
    function: str


class HotspotTerm(Item):
    """One factor of the score."""

    name: TermName
    value: float | None
    """From 0 to 1; None when it was not measured."""
    basis: str
    """The values that it is made of, or why there are none."""


class RefactoringEffort(Item):
    """What it would take."""

    estimated_hours: float
    priority: Priority
    basis: str


class Hotspot(Item):
    """A function that is worth the work, and why."""

    location: Location
    composite_score: float
    """From 0 to 1: the geometric mean of the terms that were measured."""
    refactoring_effort: RefactoringEffort
    terms: list[HotspotTerm]


def find_hotspots(found: Findings) -> list[Hotspot]:
    """Return the functions over a complexity threshold, the hottest first.

    What did not change in the period, or is covered in full, is no hotspot. Where nothing but the
    complexity is known, nothing is urgent.
    """
    by_place = defaultdict[tuple[str, int, str], list[ComplexityViolation]](list)
    for violation in found.violations:
        by_place[violation.file, violation.line, violation.function].append(violation)
    spots = (_hotspot(violations, found) for violations in by_place.values())
    return sorted((it for it in spots if it.composite_score > 0), key=_order)


def _order(hotspot: Hotspot) -> tuple[float, float, str, int]:
    where = hotspot.location
    return (
        -hotspot.composite_score,
        -hotspot.refactoring_effort.estimated_hours,
        where.file,
        where.line,
    )


def _hotspot(violations: list[ComplexityViolation], found: Findings) -> Hotspot:
    first = violations[0]
    path = first.file
    terms = [_complexity(first), _churn(path, found), _uncovered(path, found)]
    known = [it.value for it in terms if it.value is not None]
    score = math.prod(known) ** (1 / len(known))
    return Hotspot(
        location=Location(
            file=path, line=first.line, end_line=first.end_line, function=first.function
        ),
        composite_score=round(score, 4),
        refactoring_effort=RefactoringEffort(
            estimated_hours=complexity.hours_to_fix(violations),
            priority=priority_of(score) if len(known) > 1 else "Medium",
            basis=_HOURS_BASIS,
        ),
        terms=terms,
    )


def priority_of(score: float) -> Priority:
    """Return the band that a score falls into."""
    if score >= _HIGH_FROM:
        return "High"
    return "Medium" if score >= _MEDIUM_FROM else "Low"


def _complexity(violation: ComplexityViolation) -> HotspotTerm:
    ratio = over_threshold(violation.cyclomatic, violation.cognitive)
    basis = f"cyclomatic {violation.cyclomatic}, cognitive {violation.cognitive}"
    return HotspotTerm(name="complexity", value=round(ratio / (1 + ratio), 4), basis=basis)


def _churn(path: str, found: Findings) -> HotspotTerm:
    if found.churn_by_path is None:
        return HotspotTerm(name="churn", value=None, basis=found.why_not("churn"))
    churn = found.churn_by_path.get(path)
    commits, score = (0, 0.0) if churn is None else (churn.commit_count, churn.churn_score)
    basis = f"{commits} {'commit' if commits == 1 else 'commits'} in {found.period_days} days"
    return HotspotTerm(name="churn", value=round(score, 4), basis=basis)


def _uncovered(path: str, found: Findings) -> HotspotTerm:
    share = None if found.coverage is None else found.coverage.get(path)
    if share is not None:
        basis = f"{share:.1%} covered"
        return HotspotTerm(name="uncovered", value=round(1 - share, 4), basis=basis)
    is_missing = found.coverage is None
    basis = found.why_not("coverage") if is_missing else "the file is not in the coverage report"
    return HotspotTerm(name="uncovered", value=None, basis=basis)


PRIORITIES: tuple[Priority, ...] = ("High", "Medium", "Low")


_MAX_EVIDENCE = 5
_MAX_EVIDENCE_CHARS = 160


_HIGH_IMPACT = 0.10


_MEDIUM_IMPACT = 0.02


_SECONDS = 3600


class EvidencePlace(Item):
    """A place that a recommendation is based on."""

    file: str
    line: int
    what: str
    """What was measured there, with the number."""


class Effort(Item):
    """How long it may take, by a convention that was never checked against time spent."""

    secs: int
    basis: str


class Recommendation(Item):
    """Something to do, and why."""

    rule: str
    title: str
    description: str
    priority: Priority
    estimated_effort: Effort
    impact: Priority
    """By the share of the code, or of the changed lines, that it is about."""
    evidence: list[EvidencePlace]
    """The first places."""
    evidence_total: int


def advise(
    found: Findings,
    rule: str,
    title: str,
    description: str,
    *,
    priority: Priority,
    hours: float,
    basis: str,
    evidence: Sequence[tuple[str, int, str]],
    share: float | None = None,
) -> list[Recommendation]:
    """Return one recommendation; none without evidence, which is a file, a line and a text each.

    `share` is how much of the code it is about, from 0 to 1: by default that of the named files.
    """
    if not evidence:
        return []
    size = _share_of({file for file, _, _ in evidence}, found) if share is None else share
    return [
        Recommendation(
            rule=rule,
            title=title,
            description=description,
            priority=priority,
            estimated_effort=Effort(secs=round(hours * _SECONDS), basis=basis),
            impact=_impact(size),
            evidence=[
                EvidencePlace(file=file, line=line, what=what)
                for file, line, what in evidence[:_MAX_EVIDENCE]
            ],
            evidence_total=len(evidence),
        )
    ]


def _impact(share: float) -> Priority:
    if share >= _HIGH_IMPACT:
        return "High"
    return "Medium" if share >= _MEDIUM_IMPACT else "Low"


def _share_of(paths: Collection[str], found: Findings) -> float:
    """Return the share of the code, or of the changed lines if that is more, in some files."""
    return max(_share(paths, found.code_sizes), _share(paths, found.change_sizes))


def _share(paths: Collection[str], sizes: Mapping[str, int]) -> float:
    total = sum(sizes.values())
    return sum(sizes.get(path, 0) for path in paths) / total if total else 0.0


def _evidence(recommendation: Recommendation) -> str:
    places = [
        f"{one.file}:{one.line} {one.what}"[:_MAX_EVIDENCE_CHARS] for one in recommendation.evidence
    ]
    more = recommendation.evidence_total - len(recommendation.evidence)
    return "; ".join([*places, *([f"{more:,} more"] if more else [])])


RECOMMENDATIONS: Table[Any, Recommendation] = Table(
    rows=lambda it: it.recommendations,
    columns=(
        Column("priority", is_severity=True),
        Column("title", heading="what"),
        Column("location", lambda it: f"{it.evidence[0].file}:{it.evidence[0].line}"),
        Column("impact", is_detail=True),
        Column(
            "hours", lambda it: it.estimated_effort.secs / _SECONDS, spec=",.1f", is_detail=True
        ),
        Column("description", is_below=True),
        Column("evidence", _evidence, is_below=True),
    ),
    title="What to do first",
    summary_rows=3,
    is_page=True,
)
HOTSPOTS: Table[Any, Hotspot] = Table(
    rows=lambda it: it.hotspots,
    columns=(
        Column("score", lambda it: it.composite_score),
        Column("priority", lambda it: it.refactoring_effort.priority, is_severity=True),
        Column("location", lambda it: f"{it.location.file}:{it.location.line}"),
        Column("function", lambda it: it.location.function),
        Column(
            "terms",
            lambda it: "; ".join(term.basis for term in it.terms if term.value is not None),
        ),
        Column("hours", lambda it: it.refactoring_effort.estimated_hours),
    ),
    title=lambda it: f"Hotspots: {len(it.hotspots):,} of {it.hotspots_total:,}",
    is_detail=True,
)
