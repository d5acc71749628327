"""How complexity is shown."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchpin.core.text import counted
from benchpin.measures.complexity import (
    ComplexitySummary,
    ComplexityViolation,
    FileRank,
    as_finding,
)
from benchpin.present import Column, Table, location
from benchpin.present.charts import Shown, by_level, labels_apart, scatter
from benchpin.present.pictures import Picture, PictureRow, bars

# Functions with their name beside the point.
_NAMED = 5

VIOLATIONS: Table[Any, ComplexityViolation] = Table(
    rows=lambda it: it.violations,
    columns=(
        Column("severity", is_severity=True),
        Column("rule"),
        Column("value"),
        Column("threshold", heading="limit"),
        location(),
        Column("function"),
        Column("cyclomatic", is_detail=True),
        Column("cognitive", is_detail=True),
        Column("nesting", is_detail=True),
        Column("parameters", is_detail=True),
        Column("code_lines", is_detail=True),
    ),
    title="Violations, worst first",
    findings=lambda it: [as_finding(it)],
)
# One row for each function, though it may be over both limits.
FUNCTIONS = VIOLATIONS.brief(
    "Complexity",
    *("cyclomatic", "cognitive", "location", "function"),
    findings=ComplexityViolation.findings,
)
WORST_FILES: Table[Any, FileRank] = Table(
    rows=lambda it: it.top_files.rankings if it.top_files else (),
    columns=(
        Column("rank"),
        Column("total_score", heading="score"),
        Column("function_count", heading="functions"),
        Column("max_cyclomatic", is_detail=True),
        Column("avg_cognitive", is_detail=True),
        Column("halstead_effort", spec=",.0f", is_detail=True),
        Column("file"),
    ),
    title="Worst files",
)


def _points(violations: Sequence[ComplexityViolation]) -> list[PictureRow]:
    """Return each function once, though it may be over both limits."""
    worst = {(it.file, it.line): it for it in reversed(violations)}
    ranked = sorted(worst.values(), key=lambda it: (-it.cognitive, -it.cyclomatic, it.file))
    named = labels_apart([(it.cyclomatic, it.cognitive, it.function) for it in ranked], _NAMED)
    return [
        {
            "function": it.function,
            "place": f"{it.file}:{it.line}",
            "cyclomatic": it.cyclomatic,
            "cognitive": it.cognitive,
            "lines": it.code_lines,
            "severity": it.severity,
            "is_named": at in named,
        }
        for at, it in enumerate(ranked)
    ]


SCATTER: Picture[Any] = Picture(
    name="complexity",
    title="Functions over a limit",
    rows=lambda it: _points(it.violations),
    spec=scatter(
        Shown("cyclomatic", "Cyclomatic complexity (paths)"),
        Shown("cognitive", "Cognitive complexity (points)"),
        label=Shown("function", "Function", "nominal"),
        size=Shown("lines", "Lines of code"),
        color=by_level("severity", "Severity"),
        more=(Shown("place", "Place", "nominal"),),
        labelled="is_named",
    ),
    alt=lambda _, rows: (
        f"{counted(len(rows), 'function')} by cyclomatic and cognitive complexity; "
        f"{rows[0]['function']} in {rows[0]['place']} is the hardest to follow, "
        f"with {rows[0]['cyclomatic']} paths and {rows[0]['cognitive']} points."
    ),
    text=bars("function", "cognitive"),
    link="place",
)


def headline(summary: ComplexitySummary, violations: int) -> Iterator[str]:
    """Yield the totals of some files."""
    functions = counted(summary.total_functions, "function")
    size = f"{functions} in {counted(summary.total_files, 'file')}"
    yield f"{size}; {counted(violations, 'violation')}"
    if not summary.total_functions:
        return
    yield (
        f"cyclomatic: median {summary.median_cyclomatic:g}, "
        f"90% at most {summary.p90_cyclomatic}, highest {summary.max_cyclomatic}"
    )
    yield (
        f"cognitive: median {summary.median_cognitive:g}, "
        f"90% at most {summary.p90_cognitive}, highest {summary.max_cognitive}"
    )
