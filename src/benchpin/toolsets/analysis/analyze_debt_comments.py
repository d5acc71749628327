"""Find the debt that authors admit in comments."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.code import SourceText
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures import debt
from benchpin.measures.debt import Category, DebtItem, DebtSummary, Severity
from benchpin.present import (
    Column,
    Excerpt,
    ExcerptGroup,
    FindingFormat,
    FindingParams,
    Image,
    Report,
    Table,
    View,
    location,
)
from benchpin.present.charts import BLUE, ORANGE, RED, Shown, stacked_bars
from benchpin.present.page import Section, excerpts
from benchpin.present.pictures import Picture, PictureRow, bars
from benchpin.project import Project
from benchpin.project.pictures import MAX_GROUPS, excerpt

from ._project import project_of
from ._selection import FilesSeen, ToolchainParams, files_seen


class DebtParams(FindingParams, ToolchainParams):
    """Which debt to look for and how to show it."""

    format: Rare[Literal[FindingFormat, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details; csv, sarif and junit have every row."""
    min_severity: Severity = "Low"
    """The lowest severity to report."""
    categories: Rare[tuple[Category, ...]] = ()
    """Only these categories of debt; all by default."""
    min_confidence: Rare[Annotated[float, Field(ge=0, le=1)]] = debt.MIN_CONFIDENCE
    """The lowest confidence to report; 0.9 keeps the clearest cases."""
    strict: Rare[bool] = False
    """Only comments with a tag such as TODO or FIXME; a tag without text has confidence 0.5."""
    top_files: Rare[Annotated[int, Field(ge=0, le=1000)]] = 10
    """How many of the files with the most debt to list."""


_COLORS: dict[str, str] = {
    "Critical": "#7f0000",
    "High": RED,
    "Medium": ORANGE,
    "Low": BLUE,
}
_MAX_DRAWN_ROWS = 20
# Lines of code before and after a comment.
_AROUND = 4


def _by_file(items: Sequence[DebtItem]) -> Iterator[PictureRow]:
    """Yield how many comments of each severity the files with the most comments have."""
    files = Counter(it.file for it in items)
    counts = Counter((it.file, it.severity) for it in items)
    drawn = sorted(files, key=lambda it: (-files[it], it))[:_MAX_DRAWN_ROWS]
    for order, file in enumerate(drawn):
        for at, severity in enumerate(debt.SEVERITIES):
            if count := counts[file, severity]:
                about: PictureRow = {"file": file, "order": order, "part_order": at}
                yield {**about, "severity": severity, "comments": count}


def _passages(items: Sequence[DebtItem], project: Project) -> list[ExcerptGroup]:
    source = SourceText(project.selection.root)

    def around(item: DebtItem) -> Excerpt:
        comment = range(item.line, item.end_line + 1)
        return excerpt(source, item.file, item.line - _AROUND, item.end_line + _AROUND, comment)

    return [
        ExcerptGroup(f"{it.severity}, {it.category}: {it.text}", [around(it)])
        for it in items[:MAX_GROUPS]
    ]


class DebtReport(Report):
    """Totals, and comments that admit debt, most severe first."""

    summary: DebtSummary
    items: list[DebtItem]
    total: int
    next_cursor: str | None
    looked_at: FilesSeen
    passages: Annotated[Sequence[ExcerptGroup], Field(exclude=True)] = ()
    """The code around each comment, for a page."""

    view = View["DebtReport"](
        title="Debt in comments",
        headline=lambda it: _headline(it.summary),
        tables=(
            Table(
                rows=lambda it: it.items,
                columns=(
                    Column("severity", is_severity=True),
                    Column("category"),
                    Column("confidence", spec=".2f"),
                    location(),
                    Column("context", is_detail=True),
                    Column("text", heading="comment"),
                    Column("reason", is_below=True),
                ),
                title="Comments that admit debt, most severe first",
                findings=lambda it: [debt.as_finding(it)],
            ),
            Table(
                rows=lambda it: it.summary.by_file,
                columns=(Column("items", heading="comments"), Column("file")),
                title="Files with the most debt",
            ),
        ),
        pictures=(
            Picture(
                name="debt",
                title="Where comments admit debt",
                rows=lambda it: [*_by_file(it.items)],
                spec=stacked_bars(
                    Shown("file", "File", "nominal"),
                    Shown("comments", "Comments", is_count=True),
                    Shown("severity", "Severity", "nominal"),
                    _COLORS,
                ),
                alt=lambda it, rows: (
                    f"{counted(it.summary.total_items, 'comment admits', 'comments admit')} debt; "
                    f"{rows[0]['file']} has the most of those on this page."
                ),
                text=bars("file", "comments"),
                link="file",
            ),
        ),
        notes=lambda it: it.looked_at.to_lines(),
        rules=debt.RULES,
    )

    def sections(self) -> list[Section]:
        """Return the code around each comment."""
        return excerpts(self.passages)

    def confidences(self) -> Iterator[float]:
        """Yield how sure each row is."""
        yield from (it.confidence for it in self.items)


@tool(
    title="Debt comments",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "TODO, FIXME, HACK, XXX, technical debt, workaround, unfinished, left undone, admitted "
        "shortcuts, hacks, fix this later, temporary solutions in the source, markers in "
        "comments"
    ),
)
def analyze_debt_comments(params: DebtParams, bench: Bench) -> DebtReport:
    """Find comments in which authors admit technical debt, most severe first.

    Use it to see what was left undone. Reads only comments, and recognizes more than
    TODO.
    """
    project = project_of(params, bench)
    found = project.debt(params.min_confidence).required()
    chosen = [item for item in found.items if _is_wanted(item, params)]
    page = params.page(chosen)
    return DebtReport(
        summary=debt.summarize(found, chosen, params.top_files),
        items=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=files_seen(project.sources),
        passages=_passages(page.items, project) if params.format == "html" else (),
        format=params.format,
    )


def _is_wanted(item: DebtItem, params: DebtParams) -> bool:
    severities = debt.SEVERITIES
    return (
        severities.index(item.severity) <= severities.index(params.min_severity)
        and (not params.categories or item.category in params.categories)
        and (item.tag is not None or not params.strict)
    )


def _headline(summary: DebtSummary) -> Iterator[str]:
    read = f"{summary.total_comments:,} in {counted(summary.total_files, 'file')}"
    yield f"{counted(summary.total_items, 'comment admits', 'comments admit')} debt, of {read}"
    if summary.total_items:
        yield ", ".join(f"{count:,} {name}" for name, count in summary.by_severity.items())
        yield ", ".join(f"{count:,} {name}" for name, count in summary.by_category.items())
