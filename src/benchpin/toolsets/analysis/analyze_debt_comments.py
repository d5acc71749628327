"""Find the debt that authors admit in comments."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, tool
from benchpin.engines.metrics import debt
from benchpin.engines.metrics.debt import Category, Severity

from . import _debt_text as text
from ._formats import Report, page_of
from ._project import project_of
from ._selection import FilesSeen, SelectionParams, files_seen


class DebtParams(SelectionParams):
    """Which debt to look for and how to show it."""

    toolchain: str | None = None
    """Only this toolchain or language: rust, deno, python-uv, go, java …; all by default."""
    format: Literal["summary", "full", "detailed", "json", "sarif", "markdown", "csv"] = "summary"
    """How to show it; full and detailed list every item of the page."""
    min_severity: Severity = "Low"
    """Leave out what is less grave."""
    categories: tuple[Category, ...] = ()
    """Only these kinds of debt; all by default."""
    min_confidence: Annotated[float, Field(ge=0, le=1)] = debt.MIN_CONFIDENCE
    """Leave out comments that are less likely to be debt; 0.9 keeps the plainest ones."""
    strict: bool = False
    """Only comments with a tag such as TODO or FIXME; one that says no more has confidence 0.07."""
    top_files: Annotated[int, Field(ge=0, le=1000)] = 10
    """How many of the files with the most debt to name."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many items to return; csv, markdown and sarif have them all."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class DebtReport(Report):
    """Comments that admit debt, the gravest first, and how it all stands."""

    summary: debt.DebtSummary
    items: list[debt.DebtItem]
    total: int
    next_cursor: str | None
    looked_at: FilesSeen


@tool(title="Debt comments", effect=Effect.READ)
def analyze_debt_comments(params: DebtParams, bench: Bench) -> DebtReport:
    """Find comments in which authors admit technical debt, with category, severity and place.

    Use it to see what was left undone or done badly. Reads comments only, and understands more
    than TODO. The gravest stand first.
    """
    project = project_of(params, bench, params.toolchain)
    found = project.debt(params.min_confidence).required()
    chosen = [item for item in found.items if _is_wanted(item, params)]
    summary = debt.summarize(found, chosen, params.top_files)
    page = page_of(chosen, "debt", params)
    seen = files_seen(project.sources)
    shown = ""
    match params.format:
        case "summary":
            shown = seen.below(text.summary_text(summary, page.items))
        case "full" | "detailed":
            shown = seen.below(text.full_text(summary, page.items), page.footer())
        case "sarif":
            shown = text.sarif_text(chosen, bench)
        case "markdown":
            shown = seen.below(text.markdown_text(summary, chosen))
        case "csv":
            shown = text.csv_text(chosen)
    return DebtReport(
        summary=summary,
        items=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=seen,
        shown=shown,
    )


def _is_wanted(item: debt.DebtItem, params: DebtParams) -> bool:
    severities = debt.SEVERITIES
    return (
        severities.index(item.severity) <= severities.index(params.min_severity)
        and (not params.categories or item.category in params.categories)
        and (item.tag is not None or not params.strict)
    )
