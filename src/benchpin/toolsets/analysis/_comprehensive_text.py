"""The comprehensive report as text, for a screen and for a document."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchpin.core import counted, plain
from benchpin.engines.insight.advice import Recommendation
from benchpin.engines.insight.scorecard import Scorecard

from . import _comprehensive_parts as parts
from ._tables import Row, as_markdown, columns

_SHOWN = 3
_MOST_LANGUAGES = 4
_LEAST_SHARE = 0.005


@dataclass(frozen=True, slots=True)
class Section:
    """One analysis: what it says in a line, and the places that this rests on."""

    title: str
    headline: str
    header: Sequence[str]
    rows: Sequence[Row]


def overview_line(it: parts.Overview) -> str:
    """Return how big a project is, in a line."""
    if not it.files:
        return "No file here is in a language that is measured."
    shares = {name: lines / max(1, it.code_lines) for name, lines in it.languages.items()}
    named = [f"{name} {share:.0%}" for name, share in shares.items() if share >= _LEAST_SHARE]
    more = ["…"] if len(named) > _MOST_LANGUAGES else []
    languages = ", ".join(named[:_MOST_LANGUAGES] + more)
    size = f"{counted(it.files, 'file')}, {counted(it.functions, 'function')}, "
    size += counted(it.code_lines, "line of code", "lines of code")
    return f"{size}: {languages}" if languages else size


def complexity_section(it: parts.ComplexityPart) -> Section:
    """Return the functions that are hard to follow."""
    summary = it.summary
    headline = "no functions"
    if summary.total_functions:
        headline = (
            f"{it.total:,} of {summary.total_functions:,} functions are hard to follow; cyclomatic "
            f"median {summary.median_cyclomatic:g}, highest {summary.max_cyclomatic}"
        )
    rows = [(it.cyclomatic, it.cognitive, f"{it.file}:{it.line}", it.function) for it in it.worst]
    return Section("complexity", headline, ("cyclomatic", "cognitive", "place", "function"), rows)


def duplicates_section(it: parts.DuplicatesPart) -> Section:
    """Return the biggest clones."""
    share = it.summary.duplicated_percent
    headline = counted(it.total, "group of clones", "groups of clones")
    if share is not None:
        headline = f"{share:g} % of the lines, in {headline}"
    rows = []
    for group in it.biggest:
        first, second = group.fragments[:2]
        places = f"{first.file}:{first.line}", f"{second.file}:{second.line}"
        more = len(group.fragments) - 2
        rows.append((group.lines, *places, f"and {more} more" if more else ""))
    return Section("duplicates", headline, ("lines", "place", "again at", ""), rows)


def dead_code_section(it: parts.DeadCodePart) -> Section:
    """Return what is dead most surely."""
    summary = it.summary
    headline = (
        f"{it.sure:,} of {summary.total_definitions:,} functions and types seem unused"
        if it.sure == it.total
        else f"{it.sure:,} of {summary.total_definitions:,} functions and types seem unused, "
        f"{it.total - it.sure:,} more perhaps (confidence from {it.min_confidence:g})"
    )
    rows = [(f"{it.confidence:.2f}", f"{it.file}:{it.line}", it.name) for it in it.surest]
    return Section("dead code", headline, ("confidence", "place", "name"), rows)


def gradient_section(it: parts.GradientPart) -> Section:
    """Return the files that gather debt fastest."""
    headline = "no file to rank"
    if it.average is not None:
        average = f"{it.average:.2f} on average, of 5"
        headline = f"{it.critical:,} files critical, {it.warning:,} to watch; {average}"
    rows = [(round(it.score, 2), it.severity, it.file) for it in it.steepest]
    return Section("debt gradient", headline, ("score", "severity", "file"), rows)


def defects_section(it: parts.DefectsPart) -> Section:
    """Return the files that are likeliest to need a bug fix."""
    bands = ", ".join(f"{count:,} {band.lower()}" for band, count in it.bands.items())
    model = "its own bug fixes" if it.model == "own" else "public histories"
    told = f", AUC {it.auc:.2f} last year" if it.auc is not None else ""
    told += f"; without history: {it.lacks_history}" if it.lacks_history else ""
    rows = [(f"{it.probability:.2f}", it.band, it.file) for it in it.likeliest]
    headline = f"files by risk of a bug fix within a year: {bands}; learnt from {model}{told}"
    return Section("defects", headline, ("probability", "band", "file"), rows)


def score_lines(card: Scorecard) -> list[str]:
    """Return the scorecard in two lines; none where nothing was scored."""
    if card.overall_health is None:
        return []
    parts = ", ".join(
        f"{it.name.replace('_', ' ')} {it.score:.0f}" for it in card.parts if it.score is not None
    )
    hours = card.technical_debt_hours
    debt = "" if hours is None else f"; about {hours:,.0f} hours of debt"
    unknown = ", ".join(it.name.replace("_", " ") for it in card.parts if it.score is None)
    lacks = f"; not measured: {unknown}" if unknown else ""
    return [f"health {card.overall_health:.0f} of 100, tests aside{debt}", f"  {parts}{lacks}"]


def advice_section(advice: Sequence[Recommendation]) -> Section:
    """Return what to do first."""
    rows = [
        (it.priority, it.title, f"{it.evidence[0].file}:{it.evidence[0].line}") for it in advice
    ]
    headline = "by rules, the most urgent first"
    return Section("what to do", headline, ("priority", "what", "place"), rows)


def screen(
    head: Sequence[str], sections: Iterable[Section], tail: Sequence[str], most: int = _SHOWN
) -> str:
    """Return a report for a screen, with a few rows of each section."""
    lines = list(head)
    for it in sections:
        shown = columns(it.rows[:most]) if it.rows else []
        lines += ["", f"{it.title}: {it.headline}", *(f"  {row}" for row in shown)]
    return "\n".join([*lines, *([""] if tail else []), *tail])


def document(
    title: str, head: Sequence[str], sections: Iterable[Section], tail: Sequence[str]
) -> str:
    """Return a report as Markdown."""
    pieces = [f"# {title}\n", *(f"- {line}" for line in head)]
    for it in sections:
        pieces += [f"\n## {it.title.capitalize()}\n", plain(it.headline)]
        if it.rows:
            pieces += ["", as_markdown(it.header, it.rows).rstrip()]
    if tail:
        pieces += ["\n## What was looked at\n", *(f"- {line}" for line in tail)]
    return "\n".join(pieces) + "\n"
