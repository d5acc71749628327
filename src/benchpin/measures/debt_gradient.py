"""The technical debt gradient: a score for how fast a file accumulates debt, with its terms.

The score is the weighted mean of five terms, each from 0 to 5. A term that was not measured is left
out with its reason, and the weights of the others are scaled up to one.
"""

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from benchpin.core.text import counted
from benchpin.measures.names import split_identifier

Severity = Literal["critical", "warning", "normal"]
TermName = Literal["complexity", "churn", "coupling", "domain_risk", "duplication"]

# The period whose commits count.
CHURN_DAYS = 90
CRITICAL_ABOVE = 2.5
WARNING_ABOVE = 1.5
MAX_GRADIENT = 5.0
HOURS_BASIS = "2 · 1.8^score hours: a convention that was never checked against time spent"

_WEIGHTS: dict[TermName, float] = {
    "complexity": 0.30,
    "churn": 0.35,
    "coupling": 0.15,
    "domain_risk": 0.10,
    "duplication": 0.10,
}
_MANY_IMPORTS = 20
_SECRETS = frozenset(
    {
        "auth",
        "authentication",
        "authn",
        "authorization",
        "authz",
        "crypto",
        "cryptography",
        "oauth",
        "security",
    }
)
_STORES = frozenset({"database", "databases", "migration", "migrations"})
_BORDERS = frozenset({"api", "apis", "integration", "integrations"})
_ValueAndBasis = tuple[float | None, str]
_RISKS = ((2.0, _SECRETS), (1.5, _STORES), (1.0, _BORDERS))


class Coupling(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How a file depends on the others of the project."""

    depends_on: int
    """How many of them it uses."""
    dependents: int
    """How many of them use it."""


class FileInputs(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The measures of a file; None for those that were not taken."""

    path: str
    cyclomatic: tuple[int, ...]
    """The complexity of each of its functions."""
    code_lines: int
    commits: int | None = None
    """In the last 90 days."""
    coupling: Coupling | None = None
    duplication: float | None = None
    """The share of its lines that are duplicated, from 0 to 1."""


# Data classes, not models: a project has one for every file, and keeps them from call to call.
@dataclass(frozen=True, slots=True)
class Term:
    """One term of the score."""

    name: TermName
    weight: float
    """The nominal weight; all five add up to 1."""
    value: float | None
    """From 0 to 5; None if it was not measured."""
    contribution: float | None
    """What it adds to the score."""
    basis: str
    """The values that it was computed from, or why there are none."""


@dataclass(frozen=True, slots=True)
class DebtGradient:
    """How fast a file accumulates debt, and why."""

    file: str
    score: float
    """From 0 to 5."""
    severity: Severity
    estimated_hours: float
    hours_basis: str
    measured_weight: float
    """The weight of the terms that were measured, from 0 to 1."""
    terms: list[Term]


@dataclass(frozen=True, slots=True)
class RankedGradients:
    """The gradient of every file, highest first."""

    ranked: list[DebtGradient]
    inputs: list[FileInputs]
    """What each was computed from, in the same order."""


def gather_inputs(
    functions: Mapping[str, tuple[tuple[int, ...], int]],
    commits: Mapping[str, int] | None,
    coupling: Mapping[str, Coupling] | None,
    duplication: Mapping[str, float] | None,
) -> list[FileInputs]:
    """Collect the measures of each file; None for a measure that was not taken.

    `functions` are the cyclomatic complexities in each file and its lines of code, by path. A file
    that is missing in `commits` is not under version control.
    """
    return [
        FileInputs(
            path,
            cyclomatic,
            code_lines,
            None if commits is None else commits.get(path),
            None if coupling is None else coupling.get(path),
            None if duplication is None else duplication.get(path),
        )
        for path, (cyclomatic, code_lines) in functions.items()
    ]


def rank_gradients(
    files: Iterable[FileInputs], before: RankedGradients | None = None
) -> RankedGradients:
    """Return the gradient of every file; those whose inputs are as before are taken from there."""
    known = (
        {}
        if before is None
        else {
            file.path: (file, gradient)
            for file, gradient in zip(before.inputs, before.ranked, strict=True)
        }
    )
    found: list[tuple[FileInputs, DebtGradient]] = []
    for file in files:
        same = known.get(file.path)
        is_same = same is not None and same[0] == file
        found.append(same if same is not None and is_same else (file, debt_gradient(file)))
    found.sort(key=lambda it: (-it[1].score, it[1].file))
    return RankedGradients([gradient for _, gradient in found], [file for file, _ in found])


def debt_gradient(file: FileInputs) -> DebtGradient:
    """Return the gradient of one file."""
    measured: dict[TermName, _ValueAndBasis] = {
        "complexity": _complexity(file),
        "churn": _churn(file.commits),
        "coupling": _coupling(file.coupling),
        "domain_risk": _domain_risk(file.path),
        "duplication": _duplication(file.duplication),
    }
    known = math.fsum(_WEIGHTS[it] for it, (value, _) in measured.items() if value is not None)
    terms = [_term(name, value, basis, known) for name, (value, basis) in measured.items()]
    # The sum of weights may round to a little over one.
    score = min(MAX_GRADIENT, math.fsum(it.contribution or 0.0 for it in terms))
    return DebtGradient(
        file=file.path,
        score=score,
        severity=severity_of(score),
        estimated_hours=estimated_hours(score),
        hours_basis=HOURS_BASIS,
        measured_weight=known,
        terms=terms,
    )


def severity_of(score: float) -> Severity:
    """Return the band that a score falls into."""
    if score > CRITICAL_ABOVE:
        return "critical"
    return "warning" if score > WARNING_ABOVE else "normal"


def estimated_hours(score: float) -> float:
    """Return the hours to fix a file of this score, by convention."""
    return 2 * math.pow(1.8, score)


def _term(name: TermName, value: float | None, basis: str, known: float) -> Term:
    weight = _WEIGHTS[name]
    capped = None if value is None else min(MAX_GRADIENT, value)
    contribution = None if capped is None else capped * weight / known
    return Term(name=name, weight=weight, value=capped, contribution=contribution, basis=basis)


def _complexity(file: FileInputs) -> _ValueAndBasis:
    values = file.cyclomatic or (
        0,
    )  # a file without functions has no complexity, not an unknown one
    mean, highest = statistics.fmean(values), max(values)
    deviation = statistics.pstdev(values) if min(values) < highest else 0.0
    value = (
        0.4 * mean / 5
        + 0.2 * deviation / 3
        + 0.2 * min(highest / 10, 1)
        + 0.2 * min(file.code_lines / 100, 1)
    )
    basis = (
        f"{counted(len(file.cyclomatic), 'function')}, cyclomatic mean {mean:.2f}, "
        f"deviation {deviation:.2f}, "
        f"highest {highest}; {counted(file.code_lines, 'line')} of code"
    )
    return value, basis


def _churn(commits: int | None) -> _ValueAndBasis:
    if commits is None:
        return None, "not measured: the file has no git history"
    return math.log1p(commits / 3) / 2, f"{counted(commits, 'commit')} in {CHURN_DAYS} days"


def _coupling(coupling: Coupling | None) -> _ValueAndBasis:
    if coupling is None:
        return None, "not measured: the file is in no import graph"
    ends = coupling.depends_on + coupling.dependents
    instability = coupling.depends_on / ends if ends else 0.0
    value = (
        min(coupling.depends_on / 15, 2) + 2 * instability + (coupling.depends_on > _MANY_IMPORTS)
    )
    basis = (
        f"depends on {counted(coupling.depends_on, 'file')}; dependents: {coupling.dependents:,}"
    )
    return value, basis


def _domain_risk(path: str) -> _ValueAndBasis:
    words = split_identifier(path)
    found = [(risk, word) for risk, among in _RISKS if (word := _first(words, among))]
    names = ", ".join(word for _, word in found)
    basis = f"the path has {names}" if found else "no word of the path indicates risk"
    return math.fsum(risk for risk, _ in found), basis


def _first(words: Iterable[str], among: frozenset[str]) -> str:
    return next((word for word in words if word in among), "")


def _duplication(share: float | None) -> _ValueAndBasis:
    if share is None:
        return None, "not measured: duplicates were not searched"
    percent = 100 * share
    return percent / 30, f"{percent:.1f} % of its lines"
