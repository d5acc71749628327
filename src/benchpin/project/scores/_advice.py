"""What a recommendation is, and how urgent and how large it is."""

from collections.abc import Collection, Mapping, Sequence

from benchpin.core.results import Item
from benchpin.project import Findings

from ._hotspots import Priority

PRIORITIES: tuple[Priority, ...] = ("High", "Medium", "Low")
_MAX_EVIDENCE = 5
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
