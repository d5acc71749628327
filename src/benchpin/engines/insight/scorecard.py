"""The scorecard of a project: parts from 0 to 100, their weighted mean, and hours of debt.

Every part follows from measures by a formula that docs/metrics.md explains. A part that was not
measured has no score, says why, and leaves its weight to the others. Tests are left out: they
repeat themselves on purpose.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from benchpin.core import Item
from benchpin.engines.metrics import complexity
from benchpin.engines.metrics.debt import SEVERITIES, Severity
from benchpin.engines.metrics.maintainability import measure_file

from .coverage import share_of_all
from .findings import Findings, first_of_each

PartName = Literal[
    "complexity",
    "maintainability",
    "duplication",
    "coverage",
    "modularity",
    "debt_comments",
    "dead_code",
    "defects",
]
DebtName = Literal["complexity", "debt_comments", "duplication", "dead_code"]

_WEIGHTS: dict[PartName, float] = {
    "complexity": 0.30,
    "maintainability": 0.15,
    "duplication": 0.15,
    "coverage": 0.15,
    "modularity": 0.10,
    "debt_comments": 0.05,
    "dead_code": 0.05,
    "defects": 0.05,
}
_DEBT_PER_1000_LINES = 2.0
"""Hours of admitted debt for each 1,000 lines of code that halve the score."""
_DEAD_SHARE = 0.01
"""The share of dead lines that halves the score."""
_CLONED_SHARE = 0.1
"""The share of duplicated lines that halves the score."""
COMMENT_HOURS: dict[Severity, float] = {"Critical": 4.0, "High": 2.0, "Medium": 1.0, "Low": 0.5}
CLONE_MINUTES = 1
"""For each duplicated line."""
DEAD_MINUTES = 10
"""For each dead function, method or type."""
_THRESHOLDS = complexity.Thresholds()
_MINUTES = 60
_NO_CODE = "there is no code"


class Part(Item):
    """One part of the score."""

    name: PartName
    weight: float
    """Of all parts together, before the others are scaled up for what was not measured."""
    score: float | None
    """From 0 to 100; None when it was not measured."""
    basis: str
    """The values that it is made of, or why there are none."""


class DebtPart(Item):
    """Hours of work, by a convention that was never checked against time spent."""

    name: DebtName
    hours: float | None
    """None when it was not measured."""
    basis: str
    """How many, and how long for each."""


class Scorecard(Item):
    """The health of a project, without its tests."""

    overall_health: float | None
    """From 0 to 100: the weighted mean of the parts; None when nothing was measured."""
    complexity_score: float | None
    maintainability_index: float | None
    """The mean of the files' index, weighted by their lines of code."""
    technical_debt_hours: float | None
    """The sum of the hours that were measured."""
    measured_weight: float
    """The weight of the parts that were measured, from 0 to 1."""
    files: int
    code_lines: int
    parts: list[Part]
    debt: list[DebtPart]


@dataclass(frozen=True, slots=True)
class _Scored:
    score: float | None
    basis: str


def score_project(found: Findings) -> Scorecard:
    """Return the scorecard of a project; one of which only a part was read has no scores."""
    if found.unread_files:
        read = len(found.files)
        reason = f"there was time for {read:,} of {read + found.unread_files:,} files only"
        return _unscored(found, reason)
    scored: dict[PartName, _Scored] = {
        "complexity": _complexity(found),
        "maintainability": _maintainability(found),
        "duplication": _duplication(found),
        "coverage": _coverage(found),
        "modularity": _modularity(found),
        "debt_comments": _debt_comments(found),
        "dead_code": _dead_code(found),
        "defects": _defects(found),
    }
    debt = [_complexity_debt(found), _comment_debt(found), _clone_debt(found), _dead_debt(found)]
    return _scorecard(found, scored, debt)


def _unscored(found: Findings, reason: str) -> Scorecard:
    debt = [DebtPart(name=name, hours=None, basis=reason) for name in get_args(DebtName)]
    return _scorecard(found, dict.fromkeys(_WEIGHTS, _Scored(None, reason)), debt)


def _scorecard(
    found: Findings, scored: Mapping[PartName, _Scored], debt: list[DebtPart]
) -> Scorecard:
    known = [(_WEIGHTS[name], it.score) for name, it in scored.items() if it.score is not None]
    hours = [it.hours for it in debt if it.hours is not None]
    return Scorecard(
        overall_health=_round(_mean(known)),
        complexity_score=_round(scored["complexity"].score),
        maintainability_index=_round(scored["maintainability"].score),
        technical_debt_hours=_round(math.fsum(hours)) if hours else None,
        measured_weight=round(math.fsum(weight for weight, _ in known), 2),
        files=len(found.code),
        code_lines=_code_lines(found),
        parts=[
            Part(name=name, weight=_WEIGHTS[name], score=_round(it.score), basis=it.basis)
            for name, it in scored.items()
        ],
        debt=debt,
    )


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _code_lines(found: Findings) -> int:
    return sum(file.outline.code_lines for file in found.code)


def _mean(weighted: Sequence[tuple[float, float]]) -> float | None:
    """Return the mean of weights and values; None where there are none."""
    total = math.fsum(weight for weight, _ in weighted)
    return math.fsum(weight * value for weight, value in weighted) / total if total else None


def _falling(value: float, half: float) -> float:
    """Return 100 for 0, 50 for the value that is named, and less and less without an end."""
    return 100 / (1 + value / half)


def over_threshold(cyclomatic: int, cognitive: int) -> float:
    """Return how complex a function is: 1 is right at a threshold."""
    return max(cyclomatic / _THRESHOLDS.cyclomatic, cognitive / _THRESHOLDS.cognitive)


def _complexity(found: Findings) -> _Scored:
    if "complexity" not in found.wanted:
        return _Scored(None, found.why_not("complexity"))
    functions = [it for file in found.code for it in file.outline.functions]
    score = _mean(
        [
            (float(it.code_lines), _falling(over_threshold(it.cyclomatic, it.cognitive), 1.0))
            for it in functions
        ]
    )
    if score is None:
        return _Scored(None, "there are no functions")
    over = len(first_of_each(found.violations))
    return _Scored(score, f"{over:,} of {len(functions):,} functions are over a threshold")


def _maintainability(found: Findings) -> _Scored:
    if "complexity" not in found.wanted:
        return _Scored(None, found.why_not("complexity"))
    lines = _code_lines(found)
    if not lines:
        return _Scored(None, _NO_CODE)
    total = math.fsum(
        measure_file(file.outline).maintainability_index * file.outline.code_lines
        for file in found.code
    )
    basis = f"the mean index of {len(found.code):,} files, weighted by lines of code"
    return _Scored(total / lines, basis)


def _cloned_lines(found: Findings) -> tuple[int, int]:
    """Return how many lines are duplicated, and how many there are."""
    paths = {file.path for file in found.code}
    shares = found.duplicates.files if found.duplicates is not None else ()
    cloned = sum(it.duplicated_lines for it in shares if it.file in paths)
    return cloned, sum(file.outline.lines for file in found.code)


def _duplication(found: Findings) -> _Scored:
    if found.duplicates is None:
        return _Scored(None, found.why_not("duplicates"))
    cloned, lines = _cloned_lines(found)
    if not lines:
        return _Scored(None, _NO_CODE)
    basis = f"{cloned:,} of {lines:,} lines are duplicated"
    return _Scored(_falling(cloned / lines, _CLONED_SHARE), basis)


def _weighted(found: Findings, values: Mapping[str, float]) -> tuple[float, int] | None:
    """Return the mean over files, weighted by lines of code, and of how many files it is."""
    known = [
        (float(file.outline.code_lines), values[file.path])
        for file in found.code
        if file.path in values
    ]
    mean = _mean(known)
    return None if mean is None else (mean, len(known))


def _coverage(found: Findings) -> _Scored:
    covered = found.covered or {}
    known = [covered[file.path] for file in found.code if file.path in covered]
    share = share_of_all(known)
    if share is None:
        return _Scored(None, found.why_not("coverage"))
    return _Scored(100 * share, f"tests run {share:.1%} of what can run in {len(known):,} files")


def _modularity(found: Findings) -> _Scored:
    if found.graph is None or found.cycles is None:
        return _Scored(None, found.why_not("graph"))
    if not found.graph.edges:
        return _Scored(None, "no import leads from one file to another")
    files = [file.path for file in found.code]
    tangled = {path for cycle in found.cycles for path in cycle.files}.intersection(files)
    basis = f"{len(tangled):,} of {len(files):,} files are in import cycles"
    return _Scored(100 * (1 - len(tangled) / len(files)), basis)


def _severities(found: Findings) -> Counter[Severity]:
    paths = {file.path for file in found.code}
    items = found.debt.items if found.debt is not None else ()
    return Counter(it.severity for it in items if it.file in paths)


def _comment_hours(found: Findings) -> float:
    return math.fsum(COMMENT_HOURS[name] * count for name, count in _severities(found).items())


def _debt_comments(found: Findings) -> _Scored:
    if found.debt is None:
        return _Scored(None, found.why_not("debt"))
    lines = _code_lines(found)
    if not lines:
        return _Scored(None, _NO_CODE)
    rate = 1000 * _comment_hours(found) / lines
    basis = f"{_severities(found).total():,} comments, {rate:.2f} hours for 1,000 lines of code"
    return _Scored(_falling(rate, _DEBT_PER_1000_LINES), basis)


def _dead_code(found: Findings) -> _Scored:
    if found.dead_code is None:
        return _Scored(None, found.why_not("dead_code"))
    summary = found.dead_code.summary
    if not summary.total_lines:
        return _Scored(None, _NO_CODE)
    share = summary.dead_lines / summary.total_lines
    basis = f"{summary.dead_lines:,} of {summary.total_lines:,} lines are dead"
    return _Scored(_falling(share, _DEAD_SHARE), basis)


def _defects(found: Findings) -> _Scored:
    mean = None if found.defects is None else _weighted(found, found.defects)
    if mean is None:
        return _Scored(None, found.why_not("defects"))
    probability, files = mean
    basis = (
        f"of {files:,} files, those with {probability:.1%} of the code are expected to need a bug "
        "fix within a year"
    )
    return _Scored(100 * (1 - probability), basis)


def _complexity_debt(found: Findings) -> DebtPart:
    if "complexity" not in found.wanted:
        return DebtPart(name="complexity", hours=None, basis=found.why_not("complexity"))
    hours = complexity.summarize(found.code, found.violations).technical_debt_hours
    basis = f"{len(found.violations):,} violations, 15 minutes a point over a threshold, 30 if far"
    return DebtPart(name="complexity", hours=hours, basis=basis)


def _comment_debt(found: Findings) -> DebtPart:
    if found.debt is None:
        return DebtPart(name="debt_comments", hours=None, basis=found.why_not("debt"))
    counts = _severities(found)
    terms = [f"{counts[it]:,} {it} · {COMMENT_HOURS[it]:g} h" for it in SEVERITIES if counts[it]]
    basis = " + ".join(terms) or "no comment admits any"
    return DebtPart(name="debt_comments", hours=_round(_comment_hours(found)), basis=basis)


def _clone_debt(found: Findings) -> DebtPart:
    if found.duplicates is None:
        return DebtPart(name="duplication", hours=None, basis=found.why_not("duplicates"))
    cloned, _ = _cloned_lines(found)
    basis = f"{cloned:,} lines · {CLONE_MINUTES} minute"
    return DebtPart(
        name="duplication", hours=_round(cloned * CLONE_MINUTES / _MINUTES), basis=basis
    )


def _dead_debt(found: Findings) -> DebtPart:
    if found.dead_code is None:
        return DebtPart(name="dead_code", hours=None, basis=found.why_not("dead_code"))
    count = len(found.dead_code.items)
    basis = f"{count:,} functions, methods and types · {DEAD_MINUTES} minutes"
    return DebtPart(name="dead_code", hours=_round(count * DEAD_MINUTES / _MINUTES), basis=basis)
