"""The complexity report in every format."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.core import Bench, Page, counted
from benchpin.engines.metrics.complexity import ComplexitySummary, FileRank, Violation
from benchpin.engines.sarif import Finding, Rule

from ._formats import as_sarif
from ._selection import FilesSeen
from ._tables import as_csv, as_markdown, columns

HEADER = ("severity", "rule", "value", "threshold", "file", "line", "function")
_SHOWN = 10
RULES = (
    Rule("cyclomatic-complexity", "CyclomaticComplexity", "A function has too many paths."),
    Rule("cognitive-complexity", "CognitiveComplexity", "A function is too hard to follow."),
)


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a report may show."""

    summary: ComplexitySummary
    violations: Sequence[Violation]
    ranks: Sequence[FileRank]
    files: FilesSeen


def summary_text(found: Findings, page: Page[Violation]) -> str:
    """Return the few lines that say how it stands, and the first violations of the page."""
    worst = _worst(page.items[:_SHOWN])
    return "\n".join([*_head(found), *worst, *_ranking(found.ranks)])


def full_text(found: Findings, page: Page[Violation]) -> str:
    """Return every violation of the page."""
    lines = [*_head(found), *_worst(page.items), page.footer(), *_ranking(found.ranks)]
    return "\n".join(lines).rstrip()


def csv_text(violations: Sequence[Violation]) -> str:
    """Return every violation as CSV."""
    return as_csv(HEADER, [_row(violation) for violation in violations])


def markdown_text(found: Findings) -> str:
    """Return the report as Markdown."""
    parts = ["# Complexity\n", *(f"- {line}" for line in _head(found))]
    if found.violations:
        parts += ["\n## Violations\n", as_markdown(HEADER, [_row(it) for it in found.violations])]
    if found.ranks:
        parts += ["\n## Files\n", as_markdown(_RANK_HEADER, [_rank_row(it) for it in found.ranks])]
    return "\n".join(parts)


def sarif_text(violations: Sequence[Violation], bench: Bench) -> str:
    """Return every violation as SARIF."""
    return as_sarif(bench, RULES, [finding(violation) for violation in violations])


def _head(found: Findings) -> list[str]:
    summary = found.summary
    if not summary.total_functions:
        none = "No file here is in a language that is measured."
        files = (
            f"{counted(summary.total_files, 'file')}, no functions" if summary.total_files else none
        )
        return [files, *found.files.to_lines()]
    errors = sum(violation.severity == "error" for violation in found.violations)
    return [
        f"{counted(summary.total_functions, 'function')} in {counted(summary.total_files, 'file')}",
        _spread(
            "cyclomatic", summary.median_cyclomatic, summary.p90_cyclomatic, summary.max_cyclomatic
        ),
        _spread(
            "cognitive", summary.median_cognitive, summary.p90_cognitive, summary.max_cognitive
        ),
        f"{len(found.violations):,} violations, {errors:,} of them errors",
        f"about {summary.technical_debt_hours:,.1f} hours to mend",
        *found.files.to_lines(),
    ]


def _spread(measure: str, median: float | None, p90: int | None, highest: int | None) -> str:
    return f"{measure}: median {median:g}, 90% at most {p90}, highest {highest}"


def _worst(violations: Sequence[Violation]) -> list[str]:
    rows = [
        (
            it.severity,
            it.rule.partition("-")[0],
            it.value,
            f"{it.file}:{it.function.line}",
            it.function.name,
        )
        for it in violations
    ]
    return ["", *columns(rows)] if rows else []


_RANK_HEADER = ("rank", "file", "functions", "max cyclomatic", "avg cognitive", "effort", "score")


def _ranking(ranks: Sequence[FileRank]) -> list[str]:
    if not ranks:
        return []
    rows = [(it.rank, it.total_score, it.file) for it in ranks]
    return ["", *columns([("rank", "score", "file"), *rows])]


def _rank_row(it: FileRank) -> tuple[int | str | float, ...]:
    return (
        it.rank,
        it.file,
        it.function_count,
        it.max_cyclomatic,
        it.avg_cognitive,
        it.halstead_effort,
        it.total_score,
    )


def _row(it: Violation) -> tuple[str | int, ...]:
    place = it.function
    return (it.severity, it.rule, it.value, it.threshold, it.file, place.line, place.name)


def finding(it: Violation) -> Finding:
    """Return a violation as SARIF has it."""
    function = it.function
    properties: dict[str, object] = {"value": it.value, "threshold": it.threshold}
    return Finding(
        it.rule, it.severity, it.message, it.file, function.line, function.end_line, properties
    )
