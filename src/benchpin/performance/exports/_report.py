"""A report of an analysis as Markdown, JSON and one HTML page."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from benchpin.core.text import counted
from benchpin.performance.findings import METRIC_NAMES, Analysis, PerformanceFinding, readable_time
from benchpin.performance.snapshots import Snapshot
from benchpin.performance.values import Evidence
from benchpin.present import Column
from benchpin.present.formats import code, escaped, table_lines

from ._report_page import write_page
from ._report_tables import SHORT_HASH, ReportTable, observations, sources_table, thresholds_table

_ID_LENGTH = 16


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
    return table_lines(table.columns, table.rows, _cell, is_aligned=True)


def _cell(column: Column[Any], row: object) -> str:
    cell = column.cell(row)
    if column.is_code and cell is not None:
        return code(str(cell))
    return escaped(cell if isinstance(cell, str) else column.shown(row))


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
        parts = (f"{word} {code(text) if text else ''}" for word, text in _evidence_parts(found))
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


def _evidence_parts(found: Evidence) -> Iterator[tuple[str, str]]:
    """Yield the words that lead to a piece of evidence, each with text from the artefact."""
    yield "source", found.source[:SHORT_HASH]
    if found.file is not None:
        yield "", found.file
    if found.line is not None:
        yield f"line {found.line}", ""
    if found.byte is not None:
        yield f"byte {found.byte}", ""
    if found.profile is not None:
        yield "profile", found.profile
    if found.time_us is not None:
        yield readable_time(found.time_us), ""


@dataclass(frozen=True, slots=True)
class SnapshotReport:
    """An analysis as files."""

    report_id: str
    payload: dict[str, object]
    markdown: str
    html: str

    def formats(self) -> dict[str, bytes]:
        """Return the content of each file by its suffix."""
        return {
            "md": self.markdown.encode(),
            "json": msgspec.json.format(msgspec.json.encode(self.payload, order="sorted")) + b"\n",
            "html": self.html.encode(),
        }


def make_report(
    snapshot: Snapshot, analysis: Analysis, names: Mapping[str, str] | None = None
) -> SnapshotReport:
    """Write a report; the same snapshot and analysis give the same id.

    `names` has the names of the files by their SHA-256.
    """
    payload: dict[str, object] = analysis.model_dump(mode="json")
    payload["snapshot_id"] = payload.pop("normalized_snapshot_id")
    content = msgspec.json.encode(payload, order="sorted")
    digest = hashlib.sha256(snapshot.id.encode() + content).hexdigest()
    report_id = digest[:_ID_LENGTH]
    named = names or {}
    sources = sources_table(snapshot.sources, named)
    return SnapshotReport(
        report_id=report_id,
        payload=payload,
        markdown=write_markdown(analysis, sources),
        html=write_page(snapshot, analysis, named, sources),
    )
