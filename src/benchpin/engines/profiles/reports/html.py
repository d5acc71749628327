"""Write a report as one HTML page: no other file, no network, everything escaped."""

from collections.abc import Iterator
from html import escape
from importlib.resources import files

import msgspec

from benchpin.core import plain
from benchpin.core.page import page
from benchpin.engines.profiles.analysis import Aggregates, Analysis
from benchpin.engines.profiles.exports.flamegraph import (
    flame_script,
    flame_style,
    to_flame_section,
)
from benchpin.engines.profiles.exports.flames import drawable, flames_of
from benchpin.engines.profiles.findings import PerformanceFinding
from benchpin.engines.profiles.merging import route_of, wall_time_us
from benchpin.engines.profiles.ranked import rank_query, rank_spans
from benchpin.engines.profiles.snapshot import Snapshot
from benchpin.engines.profiles.values import ProfileOf
from benchpin.engines.profiles.wording import readable_time

from .tables import SHORT_HASH, Cell, ReportTable, evidence_parts, observations, thresholds_table

_MAX_ROWS = 500
_MAX_FLAME_GRAPHS = 5
"""Each takes up to a megabyte of the page."""


def write_html(snapshot: Snapshot, analysis: Analysis, report_id: str, sources: ReportTable) -> str:
    """Write the page, with flame graphs of the longest profiles."""
    styles, scripts = [_asset("report.css")], []
    body = ["<h1>Performance report</h1>", *_summary(analysis), *_findings(analysis)]
    if graphs := list(_flame_graphs(snapshot)):
        styles.append(flame_style())
        scripts.append(flame_script())
        body += graphs
    tables = observations(_more_rows(snapshot, analysis.aggregates))
    for table in (*tables, sources, thresholds_table(analysis.ranking_thresholds)):
        body += _table(table)
    title = f"Performance report {report_id}"
    return page(title, "\n".join(body), styles=styles, scripts=scripts)


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _more_rows(snapshot: Snapshot, found: Aggregates) -> Aggregates:
    """Show more than the analysis ranks: a page can be searched and sorted."""
    all_time = snapshot.totals.query_time_us
    return msgspec.structs.replace(
        found,
        endpoints=snapshot.endpoints[:_MAX_ROWS],
        queries=tuple(rank_query(each, all_time) for each in snapshot.queries[:_MAX_ROWS]),
        spans=tuple(rank_spans(snapshot.spans, {})[:_MAX_ROWS]),
        spans_by_inclusive=(),
    )


def _summary(analysis: Analysis) -> Iterator[str]:
    summary, totals = analysis.summary, analysis.aggregates.totals
    yield f"<p>Snapshot <code>{escape(analysis.normalized_snapshot_id)}</code></p>"
    yield '<dl class="numbers">'
    for name, value in (
        ("P0", f"{summary.p0_count}"),
        ("P1", f"{summary.p1_count}"),
        ("P2", f"{summary.p2_count}"),
        ("Endpoints", f"{summary.endpoint_count:,}"),
        ("Query classes", f"{summary.query_count:,}"),
        ("Query events", f"{summary.query_event_count:,}"),
        ("Functions", f"{summary.span_count:,}"),
        ("Query time", readable_time(totals.query_time_us)),
        ("Unreadable places", f"{summary.fault_count:,}"),
    ):
        yield f"<div><dt>{name}</dt><dd>{value}</dd></div>"
    yield "</dl>"
    for notice in analysis.notices:
        yield f"<p>{_text(notice)}</p>"


def _findings(analysis: Analysis) -> Iterator[str]:
    yield "<h2>Findings</h2>"
    if not analysis.findings:
        yield "<p>Nothing exceeds its threshold.</p>"
    for finding in analysis.findings:
        yield from _finding(finding)


def _finding(finding: PerformanceFinding) -> Iterator[str]:
    yield f'<details class="{finding.severity}" open>'
    yield f"<summary><b>{finding.severity}</b> {_text(finding.title)}</summary>"
    yield f"<p>{_text(finding.why)}</p>"
    yield f"<p><b>What to do first:</b> {_text(finding.first_step)}</p>"
    if finding.example is not None:
        yield f"<p><code>{_text(finding.example)}</code></p>"
    yield "<ul>"
    for limit in finding.exceeded:
        yield f"<li><code>{limit.metric}</code> {limit.verdict}</li>"
    for found in finding.evidence:
        parts = (
            f"{word} {f'<code>{_text(text)}</code>' if text else ''}"
            for word, text in evidence_parts(found)
        )
        yield f"<li>{', '.join(part.strip() for part in parts)}</li>"
    yield "</ul></details>"


def _flame_graphs(snapshot: Snapshot) -> Iterator[str]:
    def longest(each: ProfileOf) -> tuple[int, str]:
        return -(wall_time_us(each.profile) or 0), each.source

    drawn = [each for each in snapshot.profiles if each.profile.tree]
    drawn = sorted(drawn, key=longest)[:_MAX_FLAME_GRAPHS]
    if not drawn:
        return
    yield "<h2>Flame graphs</h2>"
    for place, each in enumerate(drawn):
        wall = wall_time_us(each.profile)
        took = "" if wall is None else f", {readable_time(wall)}"
        name = route_of(each.profile) or each.source[:SHORT_HASH]
        yield f"<details{'' if place else ' open'}><summary>{_text(name)}{took}</summary>"
        yield to_flame_section(flames_of(drawable(each.profile)))
        yield "</details>"
    if len(snapshot.profiles) > len(drawn):
        yield f"<p>The {len(drawn)} longest of {len(snapshot.profiles)} profiles.</p>"


def _table(table: ReportTable) -> Iterator[str]:
    columns = range(len(table.head))
    classes = ['class="n"' if table.is_numeric(place) else "" for place in columns]
    yield f"<h2>{escape(table.title)}</h2>"
    yield '<div class="wide"><table><thead><tr>'
    for name, kind in zip(table.head, classes, strict=True):
        yield f'<th {kind} scope="col"><button>{escape(name)}</button></th>'
    yield "</tr></thead><tbody>"
    for row in table.rows:
        cells = (f"<td {kind}{_cell(cell)}" for cell, kind in zip(row, classes, strict=True))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _cell(cell: Cell) -> str:
    number = "" if cell.number is None else f' data-n="{cell.number}"'
    text = f"<code>{_text(cell.text)}</code>" if cell.is_code else _text(cell.text)
    return f"{number}>{text}</td>"


def _text(text: str) -> str:
    return escape(plain(text))
