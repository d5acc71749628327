"""Find the functions that are hard to follow."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, Item, tool
from benchpin.engines.metrics import complexity

from . import _complexity_text as text
from ._formats import Report, page_of
from ._selection import FilesSeen, SelectionParams, files_seen, read_sources


class ComplexityParams(SelectionParams):
    """What to measure and how to show it."""

    toolchain: str | None = None
    """Only this toolchain or language: rust, deno, python-uv, go, java …; all by default."""
    format: Literal["summary", "full", "detailed", "json", "sarif", "csv", "markdown"] = "summary"
    """How to show it; full and detailed list every violation of the page."""
    max_cyclomatic: Annotated[int, Field(ge=0)] = 10
    """The highest cyclomatic complexity that is let pass; 0 lists every function."""
    max_cognitive: Annotated[int, Field(ge=0)] = 15
    """The highest cognitive complexity that is let pass."""
    top_files: Annotated[int, Field(ge=0, le=1000)] = 0
    """How many of the worst files to rank as well."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many violations to return; csv, markdown and sarif have them all."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class ComplexityViolation(Item):
    """A function over a threshold."""

    severity: complexity.Severity
    rule: complexity.Rule
    message: str
    value: int
    threshold: int
    file: str
    line: int
    end_line: int
    function: str
    cyclomatic: int
    cognitive: int
    nesting: int
    parameters: int
    code_lines: int


class TopFiles(Item):
    """The worst files."""

    requested: int
    returned: int
    rankings: list[complexity.FileRank]


class ComplexityReport(Report):
    """Violations, worst first, and how it all stands."""

    summary: complexity.ComplexitySummary
    violations: list[ComplexityViolation]
    top_files: Annotated[TopFiles | None, Field(exclude_if=lambda it: it is None)] = None
    total: int
    next_cursor: str | None
    looked_at: FilesSeen


@tool(title="Complexity report", effect=Effect.READ)
def analyze_complexity(params: ComplexityParams, bench: Bench) -> ComplexityReport:
    """Find functions over a cyclomatic or cognitive complexity threshold, and rank the worst files.

    Use it to decide what to refactor or test first. The worst stand first.
    """
    sources = read_sources(params, bench, toolchain=params.toolchain)
    thresholds = complexity.Thresholds(params.max_cyclomatic, params.max_cognitive)
    measured = complexity.measure(sources.files, thresholds)
    found = measured.violations
    ranks = complexity.rank_files(sources.files, params.top_files) if params.top_files else []
    findings = text.Findings(measured.summary, found, ranks, files_seen(sources))
    page = page_of(found, "complexity", params)
    shown = ""
    match params.format:
        case "summary":
            shown = text.summary_text(findings, page)
        case "full" | "detailed":
            shown = text.full_text(findings, page)
        case "sarif":
            shown = text.sarif_text(found, bench)
        case "csv":
            shown = text.csv_text(found)
        case "markdown":
            shown = text.markdown_text(findings)
    return ComplexityReport(
        summary=measured.summary,
        violations=[_violation(it) for it in page.items],
        top_files=_top_files(params.top_files, ranks),
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=findings.files,
        shown=shown,
    )


def _violation(it: complexity.Violation) -> ComplexityViolation:
    place = it.function
    return ComplexityViolation(
        severity=it.severity,
        rule=it.rule,
        message=it.message,
        value=it.value,
        threshold=it.threshold,
        file=it.file,
        line=place.line,
        end_line=place.end_line,
        function=place.name,
        cyclomatic=place.cyclomatic,
        cognitive=place.cognitive,
        nesting=place.nesting,
        parameters=place.parameters,
        code_lines=place.code_lines,
    )


def _top_files(requested: int, ranks: list[complexity.FileRank]) -> TopFiles | None:
    if not requested:
        return None
    return TopFiles(requested=requested, returned=len(ranks), rankings=ranks)
