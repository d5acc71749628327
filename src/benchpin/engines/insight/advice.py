"""What a recommendation is, and how urgent and weighty it is."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from benchpin.core import Item

from .findings import Findings

Level = Literal["High", "Medium", "Low"]
LEVELS: tuple[Level, ...] = ("High", "Medium", "Low")
MOST_EVIDENCE = 5
MOST_OF_A_RULE = 5

_WEIGHTY = 0.10
_NOTICEABLE = 0.02
_SECONDS = 3600


class Evidence(Item):
    """A place that a recommendation rests on."""

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
    priority: Level
    estimated_effort: Effort
    impact: Level
    """By the share of the code, or of the changed lines, that it is about."""
    evidence: list[Evidence]
    """The first places."""
    evidence_total: int


def advise(
    found: Findings,
    rule: str,
    title: str,
    description: str,
    *,
    priority: Level,
    hours: float,
    basis: str,
    evidence: Sequence[Evidence],
    share: float | None = None,
) -> Recommendation:
    """Make a recommendation; `share` is how much of the code it is about, if less than files."""
    weight = share_of({it.file for it in evidence}, found) if share is None else share
    return Recommendation(
        rule=rule,
        title=title,
        description=description,
        priority=priority,
        estimated_effort=Effort(secs=round(hours * _SECONDS), basis=basis),
        impact=_impact(weight),
        evidence=list(evidence[:MOST_EVIDENCE]),
        evidence_total=len(evidence),
    )


def _impact(share: float) -> Level:
    if share >= _WEIGHTY:
        return "High"
    return "Medium" if share >= _NOTICEABLE else "Low"


def share_of(paths: Collection[str], found: Findings) -> float:
    """Return the share of the code, or of the changed lines if that is more, in some files."""
    sizes = {file.path: file.outline.code_lines for file in found.code}
    churned = found.churn_by_path or {}
    changes = {
        path: (it.additions or 0) + (it.deletions or 0)
        for path, it in churned.items()
        if path in sizes
    }
    return max(_share(paths, sizes), _share(paths, changes))


def _share(paths: Collection[str], sizes: Mapping[str, int]) -> float:
    total = sum(sizes.values())
    return sum(sizes.get(path, 0) for path in paths) / total if total else 0.0
