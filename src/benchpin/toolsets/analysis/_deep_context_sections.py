"""The analyses of a deep context as Markdown, a few lines each."""

from collections.abc import Iterator, Sequence

from benchpin.core import counted, plain
from benchpin.engines.insight.sections import Analyses
from benchpin.engines.insight.sections_of_code import (
    AstSummary,
    ComplexitySection,
    DeadCodeSection,
    DebtSection,
    DuplicatesSection,
)
from benchpin.engines.insight.sections_of_files import (
    ChurnSection,
    DefectSection,
    DependencySection,
    GradientSection,
)

_MOST_TEXT = 120


def analysis_lines(it: Analyses) -> Iterator[str]:
    """Return every analysis that was made."""
    if it.ast_summary is not None and it.ast_summary.files:
        yield from _titled("Code", _code(it.ast_summary))
    if it.complexity_report is not None and it.complexity_report.summary.total_functions:
        yield from _titled("Complexity", _complexity(it.complexity_report))
    if it.churn_analysis is not None:
        yield from _titled("Churn", _churn(it.churn_analysis))
    if it.dependency_graph is not None and it.dependency_graph.nodes:
        yield from _titled("Dependencies", _dependencies(it.dependency_graph))
    if it.dead_code_results is not None and it.dead_code_results.summary.total_files:
        yield from _titled("Dead code", _dead_code(it.dead_code_results))
    if it.satd_results is not None and it.satd_results.summary.total_files:
        yield from _titled("Debt in comments", _debt(it.satd_results))
    if it.duplicates is not None and it.duplicates.summary.total_files:
        yield from _titled("Duplicates", _duplicates(it.duplicates))
    if it.debt_gradient is not None and it.debt_gradient.total:
        yield from _titled("Debt gradient", _gradient(it.debt_gradient))
    if it.defect_probability is not None and it.defect_probability.total:
        yield from _titled("Defect probability", _defects(it.defect_probability))


def _titled(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    yield from lines


def _listed(lines: Sequence[str], total: int) -> Iterator[str]:
    yield from (f"- {plain(line)}" for line in lines)
    if total > len(lines):
        yield f"- {total - len(lines):,} more"


def _code(it: AstSummary) -> Iterator[str]:
    yield f"{it.functions:,} functions and {it.types:,} types."
    shares = [
        f"{one.language} {one.code_lines:,} lines in {counted(one.files, 'file')}"
        for one in it.languages
    ]
    yield from _listed(shares, len(shares))


def _complexity(it: ComplexitySection) -> Iterator[str]:
    summary = it.summary
    yield (
        f"Cyclomatic median {summary.median_cyclomatic:g}, 90 % at most {summary.p90_cyclomatic}, "
        f"highest {summary.max_cyclomatic}; cognitive {summary.median_cognitive:g}, "
        f"{summary.p90_cognitive}, {summary.max_cognitive}. "
        f"{it.total:,} functions are over a threshold, those of tests too."
    )
    lines = [
        f"{one.file}:{one.line} {one.function}: cyclomatic {one.cyclomatic}, "
        f"cognitive {one.cognitive}"
        for one in it.violations
    ]
    yield from _listed(lines, it.total)


def _churn(it: ChurnSection) -> Iterator[str]:
    people = f"{counted(it.commits, 'commit')} by {counted(it.authors, 'author')}"
    files = f"{counted(it.total, 'file')}, +{it.additions:,} -{it.deletions:,} lines"
    yield f"{people} in {it.period_days:,} days: {files}."
    lines = [
        f"{one.file}: {counted(one.commits, 'commit')}, {_changes(one.additions, one.deletions)}"
        for one in it.files
    ]
    yield from _listed(lines, it.total)
    together = [
        f"{one.first} with {one.second}: {one.shared_commits} commits, degree {one.degree:.2f}"
        for one in it.coupling
    ]
    if together:
        yield from ("", "Change together:")
        yield from _listed(together, it.coupling_total)


def _changes(additions: int | None, deletions: int | None) -> str:
    return "binary" if additions is None else f"+{additions:,} -{deletions or 0:,}"


def _dependencies(it: DependencySection) -> Iterator[str]:
    size = f"{it.nodes:,} nodes, {it.edges:,} edges"
    yield f"{it.dag_type}: {size}, {counted(it.total_cycles, 'import cycle')}."
    for kind, counts in it.references.items():
        told = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items())
        yield f"{kind}: {told}."
    lines = [f"{one.name}: {one.dependents:,} depend on it" for one in it.most_depended_on]
    yield from _listed(lines, len(lines))
    cycles = [f"cycle of {one.size:,}: {' → '.join(one.path)}" for one in it.cycles]
    yield from _listed(cycles, it.total_cycles)


def _dead_code(it: DeadCodeSection) -> Iterator[str]:
    summary = it.summary
    yield (
        f"{it.total:,} of {summary.total_definitions:,} functions and types seem unused, "
        f"{summary.dead_lines:,} lines."
    )
    lines = [
        f"{one.file}:{one.line} {one.label} {one.name}, {one.lines} lines, "
        f"confidence {one.confidence:g}"
        for one in it.items
    ]
    yield from _listed(lines, it.total)


def _debt(it: DebtSection) -> Iterator[str]:
    severities = ", ".join(f"{count:,} {name}" for name, count in it.summary.by_severity.items())
    told = f": {severities}" if severities else ""
    yield f"{it.total:,} of {it.summary.total_comments:,} comments admit debt{told}."
    lines = [
        f"{one.file}:{one.line} {one.severity} {one.category}: {_cut(one.text)}" for one in it.items
    ]
    yield from _listed(lines, it.total)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


def _duplicates(it: DuplicatesSection) -> Iterator[str]:
    share = it.summary.duplicated_percent
    told = "" if share is None else f", {share:g} % of the lines, those of tests too"
    yield f"{counted(it.total, 'group')} of exact clones{told}."
    lines = []
    for group in it.groups:
        places = [f"{one.file}:{one.line}" for one in group.fragments[:2]]
        lines.append(f"{group.lines} lines: {', '.join(places)}{_others(len(group.fragments) - 2)}")
    yield from _listed(lines, it.total)


def _others(count: int) -> str:
    return f" and {count:,} more" if count > 0 else ""


def _gradient(it: GradientSection) -> Iterator[str]:
    bands = ", ".join(f"{count:,} {name}" for name, count in it.by_severity.items())
    yield f"From 0 to 5: {bands}."
    lines = [f"{one.file}: {one.score:.2f}, {one.severity}" for one in it.files]
    yield from _listed(lines, it.total)


def _defects(it: DefectSection) -> Iterator[str]:
    bands = ", ".join(f"{count:,} {band}" for band, count in it.bands.items())
    whose = "this repository's own" if it.model == "own" else "public repositories'"
    checked = "" if it.auc is None else f"; on a year that it did not see, AUC {it.auc:g}"
    yield f"That a bug fix touches a file within a year: {bands}."
    yield f"Learnt from {whose} bug fixes{checked}."
    lines = [f"{one.file}: {one.probability:.0%}, {one.band}" for one in it.files]
    yield from _listed(lines, it.total)
