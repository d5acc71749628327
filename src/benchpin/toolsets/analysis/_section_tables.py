"""How the sections of a report are shown: one headline and one table each.

`analyze_comprehensive` and `analyze_deep_context` share them.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from benchpin.core import Column, Table, counted, location, plain
from benchpin.engines.insight.advice import Recommendation
from benchpin.engines.insight.scorecard import Scorecard
from benchpin.engines.insight.sections import (
    ChurnSection,
    CodeSummary,
    ComplexitySection,
    DeadCodeSection,
    DebtSection,
    DefectSection,
    DependencySection,
    DuplicatesSection,
    GradientSection,
)
from benchpin.engines.metrics import complexity, dead_code, debt, duplicates

S = TypeVar("S")
Section = Callable[[Any], S | None]
"""Gives a section of a report; None when it was not measured."""

AnyTable = Table[Any, Any]

RULES = (*complexity.RULES, *dead_code.RULES, *debt.RULES, *duplicates.RULES)
_MOST_LANGUAGES = 4
_LEAST_SHARE = 0.005
_HOURS_S = 3600
_LONGEST_EVIDENCE = 160
NO_CODE = "No file here is in a supported language."


def size_line(it: CodeSummary) -> str:
    """Return how big a project is, and in which languages."""
    if not it.files:
        return NO_CODE
    shares = [(one.language, one.code_lines / max(1, it.code_lines)) for one in it.languages]
    named = [f"{name} {share:.0%}" for name, share in shares if share >= _LEAST_SHARE]
    more = ["…"] if len(named) > _MOST_LANGUAGES else []
    languages = ", ".join(named[:_MOST_LANGUAGES] + more)
    size = f"{counted(it.files, 'file')}, {counted(it.functions, 'function')}, "
    size += counted(it.code_lines, "line of code", "lines of code")
    return f"{size}: {languages}" if languages else size


def score_lines(card: Scorecard) -> Iterator[str]:
    """Return the scorecard in two lines; nothing where nothing was scored."""
    if card.overall_health is None:
        return
    hours = card.technical_debt_hours
    spent = "" if hours is None else f"; about {hours:,.0f} hours of debt"
    yield f"health {card.overall_health:.0f} of 100, without tests{spent}"
    named = [(it.name.replace("_", " "), it.score) for it in card.parts]
    known = [f"{name} {score:.0f}" for name, score in named if score is not None]
    unknown = [name for name, score in named if score is None]
    lacks = f"; not measured: {', '.join(unknown)}" if unknown else ""
    yield f"  {', '.join(known)}{lacks}"


def complexity_line(it: ComplexitySection | None) -> Iterator[str]:
    """Return how many functions are hard to follow."""
    if it is None or not it.summary.total_functions:
        return
    summary = it.summary
    yield (
        f"complexity: {it.total:,} of {summary.total_functions:,} functions over a threshold; "
        f"cyclomatic median {summary.median_cyclomatic:g}, highest {summary.max_cyclomatic}"
    )


def duplicates_line(it: DuplicatesSection | None) -> Iterator[str]:
    """Return the share of duplicated lines."""
    if it is None or not it.summary.total_files:
        return
    groups = counted(it.total, "group of exact clones", "groups of exact clones")
    share = it.summary.duplicated_percent
    yield (
        f"duplicates: {groups}"
        if share is None
        else (f"duplicates: {share:g} % of the lines, in {groups}")
    )


def dead_code_line(it: DeadCodeSection | None) -> Iterator[str]:
    """Return how much seems unused."""
    if it is None or not it.summary.total_files:
        return
    more = f", {it.total - it.certain:,} more perhaps" if it.total > it.certain else ""
    of = f"{it.summary.total_definitions:,} functions and types"
    yield f"dead code: {it.certain:,} of {of} seem unused{more}"


def debt_line(it: DebtSection | None) -> Iterator[str]:
    """Return how many comments admit debt."""
    if it is None or not it.summary.total_files:
        return
    severities = ", ".join(f"{count:,} {name}" for name, count in it.summary.by_severity.items())
    of = f"{it.total:,} of {it.summary.total_comments:,} comments admit debt"
    yield f"debt comments: {of}{f': {severities}' if severities else ''}"


def gradient_line(it: GradientSection | None) -> Iterator[str]:
    """Return how many files gather debt fast."""
    if it is None or it.average is None:
        return
    bands = ", ".join(f"{count:,} {name}" for name, count in it.by_severity.items())
    yield f"debt gradient: {bands}; {it.average:.2f} of 5 on average"


def defects_line(it: DefectSection | None) -> Iterator[str]:
    """Return how many files are likely to need a bug fix, and how the model does."""
    if it is None or not sum(it.bands.values()):
        return
    bands = ", ".join(f"{count:,} {band.lower()}" for band, count in it.bands.items())
    model = "its own bug fixes" if it.model == "own" else "public histories"
    skill = f", AUC {it.auc:.2f} last year" if it.auc is not None else ""
    lacks = f"; without history: {plain(it.lacks_history)}" if it.lacks_history else ""
    risk = f"files by risk of a bug fix within a year: {bands}"
    yield f"defects: {risk}; fitted on {model}{skill}{lacks}"


def churn_line(it: ChurnSection | None) -> Iterator[str]:
    """Return how much changed in the period."""
    if it is None:
        return
    people = f"{counted(it.commits, 'commit')} by {counted(it.authors, 'author')}"
    files = f"{counted(it.total, 'file')}, +{it.additions:,} -{it.deletions:,} lines"
    yield f"churn: {people} in {it.period_days:,} days: {files}"


def dependency_line(it: DependencySection | None) -> Iterator[str]:
    """Return the size of the graph, its cycles, and how references were resolved."""
    if it is None or not it.nodes:
        return
    size = f"{it.nodes:,} nodes, {it.edges:,} edges"
    references = [
        f"; {kind}: {', '.join(f'{count:,} {outcome}' for outcome, count in counts.items())}"
        for kind, counts in it.references.items()
    ]
    cycles = counted(it.total_cycles, "import cycle")
    yield f"dependencies: {it.dag_type}, {size}, {cycles}{''.join(references)}"


def _rows(section: S | None, rows: Callable[[S], Sequence[Any]]) -> Sequence[Any]:
    return () if section is None else rows(section)


def recommendations_table(rows: int | None = None) -> Table[Any, Recommendation]:
    """Return what to do first, with its evidence."""
    return Table(
        rows=lambda it: it.recommendations,
        columns=(
            Column("priority"),
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


def _evidence(it: Recommendation) -> str:
    places = [f"{one.file}:{one.line} {one.what}"[:_LONGEST_EVIDENCE] for one in it.evidence]
    more = it.evidence_total - len(it.evidence)
    return "; ".join([*places, *([f"{more:,} more"] if more else [])])


def complexity_table(section: Section[ComplexitySection], rows: int | None = None) -> AnyTable:
    """Return the functions that are hardest to follow."""
    return Table(
        rows=lambda it: _rows(section(it), lambda one: one.violations),
        columns=(Column("cyclomatic"), Column("cognitive"), location(), Column("function")),
        title="Complexity",
        findings=complexity.findings_of_function,
        summary_rows=rows,
        is_detail=rows == 0,
    )


def duplicates_table(section: Section[DuplicatesSection], rows: int | None = None) -> AnyTable:
    """Return the biggest clones, with their first two places."""
    return Table(
        rows=lambda it: list(enumerate(_rows(section(it), lambda one: one.groups), start=1)),
        columns=(
            Column("lines", lambda it: it[1].lines),
            Column("location", lambda it: _place(it[1].fragments[0])),
            Column("again_at", lambda it: _place(it[1].fragments[1])),
            Column("more", lambda it: len(it[1].fragments) - 2 or None),
        ),
        title="Duplicates",
        findings=lambda it: duplicates.findings(it[1], number=it[0]),
        summary_rows=rows,
        is_detail=rows == 0,
    )


def _place(it: duplicates.Fragment) -> str:
    return f"{it.file}:{it.line}"


def dead_code_table(section: Section[DeadCodeSection], rows: int | None = None) -> AnyTable:
    """Return what is dead most certainly."""
    return Table(
        rows=lambda it: _rows(section(it), lambda one: one.items),
        columns=(
            Column("confidence", spec=".2f"),
            Column("label", heading="kind"),
            location(),
            Column("name"),
            Column("lines", is_detail=True),
        ),
        title="Dead code",
        findings=lambda it: [dead_code.as_finding(it)],
        summary_rows=rows,
        is_detail=rows == 0,
    )


def debt_table(section: Section[DebtSection]) -> AnyTable:
    """Return the comments that admit debt."""
    return Table(
        rows=lambda it: _rows(section(it), lambda one: one.items),
        columns=(Column("severity"), Column("category"), location(), Column("text")),
        title="Debt comments",
        findings=lambda it: [debt.as_finding(it)],
        is_detail=True,
    )


def gradient_table(section: Section[GradientSection], rows: int | None = None) -> AnyTable:
    """Return the files that gather debt fastest."""
    return Table(
        rows=lambda it: _rows(section(it), lambda one: one.files),
        columns=(Column("score", spec=".2f"), Column("severity"), Column("file")),
        title="Debt gradient",
        summary_rows=rows,
        is_detail=rows == 0,
    )


def defects_table(section: Section[DefectSection], rows: int | None = None) -> AnyTable:
    """Return the files that are most likely to need a bug fix."""
    return Table(
        rows=lambda it: _rows(section(it), lambda one: one.files),
        columns=(Column("probability", spec=".2f"), Column("band"), Column("file")),
        title="Defect probability",
        summary_rows=rows,
        is_detail=rows == 0,
    )


def churn_table(section: Section[ChurnSection]) -> AnyTable:
    """Return the files that changed most."""
    return Table(
        rows=lambda it: _rows(section(it), lambda one: one.files),
        columns=(
            Column("commit_count", heading="commits"),
            Column("additions", heading="added"),
            Column("deletions", heading="deleted"),
            Column("unique_authors", heading="authors"),
            Column("path", heading="file"),
        ),
        title="Churn",
        is_detail=True,
    )


def coupling_table(section: Section[ChurnSection]) -> AnyTable:
    """Return the files that change together."""
    return Table(
        rows=lambda it: _rows(section(it), lambda one: one.coupling),
        columns=(
            Column("shared_commits"),
            Column("degree", spec=".2f"),
            Column("first"),
            Column("second"),
        ),
        title="Files that change together",
        is_detail=True,
    )


def dependents_table(section: Section[DependencySection]) -> AnyTable:
    """Return the nodes that most others depend on."""
    return Table(
        rows=lambda it: _rows(section(it), lambda one: one.most_depended_on),
        columns=(Column("dependents"), Column("depends_on"), Column("name")),
        title="Most depended on",
        is_detail=True,
    )


def cycles_table(section: Section[DependencySection]) -> AnyTable:
    """Return the import cycles."""
    return Table(
        rows=lambda it: _rows(section(it), lambda one: one.cycles),
        columns=(Column("size"), Column("path", lambda it: " → ".join(it.path))),
        title="Import cycles",
        is_detail=True,
    )
