"""Write a report as one HTML page: no other file, no network, everything escaped."""

import base64
import hashlib
from collections.abc import Iterator
from html import escape

import msgspec

from benchpin.core import plain
from benchpin.engines.profiles.analysis import Aggregates, Analysis
from benchpin.engines.profiles.contents import ProfileOf
from benchpin.engines.profiles.findings import Finding, readable_time
from benchpin.engines.profiles.merging import route_of, wall_place, wall_time_us
from benchpin.engines.profiles.rows import Place, query_row, span_row
from benchpin.engines.profiles.snapshot import Snapshot

from .flames import FlameGraph, drawable
from .page import PAGE, SCRIPT, STYLE
from .tables import SHORT_HASH, Cell, Table, observations

_MAX_ROWS = 500
_MAX_FLAME_GRAPHS = 5


def write_html(
    snapshot: Snapshot,
    analysis: Analysis,
    flame_graph: FlameGraph | None,
    report_id: str,
    sources: Table,
) -> str:
    """Write the page; flame graphs are drawn of the profiles that took longest."""
    style, script = STYLE, SCRIPT
    body = [*_summary(analysis), *_findings(analysis)]
    if flame_graph is not None:
        style += flame_graph.style
        script += flame_graph.script
        body += _flame_graphs(snapshot, flame_graph)
    for table in (*observations(_whole(snapshot, analysis.aggregates)), sources):
        body += _table(table)
    body += _thresholds(analysis)
    return PAGE.format(
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        report_id=escape(report_id),
        body="\n".join(body),
    )


def _hash(text: str) -> str:
    """Return what the page's policy lets run: this text and no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _whole(snapshot: Snapshot, found: Aggregates) -> Aggregates:
    """Show more than the analysis ranks: a page can be searched and sorted."""
    spans = [span_row(each, {}) for each in snapshot.spans[:_MAX_ROWS]]
    all_time = snapshot.totals.query_time_us
    return msgspec.structs.replace(
        found,
        endpoints=snapshot.endpoints[:_MAX_ROWS],
        queries=tuple(query_row(each, all_time) for each in snapshot.queries[:_MAX_ROWS]),
        spans=tuple(spans),
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
        ("Places not read", f"{summary.fault_count:,}"),
    ):
        yield f"<div><dt>{name}</dt><dd>{value}</dd></div>"
    yield "</dl>"
    for notice in analysis.notices:
        yield f"<p>{_text(notice)}</p>"


def _findings(analysis: Analysis) -> Iterator[str]:
    yield "<h2>Findings</h2>"
    if not analysis.findings:
        yield "<p>Nothing is over its limit.</p>"
    for finding in analysis.findings:
        yield from _finding(finding)


def _finding(finding: Finding) -> Iterator[str]:
    yield f'<details class="{finding.severity}" open>'
    yield f"<summary><b>{finding.severity}</b> {_text(finding.title)}</summary>"
    yield f"<p>{_text(finding.why)}</p>"
    yield f"<p><b>What to do first:</b> {_text(finding.first_step)}</p>"
    if finding.example is not None:
        yield f"<p><code>{_text(finding.example)}</code></p>"
    yield "<ul>"
    for limit in finding.exceeded:
        yield (
            f"<li><code>{limit.metric}</code> is {readable_time(limit.value_us)}; "
            f"{limit.severity} begins at {limit.threshold_ms:,} ms</li>"
        )
    for place in finding.evidence:
        yield f"<li>{', '.join(_place(place))}</li>"
    yield "</ul></details>"


def _place(place: Place) -> Iterator[str]:
    yield f"source <code>{_text(place.source[:SHORT_HASH])}</code>"
    if place.file is not None:
        yield f"<code>{_text(place.file)}</code>"
    if place.line is not None:
        yield f"line {place.line}"
    if place.byte is not None:
        yield f"byte {place.byte}"
    if place.profile is not None:
        yield f"profile <code>{_text(place.profile)}</code>"
    if place.time_us is not None:
        yield readable_time(place.time_us)


def _flame_graphs(snapshot: Snapshot, flame_graph: FlameGraph) -> Iterator[str]:
    def longest(each: ProfileOf) -> tuple[int, str]:
        return -(wall_time_us(each.profile) or 0), each.source

    timed = [each for each in snapshot.profiles if wall_place(each.profile) is not None]
    drawn = sorted(timed, key=longest)[:_MAX_FLAME_GRAPHS]
    if drawn:
        yield "<h2>Flame graphs</h2>"
    for place, each in enumerate(drawn):
        wall = wall_time_us(each.profile)
        took = "" if wall is None else f", {readable_time(wall)}"
        name = route_of(each.profile) or each.source[:SHORT_HASH]
        yield f"<details{'' if place else ' open'}><summary>{_text(name)}{took}</summary>"
        yield flame_graph.draw(drawable(each.profile))
        yield "</details>"
    if len(snapshot.profiles) > len(drawn):
        yield f"<p>{len(drawn)} of {len(snapshot.profiles)} profiles, the longest.</p>"


def _table(table: Table) -> Iterator[str]:
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


def _thresholds(analysis: Analysis) -> Iterator[str]:
    yield "<h2>Thresholds used</h2>"
    yield '<div class="wide"><table><thead><tr><th>Metric, from so many ms</th>'
    yield '<th class="n">P0</th><th class="n">P1</th><th class="n">P2</th><th>Source</th></tr>'
    yield "</thead><tbody>"
    for metric, limit in analysis.ranking_thresholds.items():
        numbers = "".join(f'<td class="n">{each}</td>' for each in (limit.P0, limit.P1, limit.P2))
        yield f"<tr><td><code>{metric}</code></td>{numbers}<td>{limit.source}</td></tr>"
    yield "</tbody></table></div>"


def _text(text: str) -> str:
    return escape(plain(text))
