"""The overview: how healthy the workspace is, what to do first, and where."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchpin.project.scores import PartName
from benchpin.toolsets.analysis.analyze_comprehensive import ComprehensiveReport

from ._landscape import hot_spots, riskiest
from ._links import Links

_GOOD_FROM = 65.0
_FAIR_FROM = 40.0
_MAX_FILES = 5
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


class Size(NamedTuple):
    """A number about the whole, and where it comes from."""

    name: str
    value: str
    href: str


def grade(score: float | None) -> str:
    """Return how good a score is: bad, fair or good; none if it was not measured."""
    if score is None:
        return "none"
    if score >= _GOOD_FROM:
        return "good"
    return "fair" if score >= _FAIR_FROM else "bad"


def overview(report: ComprehensiveReport, links: Links) -> dict[str, object]:
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


def _sizes(report: ComprehensiveReport, links: Links) -> Sequence[Size]:
    size, card = report.overview, report.quality_scorecard
    hours = card.technical_debt_hours
    languages = ", ".join(it.language for it in size.languages[:3])
    more = len(size.languages) - 3
    return [
        Size("files", f"{size.files:,}", ""),
        Size("lines of code", f"{size.code_lines:,}", ""),
        Size("functions", f"{size.functions:,}", links.findings("analyze_complexity")),
        Size(
            "hours of debt",
            "not known" if hours is None else f"{hours:,.0f}",
            links.findings("quality_gate"),
        ),
        Size("languages", languages + (f" +{more}" if more > 0 else ""), ""),
    ]
