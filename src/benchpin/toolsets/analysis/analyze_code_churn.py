"""Find the files that change most, from the history of the repository."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from benchpin.core import (
    Bench,
    Effect,
    InvalidParams,
    Item,
    Operation,
    Params,
    tool,
    utf8,
)
from benchpin.engines.metrics import churn
from benchpin.engines.source.history import read_history
from benchpin.engines.source.path_filter import PathFilter

from . import _churn_text as text
from ._formats import Report, page_of

MOST_AUTHORS = 5
MOST_PAIRS = 20
_FIRST_YEAR = 1970


class ChurnParams(Params):
    """Which part of history to look at and how to show it."""

    project_path: str = "."
    """File or folder of a git repository, relative to the workspace."""
    period_days: Annotated[int, Field(ge=1, le=36_500)] = 30
    """How many days back to look."""
    until: str | None = None
    """The last day of the period, in UTC, such as 2026-01-31; now by default."""
    include_patterns: tuple[str, ...] = ()
    """Only files that match one of these globs, such as src/**/*.py."""
    exclude_patterns: tuple[str, ...] = ()
    """No files that match one of these globs, such as **/*.lock."""
    format: Literal["summary", "json", "markdown", "csv"] = "summary"
    """How to show it; csv lists every file."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many files to return; csv has them all."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


Name = Annotated[str, BeforeValidator(utf8)]
Ratio = Annotated[float, BeforeValidator(text.rounded)]


class ChurnAuthor(Item):
    """Who made how many of the commits; share is from 0 to 1."""

    name: Name
    commits: int
    share: Ratio


TopAuthors = Annotated[list[ChurnAuthor], BeforeValidator(lambda ranked: ranked[:MOST_AUTHORS])]


class ChurnSummary(Item):
    """The period as a whole."""

    total_commits: int
    """Commits, without merges, that changed one of the files or one that was removed since."""
    total_files_changed: int
    additions: int
    deletions: int
    removed_files: int
    """Files that changed in the period and are gone; they are left out."""
    unique_authors: int
    author_contributions: TopAuthors
    """The five most active authors, as .mailmap names them."""
    hotspot_files: list[Name]
    """The ten most changed files, as far as their score is above 0.5."""
    stable_files: list[Name]
    """The ten least changed files, as far as their score is below 0.1."""


class ChurnFile(Item):
    """What happened to a file, under all the names that it had."""

    path: Name
    commit_count: int
    additions: int | None
    """Lines; null for a binary file, which has none."""
    deletions: int | None
    """Lines; null for a binary file, which has none."""
    churn_score: Ratio
    """From 0 to 1: 0.6 · commits / most commits + 0.4 · changed lines / most changed lines."""
    unique_authors: int
    authors: TopAuthors
    """The five most active."""
    first_seen: dt.datetime
    """The first change in the period."""
    last_modified: dt.datetime
    """The last change in the period."""
    days_since_change: int
    coupled_files: int
    """How many of the files change together with it."""


class ChurnPair(Item):
    """Two files that change together."""

    first: Name
    second: Name
    shared_commits: int
    """Commits that changed both; those of more than 50 files are not counted."""
    degree: Ratio
    """From 0 to 1: shared commits / the mean of both files' commits."""


class ChurnReport(Report):
    """Files by churn, most first, and how it all stands."""

    period_days: int
    since: dt.date
    until: dt.date
    summary: ChurnSummary
    files: list[ChurnFile]
    total: int
    next_cursor: str | None
    coupling: list[ChurnPair]
    """The twenty pairs that change together most often, in 3 commits or more, to 0.5 or more."""
    coupled_pairs: int
    """How many such pairs there are."""
    is_shallow: bool
    """Whether the clone lacks a part of the period, so that changes are missing."""


@tool(title="Code churn", effect=Effect.READ)
def analyze_code_churn(params: ChurnParams, bench: Bench) -> ChurnReport:
    """Rank the files of a git repository by how often and how much they changed lately.

    Shows hotspots, stable files, authors and files that change together. Renames are followed,
    merges are not counted. Use it to find where work and risk gather.
    """
    place = bench.existing(params.project_path)
    last_day = None if params.until is None else _day(params.until)
    end = bench.now() if last_day is None else _midnight_after(last_day)
    since = end - dt.timedelta(days=params.period_days)
    history = read_history(
        place if place.is_dir() else place.parent,
        bench.workspace.root,
        bench.job,
        since=since,
        until=None if last_day is None else end,
    )
    report = churn.churn_report(history, end, _selection(place, params, bench))
    period = text.Period(
        days=params.period_days,
        since=since.date(),
        until=last_day or end.date(),
        is_shallow=history.is_shallow,
        missing=tuple(bench.job.missing),
    )
    page = page_of(report.files, "churn", params)
    shown = ""
    match params.format:
        case "summary":
            shown = text.summary_text(report, period)
        case "markdown":
            shown = text.markdown_text(report, period, page.items, page.footer())
        case "csv":
            shown = text.csv_text(report.files)
    return ChurnReport(
        period_days=period.days,
        since=period.since,
        until=period.until,
        summary=_summary(report),
        files=[ChurnFile.model_validate(it, from_attributes=True) for it in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        coupling=[
            ChurnPair.model_validate(it, from_attributes=True)
            for it in report.coupling[:MOST_PAIRS]
        ],
        coupled_pairs=len(report.coupling),
        is_shallow=period.is_shallow,
        shown=shown,
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


def _midnight_after(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), dt.UTC)


def _selection(place: Path, params: ChurnParams, bench: Bench) -> Callable[[str], bool]:
    start = "" if place == bench.workspace.root else str(bench.workspace.relative(place))
    chosen = PathFilter(start, params.include_patterns, params.exclude_patterns)
    return lambda path: chosen.accepts(path) and bench.may(path, Operation.READ)


def _summary(report: churn.ChurnReport) -> ChurnSummary:
    fields = {
        "total_commits": report.commits,
        "total_files_changed": len(report.files),
        "additions": report.additions,
        "deletions": report.deletions,
        "removed_files": report.removed_files,
        "unique_authors": len(report.authors),
        "author_contributions": report.authors,
        "hotspot_files": [it.path for it in report.hotspots],
        "stable_files": [it.path for it in report.stable],
    }
    return ChurnSummary.model_validate(fields, from_attributes=True)
