"""How churn is shown."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchpin.core.text import counted, utf8
from benchpin.facts.languages import detect_language
from benchpin.measures.churn import AuthorShare, ChurnSummary, CoupledFiles, FileChurn, rounded
from benchpin.present import Column, Table
from benchpin.present.charts import Shown, matrix, stacked_bars
from benchpin.present.pictures import Picture, PictureRow, bars

from .dependency_map import short_names

DEFAULT_DAYS = 30
_MAX_DRAWN_ROWS = 20  # more bars do not fit a screen
_MAX_AUTHORS = 6  # more colours look alike
_MAX_FILES_TOGETHER = 24  # rows of the matrix whose names can be read
# Pairs of code that are worth a picture.
_ENOUGH = 3


def _date(
    name: str, moment: Callable[[FileChurn], dt.datetime], *, is_detail: bool = False
) -> Column[FileChurn]:
    """Return a column with the day for people and the second for programs."""
    exact = Column[FileChurn](name, lambda it: f"{moment(it):%Y-%m-%dT%H:%M:%SZ}")
    return Column(name, lambda it: f"{moment(it):%Y-%m-%d}", is_detail=is_detail, parts=(exact,))


FILES: Table[Any, FileChurn] = Table(
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
)
FILES_IN_BRIEF = FILES.brief("Churn", "commits", "additions", "deletions", "authors", "path")
STABLE_FILES: Table[Any, str] = Table(
    rows=lambda it: it.summary.stable_files,
    columns=(Column("file", utf8),),
    title="Stable files, least changed first",
    is_detail=True,
)
AUTHORS: Table[Any, AuthorShare] = Table(
    rows=lambda it: it.summary.author_contributions,
    columns=(
        Column("commits"),
        Column("share", spec=".0%"),
        Column("author", lambda it: utf8(it.name)),
    ),
    title="Most active authors",
    is_detail=True,
)
COUPLING: Table[Any, CoupledFiles] = Table(
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
)
COUPLING_IN_BRIEF = COUPLING.brief(
    "Files that change together", "shared_commits", "degree", "first", "second"
)


def _commits(files: Sequence[FileChurn]) -> Iterator[PictureRow]:
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


def _is_code(path: str) -> bool:
    return detect_language(path, bytes) is not None


def together_rows(pairs: Sequence[CoupledFiles]) -> list[PictureRow]:
    """Return each pair twice, once for either side of the diagonal; the strongest first.

    Lock files and manifests always change together, so code goes first where there is some.
    """
    code = [it for it in pairs if _is_code(it.first) and _is_code(it.second)]
    pairs = code if len(code) >= _ENOUGH else pairs
    chosen: list[CoupledFiles] = []
    files: dict[str, None] = {}
    for pair in pairs:
        if len({*files, pair.first, pair.second}) > _MAX_FILES_TOGETHER:
            continue
        chosen.append(pair)
        files |= {pair.first: None, pair.second: None}
    names = short_names([utf8(it) for it in files])
    order = {path: at for at, path in enumerate(files)}
    return [
        {
            "first": utf8(one),
            "second": utf8(two),
            "pair": f"{names[utf8(one)]} + {names[utf8(two)]}",
            "row": names[utf8(one)],
            "column": names[utf8(two)],
            "row_order": order[one],
            "column_order": order[two],
            "commits": it.shared_commits,
            "degree": round(it.degree, 4),
        }
        for it in chosen
        for one, two in ((it.first, it.second), (it.second, it.first))
    ]


TOGETHER: Picture[Any] = Picture(
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
)
CHANGES: Picture[Any] = Picture(
    name="changes",
    title="The most changed files",
    rows=lambda it: [*_commits(it.files)],
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
    text=lambda rows: bars("path", "all_commits")([it for it in rows if not it["part_order"]]),
    link="path",
)


def headline(report: Any) -> Iterator[str]:
    """Yield the totals of the period, or that nothing changed in it."""
    summary: ChurnSummary = report.summary
    if report.is_widened and summary.total_commits:
        wider = f"this is period_days={report.period_days}"
        yield report.text_style.hint(f"Nothing changed in the last {DEFAULT_DAYS} days, so {wider}")
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
        removed = counted(summary.removed_files, "file")
        yield f"Changed and removed since, so left out: {removed}"
