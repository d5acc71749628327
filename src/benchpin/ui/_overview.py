"""The overview: how healthy the workspace is, what to do first, where; and the treemap."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from benchpin.core.text import plain, sendable
from benchpin.project.pictures import FileState
from benchpin.project.scores import PartName
from benchpin.project.trends import PERIODS, MeasureTrend, TrendPoint
from benchpin.toolsets.analysis.analyze_comprehensive import ComprehensiveReport
from benchpin.toolsets.analysis.analyze_trends import TrendReport

from ._pages import PageLinks

_PERCENT = 100
# The limit of an author's name: longer ones only fill the page.
_MAX_CHARS = 300
_GOOD_FROM = 65.0
_FAIR_FROM = 40.0
_MAX_FILES = 5
_MIN_POINTS = 2
# The list behind each part of the score.
_EVIDENCE: Mapping[PartName, str] = {
    "complexity": "analyze_complexity",
    "maintainability": "analyze_complexity",
    "duplication": "analyze_duplicates",
    "coverage": "quality_gate",
    "modularity": "analyze_graph_metrics",
    "debt_comments": "analyze_debt_comments",
    "dead_code": "analyze_dead_code",
    "defects": "analyze_defect_probability",
}


class TreemapMeasure(NamedTuple):
    """What the colour of a file can show."""

    name: str
    title: str
    kind: Literal["scale", "count", "name"]
    """scale is from good to bad, count from few to many, name has a colour for each."""
    limits: tuple[float, float] | None = None
    """The lowest and highest value; by default from 0 to what few files exceed."""
    is_bad_high: bool = False


MEASURES = (
    TreemapMeasure("defects", "Defect risk (%)", "scale", (0, 100), is_bad_high=True),
    TreemapMeasure("health", "Easy to follow (0 to 100)", "scale", (0, 100)),
    TreemapMeasure("complexity", "Complexity (points)", "count", is_bad_high=True),
    TreemapMeasure("commits", "Commits in a year", "count", is_bad_high=True),
    TreemapMeasure("coverage", "Covered by tests (%)", "scale", (0, 100)),
    TreemapMeasure("age_days", "Days since the last change", "count"),
    TreemapMeasure("owner", "Most commits by", "name"),
)


class HotSpot(NamedTuple):
    """A file that changes often and is hard to follow."""

    file: str
    commits: int
    complexity: int
    share: float
    """Of the highest score, from 0 to 100."""


def hot_spots(files: Sequence[FileState], most: int) -> list[HotSpot]:
    """Return the files with the highest product of commits and complexity."""
    ranked = sorted(files, key=lambda it: (-(it.commits or 0) * it.complexity, it.file))
    hot = [it for it in ranked[:most] if it.commits and it.complexity]
    highest = (hot[0].commits or 1) * hot[0].complexity if hot else 1
    return [
        HotSpot(
            it.file,
            it.commits or 0,
            it.complexity,
            round(_PERCENT * (it.commits or 0) * it.complexity / highest, 1),
        )
        for it in hot
    ]


def riskiest(files: Sequence[FileState], most: int) -> list[FileState]:
    """Return the files that are most likely to need a fix."""
    known = [it for it in files if it.defects is not None]
    return sorted(known, key=lambda it: (-(it.defects or 0), it.file))[:most]


def treemap_data(found: Sequence[FileState]) -> dict[str, object]:
    """Return what the treemap draws: a list for each measure that some file has."""
    files = sorted(found, key=lambda it: it.file)
    measures = []
    for measure in MEASURES:
        values = [_value(file, measure.name) for file in files]
        if any(value is not None for value in values):
            about = {
                "name": measure.name,
                "title": measure.title,
                "kind": measure.kind,
                "limits": measure.limits,
            }
            measures.append({**about, "isBadHigh": measure.is_bad_high, "values": values})
    return {
        "files": [sendable(it.file) for it in files],
        "lines": [it.lines for it in files],
        "measures": measures,
    }


def _value(file: FileState, name: str) -> str | int | float | None:
    value: str | int | float | None = getattr(file, name)
    if value is None:
        return None
    if name in {"defects", "coverage"}:
        return round(_PERCENT * float(value))
    if isinstance(value, str):
        return plain(value)[:_MAX_CHARS]
    return round(value)


class Size(NamedTuple):
    """A number about the whole, and where it comes from."""

    name: str
    value: str
    href: str


class TrendRow(NamedTuple):
    """A measure, how it changed since each moment, and its curve."""

    name: str
    now: str
    changes: Sequence[tuple[str, str]]
    """How much, and whether that is better, worse or the same; empty where it is not known."""
    curve: str
    """The points of a line in a box of 100 by 20; empty for fewer than two."""
    verdict: str
    """Of the whole curve."""


def trends(report: TrendReport) -> dict[str, object]:
    """Return what the overview says of what changed."""
    by_when = {it.when: it for it in report.points}
    known = [it for it in PERIODS.items() if it[1] in by_when]
    moments = [by_when[when] for _, when in known]
    return {
        "since": [(it.name or it.when, f"{it.date:%Y-%m-%d}, {it.commit}") for it in moments],
        "rows": [
            _trend_row(it, [field for field, _ in known], report.points) for it in report.measures
        ],
        "functions": report.functions,
        "functions_since": report.functions_since,
        "first": f"{report.points[0].date:%B %Y}" if len(report.points) > 1 else "",
    }


def _trend_row(row: MeasureTrend, fields: Sequence[str], points: Sequence[TrendPoint]) -> TrendRow:
    changes: list[tuple[str, str]] = []
    for field in fields:
        change: float | None = getattr(row, field)
        text = "" if change is None else f"{change:+,g}" if change else "="
        changes.append((text, row.verdict(change) or ""))
    known = [it for it in row.curve if it is not None]
    whole = row.verdict(known[-1] - known[0]) if len(known) > 1 else None
    now = "-" if row.now is None else f"{row.now:,g}"
    return TrendRow(row.name, now, changes, _line(row.curve, points), whole or "")


def _line(curve: Sequence[float | None], points: Sequence[TrendPoint]) -> str:
    """Return the points of a line in a box of 100 by 20, by date, with room for its width."""
    start, end = points[0].date, points[-1].date
    known = [
        ((point.date - start) / (end - start), value)
        for point, value in zip(points, curve, strict=True)
        if value is not None and end > start
    ]
    if len(known) < _MIN_POINTS:
        return ""
    low, high = min(it for _, it in known), max(it for _, it in known)
    scale = 16 / (high - low) if high > low else 0
    return " ".join(f"{100 * at:.1f},{18 - (it - low) * scale:.1f}" for at, it in known)


def grade(score: float | None) -> str:
    """Return how good a score is: bad, fair or good; none if it was not measured."""
    if score is None:
        return "none"
    if score >= _GOOD_FROM:
        return "good"
    return "fair" if score >= _FAIR_FROM else "bad"


def overview(report: ComprehensiveReport, links: PageLinks) -> dict[str, object]:
    """Return what the template of the overview needs, from a report with its landscape."""
    known = report.landscape.landscape if report.landscape else None
    files = known.files if known else ()
    return {
        "report": report,
        "grade": grade,
        "evidence": lambda part: links.findings(_EVIDENCE[part]),
        "sizes": _sizes(report, links),
        "hot": hot_spots(files, _MAX_FILES),
        "risky": riskiest(files, _MAX_FILES),
        "has_history": known is not None and known.has_history,
    }


def _sizes(report: ComprehensiveReport, links: PageLinks) -> Sequence[Size]:
    size = report.overview
    languages = ", ".join(it.language for it in size.languages[:3])
    more = len(size.languages) - 3
    return [
        Size("files", f"{size.files:,}", ""),
        Size("lines of code", f"{size.code_lines:,}", ""),
        Size("functions", f"{size.functions:,}", links.findings("analyze_complexity")),
        Size("languages", languages + (f" +{more}" if more > 0 else ""), ""),
    ]
