"""The scorecard of a project: parts from 0 to 100, their weighted mean, and hours of debt.

Every part is a measured value; its score is the share of public projects that have a worse one, by
the table in `_quantiles`. Coverage and defects are shares of the code. A part that was not measured
has no score, says why, and leaves its weight to the others.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple, get_args

from benchpin.core.results import Item
from benchpin.measures import complexity
from benchpin.measures.complexity import mean_ease
from benchpin.measures.coverage import share_of_all
from benchpin.measures.debt import SEVERITIES, Severity
from benchpin.present import Column, Table
from benchpin.project import Findings

from ._parts import imports_between
from ._quantiles import PROJECTS, PartName, standing, usual_range

DebtName = Literal["complexity", "debt_comments", "duplication", "dead_code"]

COMMENT_HOURS: dict[Severity, float] = {"Critical": 4.0, "High": 2.0, "Medium": 1.0, "Low": 0.5}
# The time to fix one duplicated line.
CLONE_MINUTES = 1
# The time to remove one dead function, method or type.
DEAD_MINUTES = 10
_MINUTES = 60
_NO_CODE = "there is no code"


class ScorePart(Item):
    """One part of the score."""

    name: PartName
    weight: float
    """Of all parts together, before the others are scaled up for what was not measured."""
    score: float | None
    """From 0 to 100; None when it was not measured.

    62 is better than 62 % of public projects; of coverage and defects it is a share of the code.
    """
    value: float | None
    """What was measured, in the unit of `usual`."""
    usual: str
    """The values of the middle half of public projects, with their unit; empty without a table."""
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
    """The health of the selected files."""

    overall_health: float | None
    """From 0 to 100: the weighted mean of the parts; None when nothing was measured."""
    complexity_score: float | None
    maintainability_index: float | None
    """The mean of the files' index, weighted by their lines of code; not spread."""
    technical_debt_hours: float | None
    """The sum of the hours that were measured."""
    measured_weight: float
    """The weight of the parts that were measured, from 0 to 1."""
    files: int
    code_lines: int
    parts: list[ScorePart]
    debt: list[DebtPart]

    def lines(self) -> Iterator[str]:
        """Yield it in two lines; nothing where nothing was scored."""
        if self.overall_health is None:
            return
        of = f"60 means better than 60 % of {PROJECTS} public projects"
        yield f"health {self.overall_health:.0f} of 100, the mean of its parts ({of})"
        named = [(it.name.replace("_", " "), it.score) for it in self.parts]
        known = [f"{name} {score:.0f}" for name, score in named if score is not None]
        unknown = [name for name, score in named if score is None]
        lacks = f"; not measured: {', '.join(unknown)}" if unknown else ""
        yield f"  {', '.join(known)}{lacks}"


SCORECARD_TABLES: tuple[Table[Any, Any], ...] = (
    Table(
        rows=lambda it: it.quality_scorecard.parts,
        columns=(
            Column("name"),
            Column("score"),
            Column("value"),
            Column("usual"),
            Column("weight"),
            Column("basis"),
        ),
        title="Scorecard",
        is_detail=True,
    ),
    Table(
        rows=lambda it: it.quality_scorecard.debt,
        columns=(Column("name"), Column("hours"), Column("basis")),
        title="Hours of debt, by convention",
        is_detail=True,
    ),
)


class _Scored(NamedTuple):
    """The value of a part and the hours of debt in it; None with the reason as their basis."""

    value: float | None
    basis: str
    hours: float | None = None
    hours_basis: str = ""


def _unmeasured(reason: str) -> _Scored:
    return _Scored(None, reason, None, reason)


def score_project(found: Findings) -> Scorecard:
    """Return the scorecard of a project; without scores where only some files were read."""
    read = len(found.files)
    late = f"there was time for {read:,} of {read + found.unread_files:,} files only"
    scored = {
        name: _unmeasured(late) if found.unread_files else part(found)
        for name, (_, part) in _PARTS.items()
    }
    scores = {
        name: None if it.value is None else standing(name, it.value) for name, it in scored.items()
    }
    parts = [
        ScorePart(
            name=name,
            weight=_PARTS[name][0],
            score=_round(scores[name]),
            value=None if it.value is None else round(it.value, 3),
            usual=usual_range(name),
            basis=it.basis,
        )
        for name, it in scored.items()
    ]
    debt = [
        DebtPart(name=name, hours=_round(scored[name].hours), basis=scored[name].hours_basis)
        for name in get_args(DebtName)
    ]
    known = [(_PARTS[name][0], score) for name, score in scores.items() if score is not None]
    hours = [it.hours for it in debt if it.hours is not None]
    return Scorecard(
        overall_health=_round(_mean(known)),
        complexity_score=_round(scores["complexity"]),
        maintainability_index=_round(scored["maintainability"].value),
        technical_debt_hours=_round(math.fsum(hours)) if hours else None,
        measured_weight=round(math.fsum(weight for weight, _ in known), 2),
        files=len(found.files),
        code_lines=_code_lines(found),
        parts=parts,
        debt=debt,
    )


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _code_lines(found: Findings) -> int:
    return sum(it.code_lines for it in found.code_summaries)


def _mean(weighted: Sequence[tuple[float, float]]) -> float | None:
    """Return the mean of weights and values; None where there are none."""
    total = math.fsum(weight for weight, _ in weighted)
    return math.fsum(weight * value for weight, value in weighted) / total if total else None


def _complexity(found: Findings) -> _Scored:
    if "complexity" not in found.wanted:
        return _unmeasured(found.why_not("complexity"))
    files = found.code_summaries
    score = mean_ease(
        chain.from_iterable(it.ease for it in files), sum(it.function_lines for it in files)
    )
    over, functions = len(found.first_of_each(found.violations)), sum(len(it.ease) for it in files)
    basis = f"{over:,} of {functions:,} functions are over a threshold"
    hours = complexity.hours_to_fix(found.violations)
    violations = f"{len(found.violations):,} violations"
    return _Scored(
        score,
        "there are no functions" if score is None else basis,
        hours,
        f"{violations}, 15 minutes a point over a threshold, 30 if far, 8 hours a function at most",
    )


def _maintainability(found: Findings) -> _Scored:
    if "complexity" not in found.wanted:
        return _unmeasured(found.why_not("complexity"))
    score = _mean([(it.code_lines, it.maintainability) for it in found.code_summaries])
    if score is None:
        return _Scored(None, _NO_CODE)
    files = f"{len(found.files):,} files, weighted by lines of code"
    return _Scored(score, f"the mean index of {files}, is {score:.1f}")


def _duplication(found: Findings) -> _Scored:
    if found.duplicates is None:
        return _unmeasured(found.why_not("duplicates"))
    paths = {file.path for file in found.files}
    cloned = sum(it.duplicated_lines for it in found.duplicates.files if it.file in paths)
    lines = sum(it.lines for it in found.code_summaries)
    return _Scored(
        100 * cloned / lines if lines else None,
        f"{cloned:,} of {lines:,} lines are duplicated" if lines else _NO_CODE,
        cloned * CLONE_MINUTES / _MINUTES,
        f"{cloned:,} lines · {CLONE_MINUTES} minute",
    )


def _coverage(found: Findings) -> _Scored:
    covered = found.covered or {}
    known = [covered[file.path] for file in found.files if file.path in covered]
    share = share_of_all(known)
    if share is None:
        return _unmeasured(found.why_not("coverage"))
    return _Scored(100 * share, f"tests run {share:.1%} of what can run in {len(known):,} files")


def _modularity(found: Findings) -> _Scored:
    """Score how far the imports between the parts of a project lead one way.

    Cycles of the files of one part are usual in Rust, Java and Python, and tie nothing together.
    """
    if found.graph is None:
        return _unmeasured(found.why_not("graph"))
    between = {ends: len(edges) for ends, edges in imports_between(found.graph).items()}
    if not between:
        return _unmeasured("none of its parts imports another")
    total = sum(between.values())
    back = sum(min(count, between.get((it[1], it[0]), 0)) for it, count in between.items()) // 2
    basis = f"{back:,} of {total:,} imports between its parts lead back"
    return _Scored(100 * back / total, basis)


def _debt_comments(found: Findings) -> _Scored:
    if found.debt is None:
        return _unmeasured(found.why_not("debt"))
    paths = {file.path for file in found.files}
    counts = Counter(it.severity for it in found.debt.items if it.file in paths)
    hours = math.fsum(COMMENT_HOURS[severity] * count for severity, count in counts.items())
    terms = [f"{counts[it]:,} {it} · {COMMENT_HOURS[it]:g} h" for it in SEVERITIES if counts[it]]
    hours_basis = " + ".join(terms) or "no comment admits any"
    lines = _code_lines(found)
    if not lines:
        return _Scored(None, _NO_CODE, hours, hours_basis)
    rate = 1000 * hours / lines
    basis = f"{counts.total():,} comments, {rate:.2f} hours for 1,000 lines of code"
    return _Scored(rate, basis, hours, hours_basis)


def _dead_code(found: Findings) -> _Scored:
    if found.dead_code is None:
        return _unmeasured(found.why_not("dead_code"))
    dead, total = found.dead_code.summary.dead_lines, found.dead_code.summary.total_lines
    count = len(found.dead_code.items)
    return _Scored(
        100 * dead / total if total else None,
        f"{dead:,} of {total:,} lines are dead" if total else _NO_CODE,
        count * DEAD_MINUTES / _MINUTES,
        f"{count:,} functions, methods and types · {DEAD_MINUTES} minutes",
    )


def _defects(found: Findings) -> _Scored:
    risks = found.defects or {}
    files = [file for file in found.files if file.path in risks]
    mean = _mean([(found.code_sizes[file.path], risks[file.path]) for file in files])
    if mean is None:
        return _unmeasured(found.why_not("defects"))
    basis = (
        f"of {len(files):,} files, those with {mean:.1%} of the code are expected to need a bug "
        "fix within a year"
    )
    return _Scored(100 * mean, basis)


# The weight of each part, and how it is scored.
_PARTS: Mapping[PartName, tuple[float, Callable[[Findings], _Scored]]] = {
    "complexity": (0.30, _complexity),
    "maintainability": (0.15, _maintainability),
    "duplication": (0.15, _duplication),
    "coverage": (0.15, _coverage),
    "modularity": (0.10, _modularity),
    "debt_comments": (0.05, _debt_comments),
    "dead_code": (0.05, _dead_code),
    "defects": (0.05, _defects),
}
