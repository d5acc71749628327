"""Write a report as Markdown."""

import re
from collections.abc import Iterator

from benchpin.core.text import counted, plain
from benchpin.performance.findings import METRIC_NAMES, Analysis, PerformanceFinding, readable_time

from ._tables import Cell, ReportTable, evidence_parts, observations, thresholds_table

_MAX_CODE = 160
_MAX_TEXT = 1000
_SPECIAL = frozenset("\\`*_<>[]|#~$")


def write_markdown(analysis: Analysis, sources: ReportTable) -> str:
    """Write what to fix first, the thresholds, and the tables behind it."""
    thresholds = thresholds_table(analysis.ranking_thresholds)
    sections = (
        _executive_summary(analysis),
        (f"# {thresholds.title}", "", *_table(thresholds)),
        _observations(analysis, sources),
        _findings(analysis),
        _open_questions(analysis),
    )
    return "\n\n".join("\n".join(section) for section in map(list, sections) if section) + "\n"


def _executive_summary(analysis: Analysis) -> Iterator[str]:
    summary, totals = analysis.summary, analysis.aggregates.totals
    yield "# Executive Summary"
    yield ""
    yield f"- Snapshot: `{analysis.normalized_snapshot_id}`"
    yield (
        f"- Findings: {summary.finding_count} (P0: {summary.p0_count}, P1: {summary.p1_count}, "
        f"P2: {summary.p2_count})"
    )
    yield f"- Endpoints: {summary.endpoint_count:,}; functions: {summary.span_count:,}"
    yield f"- Query classes: {summary.query_count:,} in {summary.query_event_count:,} events"
    yield f"- Query time: {readable_time(totals.query_time_us)}"
    yield (
        f"- Timed requests: {readable_time(totals.timed_wall_time_us)}; "
        f"profiled requests: {readable_time(totals.profiled_wall_time_us)}"
    )
    yield ""
    if analysis.findings:
        first = analysis.findings[0]
        yield f"**Fix first:** {first.severity}, {escaped(first.title)}"
        yield ""
        yield escaped(first.first_step)
    else:
        yield "Nothing exceeds its threshold."
    if summary.fault_count:
        yield ""
        yield f"**{counted(summary.fault_count, 'place')} in the artefacts could not be read.**"
    for notice in analysis.notices:
        yield ""
        yield escaped(notice)


def _observations(analysis: Analysis, sources: ReportTable) -> Iterator[str]:
    yield "# Observations"
    tables = observations(analysis.aggregates, analysis.hot_functions)
    for table in (*tables, sources):
        yield ""
        yield f"## {table.title}"
        yield ""
        yield from _table(table)
    if not tables:
        yield ""
        yield "The snapshot holds no endpoints, queries or functions."


def _table(table: ReportTable) -> Iterator[str]:
    columns = range(len(table.head))
    yield f"| {' | '.join(table.head)} |"
    yield f"| {' | '.join('---:' if table.is_numeric(at) else '---' for at in columns)} |"
    for row in table.rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(cell: Cell) -> str:
    return code(cell.text) if cell.is_code else escaped(cell.text)


def _findings(analysis: Analysis) -> Iterator[str]:
    if analysis.findings:
        yield "# Findings"
    for findings in analysis.findings_by_severity.values():
        for finding in findings:
            yield ""
            yield from _finding(finding)


def _finding(finding: PerformanceFinding) -> Iterator[str]:
    yield f"## {finding.severity}: {escaped(finding.title)}"
    yield ""
    yield f"- Why: {escaped(finding.why)}"
    for limit in finding.exceeded:
        yield f"- Limit: `{limit.metric}` {limit.verdict}"
    yield f"- What to do first: {escaped(finding.first_step)}"
    if finding.example is not None:
        yield f"- Example: {code(finding.example)}"
    for found in finding.evidence:
        parts = (f"{word} {code(text) if text else ''}" for word, text in evidence_parts(found))
        yield f"- Evidence: {', '.join(part.strip() for part in parts)}"


def _open_questions(analysis: Analysis) -> Iterator[str]:
    if analysis.open_questions:
        yield "# Open Questions"
        yield ""
        yield "The limits are conservative defaults. Which ones fit? Give them as `thresholds`:"
        yield ""
        for metric, threshold in analysis.ranking_thresholds.items():
            limits = f'"P0": {threshold.P0}, "P1": {threshold.P1}, "P2": {threshold.P2}'
            given = f'{{"{metric}": {{{limits}}}}}'
            yield f"- {METRIC_NAMES[metric]}, in ms: `{given}`"


def code(text: str) -> str:
    """Return text from an artefact as code, so that it cannot become Markdown or end a cell."""
    one_line = _on_one_line(text, _MAX_CODE).replace("|", "\\|")
    # CommonMark §6.1: code is fenced by more backticks than it contains in a row
    longest = max((len(run) for run in re.findall("`+", one_line)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {one_line} {fence}" if longest else f"`{one_line}`"


def escaped(text: str) -> str:
    """Return text with every character escaped that means something in Markdown."""
    return "".join(f"\\{it}" if it in _SPECIAL else it for it in _on_one_line(text, _MAX_TEXT))


def _on_one_line(text: str, limit: int) -> str:
    one_line = plain(" ".join(text.split()))
    return one_line if len(one_line) <= limit else one_line[: limit - 1] + "…"
