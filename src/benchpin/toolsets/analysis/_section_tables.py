"""How the sections of a report are shown: one line of the headline and one table each.

`analyze_comprehensive` and `analyze_deep_context` share them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from benchpin.core.text import counted, plain
from benchpin.measures import clones as duplicates
from benchpin.measures import complexity, debt
from benchpin.measures import unused as dead_code
from benchpin.present import Column, Finding, Table, location
from benchpin.project import sections
from benchpin.project.scores import Recommendation, Scorecard

S = TypeVar("S")
# Gives a section of a report; None when it was not measured.
Section = Callable[[Any], S | None]

AnyTable = Table[Any, Any]

RULES = (*complexity.RULES, *dead_code.RULES, *debt.RULES, *duplicates.RULES)
_MAX_LANGUAGES = 4
_MIN_SHARE = 0.005
_HOURS_S = 3600
_MAX_EVIDENCE_CHARS = 160


def size_line(summary: sections.CodeSummary) -> str:
    """Return how big a project is, and in which languages."""
    shares = [
        (one.language, one.code_lines / max(1, summary.code_lines)) for one in summary.languages
    ]
    named = [f"{name} {share:.0%}" for name, share in shares if share >= _MIN_SHARE]
    more = ["…"] if len(named) > _MAX_LANGUAGES else []
    languages = ", ".join(named[:_MAX_LANGUAGES] + more)
    size = f"{counted(summary.files, 'file')}, {counted(summary.functions, 'function')}, "
    size += counted(summary.code_lines, "line of code", "lines of code")
    return f"{size}: {languages}" if languages else size


def score_lines(card: Scorecard) -> Iterator[str]:
    """Return the scorecard in two lines; nothing where nothing was scored."""
    if card.overall_health is None:
        return
    yield f"health {card.overall_health:.0f} of 100, without tests"
    named = [(it.name.replace("_", " "), it.score) for it in card.parts]
    known = [f"{name} {score:.0f}" for name, score in named if score is not None]
    unknown = [name for name, score in named if score is None]
    lacks = f"; not measured: {', '.join(unknown)}" if unknown else ""
    yield f"  {', '.join(known)}{lacks}"


def hours_line(card: Scorecard) -> Iterator[str]:
    """Return the hours of debt and what they are made of; nothing where none were counted."""
    if not card.technical_debt_hours:
        return
    parts = [(it.name.replace("_", " "), it.hours) for it in card.debt]
    made_of = ", ".join(f"{name} {hours:,.0f}" for name, hours in parts if hours is not None)
    yield f"hours of debt, by convention: about {card.technical_debt_hours:,.0f} ({made_of})"


def section_lines(*measured: object | None) -> Iterator[str]:
    """Return one line for each section that has something to report."""
    for section in measured:
        if section is not None and (line := _LINES[type(section)](section)):
            yield line


def _complexity_line(section: sections.ComplexitySection) -> str:
    summary = section.summary
    if not summary.total_functions:
        return ""
    return (
        f"complexity: {section.total:,} of {summary.total_functions:,} functions over a threshold; "
        f"cyclomatic median {summary.median_cyclomatic:g}, highest {summary.max_cyclomatic}"
    )


def _duplicates_line(section: sections.DuplicatesSection) -> str:
    if not section.summary.total_files:
        return ""
    groups = counted(section.total, "group of exact clones", "groups of exact clones")
    share = section.summary.duplicated_percent
    of = "" if share is None else f"{share:g} % of the lines, in "
    return f"duplicates: {of}{groups}"


def _dead_code_line(section: sections.DeadCodeSection) -> str:
    if not section.summary.total_files:
        return ""
    more = (
        f", {section.total - section.certain:,} more perhaps"
        if section.total > section.certain
        else ""
    )
    of = f"{section.summary.total_definitions:,} functions and types"
    return f"dead code: {section.certain:,} of {of} seem unused{more}"


def _debt_line(section: sections.DebtSection) -> str:
    if not section.summary.total_files:
        return ""
    severities = ", ".join(
        f"{count:,} {name}" for name, count in section.summary.by_severity.items()
    )
    of = f"{section.total:,} of {section.summary.total_comments:,} comments admit debt"
    return f"debt comments: {of}{f': {severities}' if severities else ''}"


def _gradient_line(section: sections.GradientSection) -> str:
    if section.average is None:
        return ""
    bands = ", ".join(f"{count:,} {name}" for name, count in section.by_severity.items())
    return f"debt gradient: {bands}; {section.average:.2f} of 5 on average"


def _defects_line(section: sections.DefectSection) -> str:
    left_out = section.below_confidence
    if not sum(section.bands.values()) + sum(left_out.values()):
        return ""
    bands = ", ".join(f"{count:,} {band.lower()}" for band, count in section.bands.items())
    if sum(left_out.values()):
        counts = ", ".join(f"{count:,} {band.lower()}" for band, count in left_out.items())
        bands += f" (less certain: {counts})"
    model = "its own bug fixes" if section.model == "own" else "public histories"
    skill = f", AUC {section.auc:.2f} last year" if section.auc is not None else ""
    lacks = f"; without history: {plain(section.lacks_history)}" if section.lacks_history else ""
    risk = f"files by risk of a bug fix within a year: {bands}"
    return f"defects: {risk}; fitted on {model}{skill}{lacks}"


def _churn_line(section: sections.ChurnSection) -> str:
    people = f"{counted(section.commits, 'commit')} by {counted(section.authors, 'author')}"
    files = f"{counted(section.total, 'file')}, +{section.additions:,} -{section.deletions:,} lines"
    return f"churn: {people} in {section.period_days:,} days: {files}"


def _dependency_line(section: sections.DependencySection) -> str:
    if not section.nodes:
        return ""
    size = f"{section.nodes:,} nodes, {section.edges:,} edges"
    references = [
        f"; {kind}: {', '.join(f'{count:,} {outcome}' for outcome, count in counts.items())}"
        for kind, counts in section.references.items()
    ]
    cycles = counted(section.total_cycles, "import cycle")
    others = f" ({section.total_other_cycles:,} more by kind)" if section.total_other_cycles else ""
    return f"dependencies: {section.dag_type}, {size}, {cycles}{others}{''.join(references)}"


_LINES: dict[type, Callable[[Any], str]] = {
    sections.ComplexitySection: _complexity_line,
    sections.DuplicatesSection: _duplicates_line,
    sections.DeadCodeSection: _dead_code_line,
    sections.DebtSection: _debt_line,
    sections.GradientSection: _gradient_line,
    sections.DefectSection: _defects_line,
    sections.ChurnSection: _churn_line,
    sections.DependencySection: _dependency_line,
}


def recommendations_table(rows: int | None = None) -> Table[Any, Recommendation]:
    """Return what to do first, with its evidence."""
    return Table(
        rows=lambda it: it.recommendations,
        columns=(
            Column("priority", is_severity=True),
            Column("title", heading="what"),
            Column("location", lambda it: f"{it.evidence[0].file}:{it.evidence[0].line}"),
            Column("impact", is_detail=True),
            Column(
                "hours", lambda it: it.estimated_effort.secs / _HOURS_S, spec=",.1f", is_detail=True
            ),
            Column("description", is_below=True),
            Column("evidence", _evidence, is_below=True),
        ),
        title="What to do first, by rules",
        summary_rows=rows,
        is_page=True,
    )


def _evidence(recommendation: Recommendation) -> str:
    places = [
        f"{one.file}:{one.line} {one.what}"[:_MAX_EVIDENCE_CHARS] for one in recommendation.evidence
    ]
    more = recommendation.evidence_total - len(recommendation.evidence)
    return "; ".join([*places, *([f"{more:,} more"] if more else [])])


def _table(
    title: str,
    section: Section[S],
    rows: Callable[[S], Sequence[Any]],
    *columns: str | Column[Any],
    summary_rows: int = 0,
    findings: Callable[[Any], Iterable[Finding]] | None = None,
) -> AnyTable:
    """Return a table of one section; without summary rows, the summary leaves it out."""

    def rows_of(report: object) -> Sequence[Any]:
        found = section(report)
        return () if found is None else rows(found)

    return Table(
        rows=rows_of,
        columns=[Column[Any](it) if isinstance(it, str) else it for it in columns],
        title=title,
        findings=findings,
        summary_rows=summary_rows,
        is_detail=not summary_rows,
    )


def complexity_table(section: Section[sections.ComplexitySection], rows: int = 0) -> AnyTable:
    """Return the functions that are hardest to follow."""
    return _table(
        "Complexity",
        section,
        lambda it: it.violations,
        *("cyclomatic", "cognitive", location(), "function"),
        summary_rows=rows,
        findings=complexity.findings_of_function,
    )


def duplicates_table(section: Section[sections.DuplicatesSection], rows: int = 0) -> AnyTable:
    """Return the biggest clones, with their first two places."""
    return _table(
        "Duplicates",
        section,
        lambda it: list(enumerate(it.groups, start=1)),
        Column("lines", lambda it: it[1].lines),
        Column("location", lambda it: _place(it[1].fragments[0])),
        Column("again_at", lambda it: _place(it[1].fragments[1])),
        Column("more", lambda it: len(it[1].fragments) - 2 or None),
        summary_rows=rows,
        findings=lambda it: duplicates.findings(it[1], number=it[0]),
    )


def _place(fragment: duplicates.Fragment) -> str:
    return f"{fragment.file}:{fragment.line}"


def dead_code_table(section: Section[sections.DeadCodeSection], rows: int = 0) -> AnyTable:
    """Return what is dead most certainly."""
    return _table(
        "Dead code",
        section,
        lambda it: it.items,
        Column("confidence", spec=".2f"),
        Column("label", heading="kind"),
        location(),
        "name",
        Column("lines", is_detail=True),
        summary_rows=rows,
        findings=lambda it: [dead_code.as_finding(it)],
    )


def debt_table(section: Section[sections.DebtSection]) -> AnyTable:
    """Return the comments that admit debt."""
    return _table(
        "Debt comments",
        section,
        lambda it: it.items,
        *("severity", "category", location(), "text"),
        findings=lambda it: [debt.as_finding(it)],
    )


def gradient_table(section: Section[sections.GradientSection], rows: int = 0) -> AnyTable:
    """Return the files that gather debt fastest."""
    columns = (Column[Any]("score", spec=".2f"), "severity", "file")
    return _table("Debt gradient", section, lambda it: it.files, *columns, summary_rows=rows)


def defects_table(section: Section[sections.DefectSection], rows: int = 0) -> AnyTable:
    """Return the files that are most likely to need a bug fix."""
    columns = (Column[Any]("probability", spec=".2f"), "band", "file")
    return _table("Defect probability", section, lambda it: it.files, *columns, summary_rows=rows)


def churn_table(section: Section[sections.ChurnSection]) -> AnyTable:
    """Return the files that changed most."""
    return _table(
        "Churn",
        section,
        lambda it: it.files,
        Column("commit_count", heading="commits"),
        Column("additions", heading="added"),
        Column("deletions", heading="deleted"),
        Column("unique_authors", heading="authors"),
        Column("path", heading="file"),
    )


def coupling_table(section: Section[sections.ChurnSection]) -> AnyTable:
    """Return the files that change together."""
    columns = ("shared_commits", Column[Any]("degree", spec=".2f"), "first", "second")
    return _table("Files that change together", section, lambda it: it.coupling, *columns)


def dependents_table(section: Section[sections.DependencySection]) -> AnyTable:
    """Return the nodes that most others depend on."""
    columns = ("dependents", "depends_on", "name")
    return _table("Most depended on", section, lambda it: it.most_depended_on, *columns)


def cycles_table(section: Section[sections.DependencySection]) -> AnyTable:
    """Return the import cycles: those at run time, then those of other kinds."""
    path = Column[Any]("path", lambda it: " → ".join(it.steps()))
    return _table(
        "Import cycles", section, lambda it: [*it.cycles, *it.other_cycles], "kind", "size", path
    )
