"""Find the files that change most, from the git history."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.text import counted, utf8
from benchpin.core.tools import Effect, Number, Rare, tool
from benchpin.facts import FileSelection, SourceQuery
from benchpin.measures.churn import (
    WIDER_DAYS,
    ChurnSummary,
    CoupledFiles,
    FileChurn,
    measure_churn,
    rounded,
)
from benchpin.measures.history import read_history
from benchpin.present import PICTURE_FORMATS, Column, Format, Image, ListParams, Report, Table, View
from benchpin.present.charts import Shown, matrix, stacked_bars
from benchpin.present.pictures import Picture, PictureRow, bars
from benchpin.project.pictures import together_rows
from benchpin.workspace.walking import WalkOptions

from ._selection import PathParams

_MAX_PAIRS = 20
_FIRST_YEAR = 1970


class ChurnParams(ListParams, PathParams):
    """Which part of the history to analyze and how to show it."""

    period_days: Annotated[Number, Field(ge=1, le=36_500)] = 30
    """How many days back to look; if it is left out and nothing changed, more."""
    format: Rare[Literal[Format, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details, csv has every row."""
    picture: Rare[Literal["co-change", "changes"] | None] = None
    """What svg and png show: files that change together, or the most changed ones."""
    until: Rare[str | None] = None
    """The last day of the period, in UTC, such as 2026-01-31; now by default."""


def _date(
    name: str, moment: Callable[[FileChurn], dt.datetime], *, is_detail: bool = False
) -> Column[FileChurn]:
    """Return a column with the day for people and the second for programs."""
    exact = Column[FileChurn](name, lambda it: f"{moment(it):%Y-%m-%dT%H:%M:%SZ}")
    return Column(name, lambda it: f"{moment(it):%Y-%m-%d}", is_detail=is_detail, parts=(exact,))


_MAX_DRAWN_ROWS = 20
_MAX_AUTHORS = 6


def _changes(files: Sequence[FileChurn]) -> Iterator[PictureRow]:
    """Yield the commits of each file by author; those who made few are others."""
    drawn = files[:_MAX_DRAWN_ROWS]
    commits = Counter[str]()
    for file in drawn:
        commits.update({it.name: it.commits for it in file.authors})
    known = {name for name, _ in commits.most_common(_MAX_AUTHORS)}
    for order, file in enumerate(drawn):
        parts = Counter({utf8(it.name): it.commits for it in file.authors if it.name in known})
        parts["others"] = file.commit_count - parts.total()
        about: PictureRow = {
            "path": utf8(file.path),
            "order": order,
            "all_commits": file.commit_count,
        }
        for at, (author, count) in enumerate(it for it in parts.items() if it[1] > 0):
            yield {**about, "author": author, "commits": count, "part_order": at}


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
        headline=lambda it: _headline(it, it.summary),
        tables=(
            Table(
                rows=lambda it: it.files,
                columns=(
                    Column("path", lambda it: utf8(it.path), heading="file"),
                    Column("commits", lambda it: it.commit_count),
                    Column("additions", heading="added"),
                    Column("deletions", heading="deleted"),
                    Column("score", lambda it: rounded(it.churn_score), spec=".2f"),
                    Column("authors", lambda it: it.unique_authors),
                    _date("first_change", lambda it: it.first_seen, is_detail=True),
                    _date("last_change", lambda it: it.last_modified),
                    Column("days_since_change", is_detail=True),
                    Column("coupled_files", is_detail=True),
                ),
                title="Most changed files",
            ),
            Table(
                rows=lambda it: it.summary.stable_files,
                columns=(Column("file", utf8),),
                title="Stable files, least changed first",
                is_detail=True,
            ),
            Table(
                rows=lambda it: it.summary.author_contributions,
                columns=(
                    Column("commits"),
                    Column("share", spec=".0%"),
                    Column("author", lambda it: utf8(it.name)),
                ),
                title="Most active authors",
                is_detail=True,
            ),
            Table(
                rows=lambda it: it.coupling,
                columns=(
                    Column("shared_commits", heading="commits"),
                    Column("degree", spec=".2f"),
                    Column("first", lambda it: utf8(it.first), heading="file"),
                    Column("second", lambda it: utf8(it.second), heading="changes with"),
                ),
                title=lambda it: (
                    f"Files that change together, {len(it.coupling)} of {it.coupled_pairs:,} pairs"
                ),
                summary_rows=10,
            ),
        ),
        pictures=(
            Picture(
                name="co-change",
                title="Files that change together",
                rows=lambda it: together_rows(it.together),
                spec=matrix(
                    Shown("column", "Changes with", "nominal"),
                    Shown("row", "File", "nominal"),
                    Shown("degree", "Share of commits in common", format=".0%"),
                    Shown("commits", "Commits with both"),
                ),
                alt=lambda it, rows: (
                    f"{counted(it.coupled_pairs, 'pair')} of files changed in the same commits in "
                    f"{it.period_days:g} days; {rows[0]['first']} and {rows[0]['second']} most, "
                    f"in {rows[0]['commits']}. {len(rows) // 2} pairs are drawn, of code "
                    "if there are such."
                ),
                text=lambda rows: bars("pair", "commits")(rows[::2]),
                link="first",
            ),
            Picture(
                name="changes",
                title="The most changed files",
                rows=lambda it: [*_changes(it.files)],
                spec=stacked_bars(
                    Shown("path", "File", "nominal"),
                    Shown("commits", "Commits", is_count=True),
                    Shown("author", "Author", "nominal"),
                ),
                alt=lambda it, rows: (
                    f"{rows[0]['path']} changed most of {counted(it.total, 'file')} in "
                    f"{it.period_days:g} days: {rows[0]['all_commits']} commits. "
                    "Colours are its most active authors."
                ),
                text=lambda rows: bars("path", "all_commits")(
                    [it for it in rows if not it["part_order"]]
                ),
                link="path",
            ),
        ),
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
    """Rank the files of a git repository by how often and how much they changed lately.

    Shows hotspots, stable files, authors and files that change together. Renames are followed,
    merges are not counted. Use it to find where work and risk concentrate.
    """
    selection = _select(params, bench)
    last_day = None if params.until is None else _day(params.until)
    end = bench.now() if last_day is None else _midnight_after(last_day)
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


def _midnight_after(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), dt.UTC)


def _select(params: ChurnParams, bench: Bench) -> FileSelection:
    start = str(bench.workspace.relative(bench.existing(params.project_path)))
    options = WalkOptions(
        include_patterns=params.include_patterns, exclude_patterns=params.exclude_patterns
    )
    query = SourceQuery(start=start, options=options)
    return FileSelection(bench.session, bench.permissions, bench.job, query)


def _headline(report: ChurnReport, summary: ChurnSummary) -> Iterator[str]:
    if report.is_widened and summary.total_commits:
        default = ChurnParams.model_fields["period_days"].default
        wider = f"this is period_days={report.period_days}"
        yield report.text_style.hint(f"Nothing changed in the last {default} days, so {wider}")
    period = f"the {counted(report.period_days, 'day')} from {report.since} to {report.until}"
    if summary.total_commits:
        people = counted(summary.unique_authors, "author")
        files = counted(summary.total_files_changed, "file")
        yield f"{counted(summary.total_commits, 'commit')} by {people} changed {files} in {period}"
        lines = f"{summary.additions:,} lines added, {summary.deletions:,} deleted"
        yield f"{lines}; hotspots, with a score above 0.5: {len(summary.hotspot_files)}"
    elif report.missing:
        yield f"No changes were read in {period}"
    elif report.is_widened:
        yield f"No changes in {period}, and none before"
    else:
        wider = "a greater period_days looks further back"
        yield report.text_style.hint(f"No changes in {period}; {wider}")
    if summary.removed_files:
        yield f"Files that changed, were removed since and are left out: {summary.removed_files:,}"
