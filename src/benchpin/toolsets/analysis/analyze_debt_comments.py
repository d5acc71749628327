"""Find the debt that authors admit in comments."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures import debt
from benchpin.measures.debt import Category, DebtItem, DebtSummary, Severity
from benchpin.measures.views import debt as debt_view
from benchpin.present import ExcerptGroup, FindingFormat, FindingParams, Image, Report, View
from benchpin.present.page import Section, excerpts

from ._selection import FilesSeen, ScopedParams, ToolchainParams, files_seen, project_of


class DebtParams(FindingParams, ScopedParams, ToolchainParams):
    """Which debt to look for and how to show it."""

    format: Rare[Literal[FindingFormat, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details; csv, sarif and junit have every row."""
    min_severity: Severity = "Low"
    """Minimum severity to report."""
    categories: Rare[tuple[Category, ...]] = ()
    """Only these categories of debt; all by default."""
    min_confidence: Rare[Annotated[float, Field(ge=0, le=1)]] = debt.MIN_CONFIDENCE
    """Minimum confidence to report; 0.9 keeps the clearest cases."""
    strict: Rare[bool] = False
    """Only comments with a tag such as TODO or FIXME; a tag without text has confidence 0.5."""
    top_files: Rare[Annotated[int, Field(ge=0, le=1000)]] = 10
    """How many of the files with the most debt to list."""


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
        headline=lambda it: debt_view.headline(it.summary),
        tables=(debt_view.COMMENTS, debt_view.FILES),
        pictures=(debt_view.BARS,),
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

    Reads only comments, and recognizes more than TODO.
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
        passages=debt_view.passages(page.items, project.selection.root)
        if params.format == "html"
        else (),
        format=params.format,
    )


def _is_wanted(item: DebtItem, params: DebtParams) -> bool:
    severities = debt.SEVERITIES
    return (
        severities.index(item.severity) <= severities.index(params.min_severity)
        and (not params.categories or item.category in params.categories)
        and (item.tag is not None or not params.strict)
    )
