"""Find the functions that are hard to follow."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Item
from benchpin.core.tools import Effect, Number, Rare, tool
from benchpin.facts import FileFacts
from benchpin.measures import complexity
from benchpin.measures.complexity import ComplexityViolation, FileRank
from benchpin.measures.views import complexity as complexity_view
from benchpin.present import (
    MAX_ROWS,
    FindingFormat,
    FindingParams,
    Image,
    Report,
    View,
)

from ._selection import (
    FilesSeen,
    ScopedParams,
    ToolchainParams,
    files_seen,
    nothing_measured,
    select,
)


class ComplexityParams(FindingParams, ScopedParams, ToolchainParams):
    """What to measure and how to show it."""

    format: Rare[Literal[FindingFormat, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details; csv, sarif and junit have every row."""
    max_cyclomatic: Annotated[Number, Field(ge=0)] = 10
    """The highest allowed; 0 lists every function."""
    max_cognitive: Annotated[Number, Field(ge=0)] = 15
    """The highest allowed."""
    top_files: Rare[Annotated[int, Field(ge=0, le=1000)] | None] = None
    """How many of the worst files to rank as well; 0 lists all violations instead, 1,000 a page."""

    @property
    def default_rows(self) -> int | None:
        """Rows without a limit: as many as fit a page if `top_files` is 0."""
        rows = super().default_rows
        return rows if rows is None or self.top_files != 0 else MAX_ROWS


class TopFiles(Item):
    """The worst files."""

    requested: int
    returned: int
    rankings: list[FileRank]


class ComplexityReport(Report):
    """Totals, and violations, worst first."""

    summary: complexity.ComplexitySummary
    violations: list[ComplexityViolation]
    top_files: Annotated[TopFiles | None, Field(exclude_if=lambda it: it is None)] = None
    total: int
    next_cursor: str | None
    looked_at: FilesSeen

    view = View["ComplexityReport"](
        title="Complexity",
        headline=lambda it: (
            complexity_view.headline(it.summary, it.total)
            if it.summary.total_files
            else [nothing_measured(it)]
        ),
        tables=(complexity_view.VIOLATIONS, complexity_view.WORST_FILES),
        pictures=(complexity_view.SCATTER,),
        notes=lambda it: it.looked_at.to_lines(),
        rules=complexity.RULES,
    )


@tool(
    title="Complexity report",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "complicated functions, hard to understand, too long, cyclomatic, cognitive, messy, "
        "refactor, simplify, nesting, worst functions, too many branches, deeply nested, maze, "
        "long methods, hardest to maintain"
    ),
)
def analyze_complexity(params: ComplexityParams, bench: Bench) -> ComplexityReport:
    """Find functions over a cyclomatic or cognitive complexity limit, worst first.

    These are the functions to refactor or test first. top_files also ranks the worst files.
    """
    selection = select(params, bench)
    sources = selection.read()
    thresholds = complexity.Thresholds(params.max_cyclomatic, params.max_cognitive)
    measured = complexity.measure(sources.files, thresholds)
    page = params.page(measured.violations)
    return ComplexityReport(
        summary=measured.summary,
        violations=page.items,
        top_files=_top_files(sources.files, params.top_files) if params.top_files else None,
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=files_seen(sources),
        format=params.format,
    )


def _top_files(files: list[FileFacts], requested: int) -> TopFiles:
    ranks = complexity.rank_files(files, requested)
    return TopFiles(requested=requested, returned=len(ranks), rankings=ranks)
