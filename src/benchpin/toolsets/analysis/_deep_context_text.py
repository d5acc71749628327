"""The deep context as Markdown, in a few lines and as SARIF."""

from collections.abc import Iterator, Sequence

from benchpin.core import Bench, counted, plain
from benchpin.engines.insight.advice import Recommendation
from benchpin.engines.insight.bridges import Bridges
from benchpin.engines.insight.file_tree import TreeNode
from benchpin.engines.insight.findings import Findings
from benchpin.engines.insight.scorecard import Scorecard
from benchpin.engines.metrics import complexity, dead_code, debt, duplicates
from benchpin.engines.templates import Drift

from ._deep_context_report import DeepContextReport
from ._deep_context_sections import analysis_lines
from ._formats import as_sarif
from ._tables import as_markdown

_FEW = 5
_HOURS = 3600
_TELLING_RHO = 0.3
_TELLING_SHARE = 0.01
_NO_NEWS = {"size", "complexity"}
"""Whose correlation is the same everywhere."""


def markdown_text(report: DeepContextReport) -> str:
    """Return the whole of a report, as far as it goes, as Markdown."""
    parts = (
        _head(report),
        _scorecard(report.quality_scorecard),
        _advice(report.recommendations),
        _hotspots(report),
        analysis_lines(report.analyses),
        _bridges(report.cross_language_references),
        _provenance(report.template_provenance),
        _agreement(report),
        _tree(report),
        _ending(report),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def summary_text(report: DeepContextReport) -> str:
    """Return the few lines that say how it stands and what to do first."""
    card = report.quality_scorecard
    lines = [*_head(report)][2:]
    known = [f"{it.name} {it.score:g}" for it in card.parts if it.score is not None]
    if known:
        lines.append(f"- parts: {plain(', '.join(known))}")
    for number, it in enumerate(report.recommendations[:_FEW], start=1):
        first = it.evidence[0]
        place = f"{first.file}:{first.line}"
        lines.append(f"{number}. {it.priority}: {plain(it.title)} ({plain(place)})")
    return "\n".join([*lines, *_ending(report)]) + "\n"


def sarif_text(found: Findings, bench: Bench) -> str:
    """Return every finding that has a place as SARIF."""
    findings = [complexity.as_finding(it) for it in found.violations]
    if found.dead_code is not None:
        findings += [dead_code.as_finding(it) for it in found.dead_code.items]
    if found.debt is not None:
        findings += [debt.as_finding(it) for it in found.debt.items]
    if found.duplicates is not None:
        for number, group in enumerate(found.duplicates.groups, start=1):
            findings += duplicates.findings(group, number)
    rules = (
        *complexity.RULES,
        *dead_code.RULES,
        *debt.RULES,
        *duplicates.RULES,
    )
    return as_sarif(bench, rules, findings)


def _head(report: DeepContextReport) -> Iterator[str]:
    card, tree = report.quality_scorecard, report.file_tree
    path = "." if report.about is None else report.about.project_path
    yield "# Deep context" if path == "." else f"# Deep context of {plain(path)}"
    yield ""
    if not tree.total_files:
        yield "No file here is in a language that is measured."
        return
    root = tree.root
    size = f"{tree.total_files:,} files, {root.code_lines:,} lines of code"
    yield f"- {size}, {root.functions:,} functions"
    if card.overall_health is not None:
        share = f"{card.measured_weight:.0%} of its weight measured"
        yield f"- overall health: {card.overall_health:g} of 100 ({share})"
    if card.technical_debt_hours is not None:
        yield f"- technical debt: {card.technical_debt_hours:,.1f} hours, by convention"


def _scorecard(card: Scorecard) -> Iterator[str]:
    if not card.files:
        return
    yield from ("", "## Scorecard", "")
    yield f"{card.files:,} files and {card.code_lines:,} lines of code that are no tests."
    yield ""
    if card.overall_health is None:
        reasons = dict.fromkeys(it.basis for it in card.parts)
        yield f"Nothing is scored: {plain('; '.join(reasons))}."
        return
    rows = [(it.name, it.score, it.weight, it.basis) for it in card.parts]
    yield as_markdown(("part", "score", "weight", "basis"), rows)
    hours = [(it.name, it.hours, it.basis) for it in card.debt]
    yield as_markdown(("debt", "hours", "basis"), hours).rstrip()


def _advice(advice: Sequence[Recommendation]) -> Iterator[str]:
    if not advice:
        return
    yield from ("", "## Recommendations", "")
    for number, it in enumerate(advice, start=1):
        hours = it.estimated_effort.secs / _HOURS
        yield f"{number}. **{plain(it.title)}** ({it.priority}, impact {it.impact}, {hours:,.1f} h)"
        yield f"   {plain(it.description)}"
        for place in it.evidence:
            yield f"   - {plain(place.file)}:{place.line} {plain(place.what)[:160]}"
        if it.evidence_total > len(it.evidence):
            yield f"   - {it.evidence_total - len(it.evidence):,} more"


def _hotspots(report: DeepContextReport) -> Iterator[str]:
    if not report.hotspots:
        return
    yield from ("", "## Hotspots", "")
    rows = [
        (
            it.composite_score,
            it.refactoring_effort.priority,
            f"{it.location.file}:{it.location.line}",
            it.location.function,
            "; ".join(term.basis for term in it.terms if term.value is not None),
            it.refactoring_effort.estimated_hours,
        )
        for it in report.hotspots
    ]
    yield as_markdown(("score", "priority", "place", "function", "terms", "hours"), rows).rstrip()
    missing = [f"{it.name}: {it.basis}" for it in report.hotspots[0].terms if it.value is None]
    if missing:
        yield f"Left out of the score: {plain('; '.join(missing))}."
    yield from _more(len(report.hotspots), report.hotspots_total)


def _bridges(bridges: Bridges | None) -> Iterator[str]:
    if bridges is None or not bridges.total:
        return
    yield from ("", "## Between languages", "")
    told = [f"{it.references:,} {it.kind} ({it.resolved:,} resolved)" for it in bridges.by_kind]
    yield f"{', '.join(told)}."
    for it in bridges.references:
        target = f"{it.to_file}:{it.to_line}" if it.to_file else it.reason
        place = f"{it.from_file}:{it.from_line}"
        yield f"- {it.kind} {plain(it.symbol)}: {plain(place)} → {plain(target)}"
    yield from _more(len(bridges.references), bridges.total)


def _provenance(drift: Drift | None) -> Iterator[str]:
    if drift is None:
        return
    yield from ("", "## Templates", "")
    if drift.problem:
        yield f"{plain(drift.file)} cannot be used: {plain(drift.problem)}"
        return
    made = ", ".join(it.uri for it in drift.templates)
    yield (
        f"Made from {plain(made)}: {drift.unchanged:,} files as they were made, "
        f"{drift.changed:,} changed, {drift.missing:,} missing."
    )
    for it in drift.files:
        if it.status != "unchanged" or it.is_template_changed:
            news = ", and its template makes something else now" if it.is_template_changed else ""
            yield f"- {plain(it.path)}: {it.status}{news}"


def _agreement(report: DeepContextReport) -> Iterator[str]:
    agreed = report.defect_correlation
    telling = [
        it
        for it in agreed.correlations
        if abs(it.rho) >= _TELLING_RHO and {it.first, it.second} != _NO_NEWS
    ]
    if not telling and not agreed.pointed_at:
        return
    yield from ("", "## Where measures agree", "")
    for it in telling:
        agreement = f"rank correlation {it.rho:+.2f} over {it.files:,} files"
        yield f"- {it.first} and {it.second}: {agreement}"
    for file in agreed.pointed_at:
        values = ", ".join(f"{name} {value:g}" for name, value in file.measures.items())
        yield f"- {plain(file.file)} is in the highest tenth by {values}"


def _tree(report: DeepContextReport) -> Iterator[str]:
    root = report.file_tree.root
    if not root.files:
        return
    yield from ("", "## Files", "", "```")
    yield from _branch(root, 0)
    yield "```"


def _branch(node: TreeNode, depth: int) -> Iterator[str]:
    name = f"{node.name}/" if node.kind == "folder" else node.name
    yield f"{'  ' * depth}{plain(name)}  {', '.join(_numbers(node))}"
    for child in node.children:
        yield from _branch(child, depth + 1)
    if node.left_out:
        yield f"{'  ' * (depth + 1)}… {node.left_out:,} smaller"


def _numbers(node: TreeNode) -> Iterator[str]:
    if node.kind == "folder":
        yield counted(node.files, "file")
    yield f"{node.code_lines:,} lines"
    if node.max_cyclomatic is not None:
        yield f"complexity ≤ {node.max_cyclomatic}"
    if node.changed_lines:
        yield f"{node.changed_lines:,} changed"
    if node.duplicated_lines and node.duplicated_lines / node.lines >= _TELLING_SHARE:
        yield f"{node.duplicated_lines / node.lines:.0%} duplicated"
    if node.debt_comments:
        yield counted(node.debt_comments, "debt comment")
    if node.debt_gradient is not None and node.kind == "file":
        yield f"gradient {node.debt_gradient:g}"
    if node.defect_probability is not None:
        yield f"bug fix {node.defect_probability:.0%}"
    if node.coverage is not None:
        yield f"{node.coverage:.0%} covered"


def _ending(report: DeepContextReport) -> Iterator[str]:
    lines = [f"- not measured: {name}: {plain(why)}" for name, why in report.not_measured.items()]
    lines += [f"- {line}" for line in report.looked_at.to_lines()]
    if report.stored is not None:
        lines.append(f"- lists are cut here; the whole report: {report.stored}")
    if lines:
        yield from ("", *lines)


def _more(shown: int, total: int) -> Iterator[str]:
    if total > shown:
        yield f"{total - shown:,} more."
