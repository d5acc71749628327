"""Find the files that change most, from the git history."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import Effect, Number, Rare, tool
from benchpin.measures.churn import WIDER_DAYS, ChurnSummary, CoupledFiles, FileChurn, measure_churn
from benchpin.measures.history import read_history
from benchpin.measures.views import churn as churn_view
from benchpin.present import PICTURE_FORMATS, Format, Image, ListParams, Report, View

from ._selection import PathParams, select

_MAX_PAIRS = 20
_FIRST_YEAR = 1970


class ChurnParams(ListParams, PathParams):
    """Which part of the history to analyze and how to show it."""

    period_days: Annotated[Number, Field(ge=1, le=36_500)] = churn_view.DEFAULT_DAYS
    """How many days back to look; by default further back if nothing changed."""
    format: Rare[Literal[Format, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details, csv has every row."""
    picture: Rare[Literal["co-change", "changes"] | None] = None
    """What svg and png show: files that change together, or the most changed ones."""
    until: Rare[str | None] = None
    """The last day of the period, in UTC, such as 2026-01-31; now by default."""


class ChurnReport(Report):
    """Totals, and files, most changed first."""

    period_days: int | float
    since: dt.date
    until: dt.date
    summary: ChurnSummary
    files: list[FileChurn]
    total: int
    next_cursor: str | None
    coupling: list[CoupledFiles]
    """The twenty pairs that change together most often, in 3 commits or more, to 0.5 or more."""
    coupled_pairs: int
    """How many such pairs there are."""
    is_shallow: bool
    """Whether a shallow clone lacks a part of the period."""
    gaps: list[str]
    """What the clone lacks of the period, if anything."""
    is_widened: Annotated[bool, Field(exclude=True)] = False
    """Whether nothing changed in the default period, so that longer ones were read."""
    together: Annotated[Sequence[CoupledFiles], Field(exclude=True)] = ()
    """The pairs of the picture: more than are listed."""

    view = View["ChurnReport"](
        title="Code churn",
        headline=churn_view.headline,
        tables=(churn_view.FILES, churn_view.STABLE_FILES, churn_view.AUTHORS, churn_view.COUPLING),
        pictures=(churn_view.TOGETHER, churn_view.CHANGES),
    )

    def lacks(self) -> list[str]:
        """Return what the clone lacks."""
        return self.gaps


@tool(
    title="Code churn",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "git history, who changed, who works on it, authors, owners, recent commits, most "
        "active, hot files, change together, co-change, last months, frequently modified, which "
        "files change most, how often do we touch it, contributors, activity, last quarter"
    ),
)
def analyze_code_churn(params: ChurnParams, bench: Bench) -> ChurnReport:
    """Rank the files of a git repository by how often and how much they changed recently.

    Shows hotspots, stable files, authors and files that change together. Renames are followed,
    merges are not counted. Work and risk concentrate in what changes most.
    """
    selection = select(params, bench)
    last_day = None if params.until is None else _day(params.until)
    end = (
        bench.now()
        if last_day is None
        else dt.datetime.combine(last_day + dt.timedelta(days=1), dt.time(), dt.UTC)
    )
    wider = () if "period_days" in params.model_fields_set else WIDER_DAYS
    for days in (params.period_days, *wider):
        history = read_history(
            selection.folder,
            selection.root,
            bench.job,
            since=end - dt.timedelta(days=days),
            until=None if last_day is None else end,
            git_folders=selection.session.git_folders,
        )
        churn = measure_churn(history, end, selection.accepts)
        if churn.summary.total_commits or bench.job.missing:
            break
    is_widened = days > params.period_days
    if not churn.summary.total_commits:
        days = params.period_days
    page = params.page(churn.files)
    return ChurnReport(
        period_days=days,
        is_widened=is_widened,
        since=(end - dt.timedelta(days=days)).date(),
        until=last_day or end.date(),
        summary=churn.summary,
        files=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        coupling=list(churn.coupling[:_MAX_PAIRS]),
        coupled_pairs=len(churn.coupling),
        together=churn.coupling if params.format in PICTURE_FORMATS else (),
        is_shallow=history.is_shallow,
        gaps=list(churn.gaps),
        format=params.format,
        picture=params.picture or "",
    )


def _day(written: str) -> dt.date:
    """Read a day on which there may be commits, and which has a next one."""
    try:
        day = dt.date.fromisoformat(written)
    except ValueError:
        day = dt.date.max
    if not _FIRST_YEAR <= day.year < dt.MAXYEAR:
        raise InvalidParams(
            f"until: {written!r} is not a day from {_FIRST_YEAR} on",
            suggestion="Give a date such as 2026-01-31.",
        )
    return day
