"""Complexity: the functions over a threshold, the worst files, and totals.

What reports add up of each file is a fact by file: to go through the functions of all files takes a
large part of a second in a large project; to add up what is known of each file some milliseconds.
"""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, NamedTuple

import msgspec

from benchpin.core.results import Item
from benchpin.facts import FileFacts, Function
from benchpin.facts.derived import FileFact
from benchpin.present import Finding, FindingRule

from ._outline import measure_file, own_lines, score_halstead

Severity = Literal["error", "warning"]
Rule = Literal["cyclomatic-complexity", "cognitive-complexity"]

RULES = (
    FindingRule("cyclomatic-complexity", "CyclomaticComplexity", "A function has too many paths."),
    FindingRule("cognitive-complexity", "CognitiveComplexity", "A function is too hard to follow."),
)
# Twice the threshold is an error: 10 and 20, 15 and 30.
ERROR_FACTOR = 2
# The conventional time to fix one point over the threshold, and the longest for one function.
_MINUTES = {"error": 30, "warning": 15}
_MAX_HOURS = 8.0


# The file, the first and the last line, and the name.
FunctionPlace = tuple[str, int, int, str]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The highest allowed complexity."""

    cyclomatic: float = 10
    cognitive: float = 15


@dataclass(frozen=True, slots=True)
class ComplexityViolation:
    """A function over a threshold."""

    severity: Severity
    rule: Rule
    message: str
    value: int
    threshold: int | float
    file: str
    line: int
    end_line: int
    function: str
    cyclomatic: int
    cognitive: int
    nesting: int
    parameters: int
    code_lines: int

    @property
    def place(self) -> "FunctionPlace":
        return self.file, self.line, self.end_line, self.function

    def findings(self) -> list[Finding]:
        """Return a finding for each default threshold that its function is over."""
        over = _excesses(self.function, self.cyclomatic, self.cognitive, Thresholds())
        return [as_finding(replace(self, **it._asdict())) for it in over]


def as_finding(violation: ComplexityViolation) -> Finding:
    """Return a violation as SARIF and JUnit show it."""
    properties: dict[str, object] = {"value": violation.value, "threshold": violation.threshold}
    return Finding(
        violation.rule,
        violation.severity,
        violation.message,
        violation.file,
        violation.line,
        violation.end_line,
        properties,
    )


class FileRank(Item):
    """One of the worst files."""

    rank: int
    file: str
    function_count: int
    max_cyclomatic: int
    avg_cognitive: float
    halstead_effort: float
    total_score: float


class ComplexitySummary(Item):
    """All functions together; None where there are none."""

    total_files: int
    total_functions: int
    median_cyclomatic: float | None
    median_cognitive: float | None
    p90_cyclomatic: int | None
    p90_cognitive: int | None
    max_cyclomatic: int | None
    max_cognitive: int | None
    technical_debt_hours: float


@dataclass(frozen=True, slots=True)
class Complexity:
    """The violations and totals of some files."""

    violations: list[ComplexityViolation]
    """The worst first."""
    summary: ComplexitySummary


def measure(files: Sequence[FileFacts], thresholds: Thresholds) -> Complexity:
    """Find the functions over a threshold and add up totals."""
    violations = find_violations(files, thresholds)
    functions = [function for file in files for function in file.outline.functions]
    cyclomatic = (function.cyclomatic for function in functions)
    cognitive = (function.cognitive for function in functions)
    return Complexity(violations, add_up(len(files), cyclomatic, cognitive, violations))


def find_violations(
    files: Iterable[FileFacts], thresholds: Thresholds
) -> list[ComplexityViolation]:
    """Return the functions over a threshold, worst first.

    Nothing has a cyclomatic complexity under 1, so a threshold of 0 lists every function.
    """
    found = [
        ComplexityViolation(
            *excess,
            file=file.path,
            line=it.line,
            end_line=it.end_line,
            function=it.name,
            cyclomatic=it.cyclomatic,
            cognitive=it.cognitive,
            nesting=it.nesting,
            parameters=it.parameters,
            code_lines=it.code_lines,
        )
        for file in files
        for it in file.outline.functions
        # Most functions are under both: a comparison is cheaper than a generator for each.
        if it.cyclomatic > thresholds.cyclomatic or it.cognitive > thresholds.cognitive
        for excess in _excesses(it.name, it.cyclomatic, it.cognitive, thresholds)
    ]
    return worst_first(found)


def worst_first(violations: Iterable[ComplexityViolation]) -> list[ComplexityViolation]:
    """Return violations in the order of lists."""
    # By how far over: a cognitive 30 of 15 is as bad as a cyclomatic 20 of 10; a limit may be 0.
    return sorted(violations, key=lambda it: (-it.value / max(it.threshold, 1), it.file, it.line))


class _Excess(NamedTuple):
    """The first fields of a violation."""

    severity: Severity
    rule: Rule
    message: str
    value: int
    threshold: float


def _excesses(
    function: str, cyclomatic: int, cognitive: int, limits: Thresholds
) -> Iterator[_Excess]:
    pairs: tuple[tuple[Rule, int, float], ...] = (
        ("cyclomatic-complexity", cyclomatic, limits.cyclomatic),
        ("cognitive-complexity", cognitive, limits.cognitive),
    )
    for rule, value, limit in pairs:
        if value > limit:
            text = f"{rule.partition('-')[0]} complexity of {function} is {value}, over {limit:g}"
            severity: Severity = "error" if value > ERROR_FACTOR * limit else "warning"
            yield _Excess(severity, rule, text, value, limit)


def rank_files(files: Iterable[FileFacts], top: int) -> list[FileRank]:
    """Return the worst files by their score."""
    ranked = sorted(
        (_scored(file) for file in files if file.outline.functions),
        key=lambda scored: (-scored.total_score, scored.file),
    )
    return [
        scored.model_copy(update={"rank": rank})
        for rank, scored in enumerate(ranked[:top], start=1)
    ]


def _scored(file: FileFacts) -> FileRank:
    functions = file.outline.functions
    max_cyclomatic = max(function.cyclomatic for function in functions)
    avg_cognitive = statistics.fmean(function.cognitive for function in functions)
    return FileRank(
        rank=0,
        file=file.path,
        function_count=len(functions),
        max_cyclomatic=max_cyclomatic,
        avg_cognitive=round(avg_cognitive, 2),
        halstead_effort=round(score_halstead(file.outline.halstead).effort, 1),
        total_score=total_score(max_cyclomatic, avg_cognitive, len(functions)),
    )


def total_score(max_cyclomatic: int, avg_cognitive: float, function_count: int) -> float:
    """Return the score of a file: 32 at most, 5.8 on average and 30 functions make 30.92."""
    # Each part is capped, so that one huge function does not decide alone.
    score = (
        0.4 * min(max_cyclomatic, 50) / 50 * 100
        + 0.4 * min(avg_cognitive, 100)
        + 0.2 * min(function_count, 100) / 100 * 50
    )
    return round(score, 2)


def add_up(
    files: int,
    cyclomatic_values: Iterable[int],
    cognitive_values: Iterable[int],
    violations: Iterable[ComplexityViolation],
) -> ComplexitySummary:
    """Return the totals of files with functions of these complexities."""
    cyclomatic, cognitive = sorted(cyclomatic_values), sorted(cognitive_values)
    return ComplexitySummary(
        total_files=files,
        total_functions=len(cyclomatic),
        median_cyclomatic=statistics.median(cyclomatic) if cyclomatic else None,
        median_cognitive=statistics.median(cognitive) if cognitive else None,
        p90_cyclomatic=cyclomatic[int(0.9 * len(cyclomatic))] if cyclomatic else None,
        p90_cognitive=cognitive[int(0.9 * len(cognitive))] if cognitive else None,
        max_cyclomatic=cyclomatic[-1] if cyclomatic else None,
        max_cognitive=cognitive[-1] if cognitive else None,
        technical_debt_hours=hours_to_fix(violations),
    )


def hours_to_fix(violations: Iterable[ComplexityViolation]) -> float:
    """Return the conventional time to get functions under the thresholds."""
    return round(math.fsum(hours_by_function(violations).values()), 1)


def hours_by_function(violations: Iterable[ComplexityViolation]) -> dict[FunctionPlace, float]:
    """Return the conventional time for each function, at most a day, in the order of places.

    A function counts once, whichever thresholds it is over. The cognitive complexity of a function
    includes that of functions inside it: what is listed of those does not count again around them.
    """
    by_place = defaultdict[FunctionPlace, list[ComplexityViolation]](list)
    for violation in violations:
        by_place[violation.place].append(violation)
    around: list[FunctionPlace] = []
    inside = Counter[FunctionPlace]()
    places = sorted(by_place, key=lambda it: (it[0], it[1], -it[2], it[3]))
    for place in places:
        while around and not (around[-1][0] == place[0] and place[2] <= around[-1][2]):
            around.pop()
        if around:
            inside[around[-1]] += by_place[place][0].cognitive
        around.append(place)
    return {it: _hours(by_place[it], inside[it]) for it in places}


def _hours(violations: Iterable[ComplexityViolation], inside: int) -> float:
    minutes = [
        (it.value - (inside if it.rule == "cognitive-complexity" else 0) - it.threshold)
        * _MINUTES[it.severity]
        for it in violations
    ]
    return min(max(0.0, *minutes) / 60, _MAX_HOURS)


_THRESHOLDS = Thresholds()


def over_threshold(cyclomatic: int, cognitive: int) -> float:
    """Return how complex a function is, as a multiple of the threshold that is nearer."""
    return max(cyclomatic / _THRESHOLDS.cyclomatic, cognitive / _THRESHOLDS.cognitive)


def falling(value: float, half: float) -> float:
    """Return 100 for 0, 50 for `half`, and less for larger values."""
    return 100 / (1 + value / half)


def weighted_ease(function: Function, lines: int) -> float:
    """Return how easy a function is to follow, 50 at the thresholds, times some lines of code."""
    return lines * falling(over_threshold(function.cyclomatic, function.cognitive), 1.0)


def mean_ease(weighted: Iterable[float], code_lines: int) -> float | None:
    """Return the mean of functions that have so many lines of code; None for none."""
    # fsum: the same to the last digit, in whatever order files are added up.
    return math.fsum(weighted) / code_lines if code_lines else None


def simplicity(files: Iterable[Sequence[Function]]) -> float | None:
    """Return how easy the functions of files are to follow, from 0 to 100; 50 is at the thresholds.

    The mean, weighted by lines of code, of which each counts once; None without functions.
    """
    pairs = [pair for it in files for pair in zip(it, own_lines(it), strict=True)]
    return mean_ease((weighted_ease(*it) for it in pairs), sum(lines for _, lines in pairs))


class FileSummary(msgspec.Struct, frozen=True, gc=False):
    """One file; the values of functions are in their order."""

    lines: int
    code_lines: int
    types: int
    cyclomatic: tuple[int, ...]
    cognitive: tuple[int, ...]
    function_lines: int
    """The lines of code in functions."""
    ease: tuple[float, ...]
    """How easy each function is to follow, times its own lines of code."""
    maintainability: float
    violations: tuple[ComplexityViolation, ...]
    """The functions over the usual thresholds, the worst first."""


def summarize_file(file: FileFacts) -> FileSummary:
    outline = file.outline
    functions = outline.functions
    lines = own_lines(functions)
    return FileSummary(
        outline.lines,
        outline.code_lines,
        len(outline.types),
        tuple(it.cyclomatic for it in functions),
        tuple(it.cognitive for it in functions),
        sum(lines),
        tuple(map(weighted_ease, functions, lines)),
        measure_file(outline).maintainability_index,
        tuple(find_violations([file], Thresholds())),
    )


def complexity_of(files: Collection[FileSummary]) -> Complexity:
    """Return the functions over the usual thresholds, and totals."""
    violations = worst_first(chain.from_iterable(it.violations for it in files))
    totals = add_up(
        len(files),
        chain.from_iterable(it.cyclomatic for it in files),
        chain.from_iterable(it.cognitive for it in files),
        violations,
    )
    return Complexity(violations, totals)


SUMMARIES = FileFact[None, FileSummary](
    f"{__name__}:SUMMARIES",
    FileSummary,
    lambda file, _option: summarize_file(file),
    has_path=True,  # of the violations
)
