"""Find the functions that are hard to follow."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Number, Rare, tool
from benchpin.facts import FileFacts
from benchpin.measures import complexity
from benchpin.measures.complexity import ComplexityViolation, FileRank
from benchpin.present import (
    MAX_ROWS,
    PICTURE_FORMATS,
    Column,
    FindingFormat,
    FindingParams,
    Image,
    Report,
    Table,
    View,
    location,
)
from benchpin.present.charts import Shown, by_level, scatter
from benchpin.present.pictures import Picture, PictureRow, bars
from benchpin.present.pictures import over_time as spark
from benchpin.project.pictures import over_time, past_rows

from ._selection import FilesSeen, ToolchainParams, files_seen, nothing_measured, select


class ComplexityParams(FindingParams, ToolchainParams):
    """What to measure and how to show it."""

    format: Rare[Literal[FindingFormat, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details; csv, sarif and junit have every row."""
    picture: Rare[Literal["complexity", "over-time"] | None] = None
    """What svg and png show; over-time measures commits of two years, which takes a while."""
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
    past: Annotated[Sequence[PictureRow], Field(exclude=True)] = ()
    """A sample of past commits, if it was asked for."""

    view = View["ComplexityReport"](
        title="Complexity",
        headline=lambda it: [*_headline(it)],
        tables=(
            Table(
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
                findings=lambda it: [complexity.as_finding(it)],
            ),
            Table(
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
            ),
        ),
        pictures=(
            Picture(
                name="complexity",
                title="Functions over a limit",
                rows=lambda it: [*_points(it)],
                spec=scatter(
                    Shown("cyclomatic", "Cyclomatic complexity (paths)"),
                    Shown("cognitive", "Cognitive complexity (points)"),
                    label=Shown("function", "Function", "nominal"),
                    size=Shown("lines", "Lines of code"),
                    color=by_level("severity", "Severity"),
                    more=(Shown("place", "Place", "nominal"),),
                    labelled="is_named",
                ),
                alt=lambda _, rows: _seen(rows),
                text=bars("function", "cognitive"),
                link="place",
            ),
            Picture(
                name="over-time",
                title="Complexity and health over two years",
                rows=lambda it: it.past,
                spec=over_time(),
                alt=lambda _, rows: (
                    f"From {rows[0]['date']} to {rows[-1]['date']}, functions over a limit went "
                    f"from {rows[0]['over']:,} to {rows[-1]['over']:,}, and the health of all "
                    f"functions from {rows[0]['health']} to {rows[-1]['health']}; "
                    f"{counted(len(rows), 'commit')} measured, without tests."
                ),
                text=spark("date", "health", "over", "lines"),
            ),
        ),
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

    Use it to decide what to refactor or test first. top_files also ranks the worst files.
    """
    selection = select(params, bench)
    sources = selection.read()
    has_past = params.picture == "over-time" and params.format in PICTURE_FORMATS
    thresholds = complexity.Thresholds(params.max_cyclomatic, params.max_cognitive)
    measured = complexity.measure(sources.files, thresholds)
    page = params.page(measured.violations)
    return ComplexityReport(
        summary=measured.summary,
        violations=page.items,
        top_files=_top_files(sources.files, params.top_files),
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=files_seen(sources),
        past=past_rows(selection) if has_past else (),
        format=params.format,
        picture=params.picture or "",
    )


# Functions with their name beside the point.
_NAMED = 5


def _points(report: ComplexityReport) -> list[PictureRow]:
    """Return each function once, though it may be over both limits."""
    worst = {(it.file, it.line): it for it in reversed(report.violations)}
    ranked = sorted(worst.values(), key=lambda it: (-it.cognitive, -it.cyclomatic, it.file))
    return [
        {
            "function": it.function,
            "place": f"{it.file}:{it.line}",
            "cyclomatic": it.cyclomatic,
            "cognitive": it.cognitive,
            "lines": it.code_lines,
            "severity": it.severity,
            "is_named": at < _NAMED,
        }
        for at, it in enumerate(ranked)
    ]


def _seen(rows: Sequence[PictureRow]) -> str:
    worst = rows[0]
    return (
        f"{counted(len(rows), 'function')} by cyclomatic and cognitive complexity; "
        f"{worst['function']} in {worst['place']} is the hardest to follow, "
        f"with {worst['cyclomatic']} paths and {worst['cognitive']} points."
    )


def _top_files(files: list[FileFacts], requested: int | None) -> TopFiles | None:
    if not requested:
        return None
    ranks = complexity.rank_files(files, requested)
    return TopFiles(requested=requested, returned=len(ranks), rankings=ranks)


def _headline(report: ComplexityReport) -> Iterator[str]:
    summary, violations = report.summary, report.total
    if not summary.total_files:
        yield nothing_measured(report)
        return
    size = (
        f"{counted(summary.total_functions, 'function')} in {counted(summary.total_files, 'file')}"
    )
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
    if violations:
        yield f"estimated time to fix: {summary.technical_debt_hours:,.1f} hours"
