"""The churn report in every format."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchpin.core import counted, plain
from benchpin.engines.metrics.churn import ChurnReport, CoupledFiles, FileChurn

from ._tables import Cell, as_csv, as_markdown, columns

HEADER = (
    "path",
    "commits",
    "additions",
    "deletions",
    "score",
    "authors",
    "first_change",
    "last_change",
    "days_since_change",
    "coupled_files",
)
_PAIR_HEADER = ("shared_commits", "degree", "first", "second")
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Period:
    """The days that were looked at."""

    days: int
    since: dt.date
    until: dt.date
    is_shallow: bool
    missing: tuple[str, ...] = ()
    """What could not be read, in words."""

    def __str__(self) -> str:
        """Say which days."""
        return f"the {self.days:,} days from {self.since} to {self.until}"


def summary_text(report: ChurnReport, period: Period) -> str:
    """Return the few lines that say how it stands."""
    lines = _head(report, period)
    if report.files:
        rows = [("score", "commits", "added", "deleted", "authors", "last change", "file")]
        lines += ["", "most changed", *columns([*rows, *map(_short_row, report.files[:_SHOWN])])]
    if report.stable:
        lines += ["", "stable", *(plain(file.path) for file in report.stable)]
    if report.coupling:
        pairs = report.coupling[:_SHOWN]
        lines += ["", f"change together, {len(pairs)} of {len(report.coupling):,} pairs"]
        lines += columns([("commits", "degree", "files"), *map(_short_pair, pairs)])
    return "\n".join(lines)


def markdown_text(
    report: ChurnReport, period: Period, files: Sequence[FileChurn], footer: str
) -> str:
    """Return the report as Markdown, with one page of files."""
    parts = ["# Code churn\n", *(f"- {line}" for line in _head(report, period))]
    for title, listed in (
        ("Hotspots", report.hotspots),
        ("Stable files", report.stable),
        ("Files", files),
    ):
        if listed:
            parts += [f"\n## {title}\n", as_markdown(HEADER, map(_row, listed))]
    if report.coupling:
        pairs = report.coupling[:_SHOWN]
        parts += [f"\n## Change together: {len(pairs)} of {len(report.coupling):,} pairs\n"]
        parts += [as_markdown(_PAIR_HEADER, map(_pair_row, pairs))]
    return "\n".join([*parts, footer]).rstrip() + "\n"


def csv_text(files: Iterable[FileChurn]) -> str:
    """Return every file as CSV."""
    return as_csv(HEADER, map(_row, files))


def rounded(ratio: float) -> float:
    """Return a score, a share or a degree as it is shown everywhere."""
    return round(ratio, 4)


def moment(when: dt.datetime) -> str:
    """Return a time of UTC in ISO 8601."""
    return f"{when:%Y-%m-%dT%H:%M:%SZ}"


def _head(report: ChurnReport, period: Period) -> list[str]:
    lines = []
    if report.commits:
        people = f"{report.commits:,} commits by {len(report.authors):,} authors"
        changed = f"{report.additions:,} lines added, {report.deletions:,} deleted"
        lines += [
            f"{people} changed {counted(len(report.files), 'file')} in {period}",
            f"{changed}; hotspots, with a score above 0.5: {len(report.hotspots)}",
        ]
    elif not period.missing:
        lines.append(f"No changes in {period}; a greater period_days looks further back")
    if report.removed_files:
        lines.append(
            f"Files that changed, were removed since and are left out: {report.removed_files:,}"
        )
    if period.is_shallow:
        lines.append("The clone is shallow: a part of the period is missing")
    lines += (f"Not read: {what}" for what in period.missing)
    return lines


def _short_row(file: FileChurn) -> tuple[Cell, ...]:
    return (
        f"{file.churn_score:.2f}",
        file.commit_count,
        file.additions,
        file.deletions,
        file.unique_authors,
        str(file.last_modified.date()),
        plain(file.path),
    )


def _short_pair(pair: CoupledFiles) -> tuple[Cell, ...]:
    return pair.shared_commits, f"{pair.degree:.2f}", f"{plain(pair.first)} + {plain(pair.second)}"


def _row(file: FileChurn) -> tuple[Cell, ...]:
    return (
        plain(file.path),
        file.commit_count,
        file.additions,
        file.deletions,
        str(rounded(file.churn_score)),
        file.unique_authors,
        moment(file.first_seen),
        moment(file.last_modified),
        file.days_since_change,
        file.coupled_files,
    )


def _pair_row(pair: CoupledFiles) -> tuple[Cell, ...]:
    return pair.shared_commits, str(rounded(pair.degree)), plain(pair.first), plain(pair.second)
