"""Every measure that the gate can check, by name.

A threshold is named after its measure: `max_` before one that should be low, `min_` before one that
should be high. The settings import this module at start-up, so it imports nothing slow.
"""

import difflib
import reprlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchpin.core.errors import InvalidParams

Scope = Literal["function", "file", "project"]
_HIGHEST = {"%": 100, "of 100": 100, "of 5": 5, "of 1": 1}


@dataclass(frozen=True, slots=True)
class GateMeasure:
    """A measure, its scope and unit, and whether high is better."""

    name: str
    scope: Scope
    """Whether every function or file has a value of its own, or the project has one."""
    unit: str
    meaning: str
    is_better_high: bool = False
    drift: float = 0.0
    """How much a value may change without any work on the code, as the history grows."""

    @property
    def threshold_name(self) -> str:
        return f"{'min' if self.is_better_high else 'max'}_{self.name}"

    @property
    def is_share(self) -> bool:
        """Whether the value of a project is a share, rather than a sum."""
        return self.unit == "%"

    @property
    def range(self) -> str:
        highest = _HIGHEST.get(self.unit)
        return "from 0 on" if highest is None else f"from 0 to {highest}"

    def has_in_range(self, threshold: float) -> bool:
        return 0 <= threshold <= _HIGHEST.get(self.unit, sys.float_info.max)

    def is_worse(self, value: float, other: float) -> bool:
        return value < other if self.is_better_high else value > other

    def has_worsened(self, value: float, before: float) -> bool:
        """Whether a value is worse than before, by more than its drift."""
        return self.is_worse(value, before) and abs(value - before) > self.drift

    def excess(self, value: float, threshold: float) -> float:
        """Return how many times worse than a threshold a value is."""
        worse, better = (threshold, value) if self.is_better_high else (value, threshold)
        return worse / better if better else float("inf")


_ALL = (
    GateMeasure("cyclomatic", "function", "paths", "Cyclomatic complexity."),
    GateMeasure("cognitive", "function", "points", "Cognitive complexity."),
    GateMeasure("nesting", "function", "levels", "How deep its blocks are nested."),
    GateMeasure("parameters", "function", "parameters", "How many parameters it has."),
    GateMeasure("function_lines", "function", "lines", "Its lines of code, comments left out."),
    GateMeasure("file_lines", "file", "lines", "All its lines."),
    GateMeasure("file_functions", "file", "functions", "How many functions it has."),
    GateMeasure("maintainability", "file", "of 100", "Maintainability index, 0 to 100.", True),
    GateMeasure("halstead_volume", "file", "bits", "Halstead's volume."),
    GateMeasure("halstead_difficulty", "file", "points", "Halstead's difficulty."),
    GateMeasure("halstead_effort", "file", "points", "Halstead's effort."),
    GateMeasure("documented_percent", "project", "%", "Public symbols with a doc comment.", True),
    GateMeasure(
        "technical_debt_hours", "project", "hours", "To fix functions that are too complex."
    ),
    GateMeasure("debt_comments", "project", "comments", "Comments that admit debt."),
    GateMeasure("dependencies", "file", "files", "How many files of the project it imports."),
    GateMeasure("dependents", "file", "files", "How many files of the project import it."),
    GateMeasure(
        "cycles", "project", "cycles", "Groups of files that import one another at run time."
    ),
    GateMeasure("unresolved_imports", "project", "imports", "Imports that cannot be resolved."),
    GateMeasure("coverage_percent", "project", "%", "Lines that tests ran, by a report.", True),
    GateMeasure("file_coverage_percent", "file", "%", "Its lines that tests ran.", True),
    GateMeasure("duplication_percent", "project", "%", "Lines duplicated elsewhere, exactly."),
    GateMeasure(
        "file_duplication_percent", "file", "%", "Its lines that are duplicated elsewhere."
    ),
    GateMeasure("dead_code_percent", "project", "%", "Lines that nothing uses, tests left out."),
    GateMeasure(
        "dead_definitions",
        "project",
        "definitions",
        "Functions, methods and types that nothing uses.",
    ),
    GateMeasure("debt_gradient", "file", "of 5", "How fast it gathers debt, 0 to 5.", drift=0.25),
    GateMeasure(
        "defect_probability", "file", "of 1", "Probability that it needs a bug fix.", drift=0.05
    ),
)
# The keys are names of thresholds; the measures that take the least time come first.
MEASURES: Mapping[str, GateMeasure] = {it.threshold_name: it for it in _ALL}

DEFAULTS: Mapping[str, float] = {
    "max_cyclomatic": 10,
    "max_duplication_percent": 5.0,
    "min_coverage_percent": 80.0,
    "max_defect_probability": 0.3,
}


def unknown_threshold(names: Mapping[str, object]) -> str:
    """Return which name is not a threshold, with the nearest one; empty when all are."""
    for name in names:
        if name not in MEASURES:
            [nearest] = difflib.get_close_matches(name, MEASURES, n=1, cutoff=0.0)
            return f"there is no threshold {name!r}; the nearest is {nearest!r}"
    return ""


def bad_threshold(thresholds: Mapping[str, object]) -> str:
    """Return which value a threshold cannot have; empty when all are valid."""
    for name, value in thresholds.items():
        if value is False:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"{name}: {reprlib.repr(value)} is neither a number nor false"
        measure = MEASURES.get(name)
        if measure is not None and not measure.has_in_range(value):
            return f"{name}: {value} is not {measure.range}"
    return ""


def choose_thresholds(
    called: Mapping[str, float],
    given: Mapping[str, float | Literal[False]],
    settings: Mapping[str, float | Literal[False]],
    checks: Sequence[str],
) -> dict[str, float]:
    """Merge the thresholds of a call, of the settings and the defaults, in this order of rank.

    `called` are those with an argument of their own, `given` the others; `checks` chooses some.

    Raises:
        InvalidParams: when there is no such threshold, it has no value, or it is given twice.
    """
    for name in sorted(called.keys() & given.keys()):
        raise InvalidParams(
            f"{name} is given twice, in thresholds and under its own name",
            suggestion="Give one of them.",
        )
    if problem := unknown_threshold({**given, **dict.fromkeys(checks, 0)}):
        raise InvalidParams(
            problem[0].upper() + problem[1:],
            suggestion=f"Known thresholds: {', '.join(MEASURES)}.",
            data={"known": list(MEASURES)},
        )
    wanted = {**DEFAULTS, **settings, **called, **given}
    chosen = set(checks) or set(wanted)
    for name in sorted(chosen - wanted.keys()):
        raise InvalidParams(
            f"{name} has no threshold",
            suggestion=f'Set it in benchpin.toml, or give thresholds: {{"{name}": …}}.',
        )
    return {name: it for name, it in wanted.items() if name in chosen and it is not False}
