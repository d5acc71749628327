"""Write a report as one HTML page for people: no other file, no network, everything escaped."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files

import msgspec

from benchpin.performance.exports import (
    REQUESTS,
    drawable,
    flame_script,
    flame_style,
    flames_of,
    query_picture,
    title_of,
    to_draw,
    to_flame_section,
)
from benchpin.performance.findings import (
    Aggregates,
    Analysis,
    RankedQuery,
    describe_counts,
    rank_query,
    rank_spans,
    readable_time,
    slowest_first,
)
from benchpin.performance.snapshots import Snapshot, wall_time_us
from benchpin.performance.values import ProfileOf
from benchpin.present.page import figure, page, text

from ._page_findings import Places, findings_of
from ._tables import Cell, ReportTable, limits_for_people, observations

_MAX_ROWS = 100
# Columns of the Markdown report that a page of 1,280 pixels has no room for.
_LEFT_OUT = frozenset({"p50", "Variance/mean", "First byte p50", "Response max"})
# Each takes up to a megabyte of the page.
_MAX_FLAME_GRAPHS = 5
_SHORT_TEXT = 110
# The tables that have a picture above them, by title.
_IN_PAGE = {"Queries by total time": "queries", "Endpoints": "endpoints"}


def write_html(
    snapshot: Snapshot, analysis: Analysis, names: Mapping[str, str], sources: ReportTable
) -> str:
    """Write the page, with flame graphs of the longest profiles."""
    drawn = _longest_profiles(snapshot)
    places = Places(names, {it.source: _profile_title(it, names) for it in drawn})
    shown = _more_rows(snapshot, analysis.aggregates)
    pictures = _pictures(snapshot, shown)
    body = [
        "<h1>Performance report</h1>",
        f"<p>{text(describe_counts(snapshot.counts))}</p>",
        *_numbers(analysis),
        *findings_of(analysis, places),
    ]
    for table in observations(shown, analysis.hot_functions):
        body += _table(table, pictures.get(_IN_PAGE.get(table.title, ""), ""))
    body += _flame_graphs(snapshot, drawn, places)
    for table in (limits_for_people(analysis.ranking_thresholds), sources):
        body += _table(table, "")
    body.append(f'<p class="faint">Snapshot {text(analysis.normalized_snapshot_id)}</p>')
    return page(
        "Performance report",
        "\n".join(body),
        styles=[_asset("report.css"), *([flame_style()] if drawn else [])],
        scripts=[_asset("report.js"), *([flame_script()] if drawn else [])],
        has_pictures=bool(pictures),
    )


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _more_rows(snapshot: Snapshot, found: Aggregates) -> Aggregates:
    """Show more than the analysis ranks: a page can be searched and sorted."""
    all_time = snapshot.totals.query_time_us
    return msgspec.structs.replace(
        found,
        endpoints=tuple(sorted(snapshot.endpoints, key=slowest_first)[:_MAX_ROWS]),
        queries=tuple(rank_query(each, all_time) for each in snapshot.queries[:_MAX_ROWS]),
        spans=tuple(rank_spans(snapshot.spans, {})[:_MAX_ROWS]),
        spans_by_inclusive=(),
    )


def _pictures(snapshot: Snapshot, shown: Aggregates) -> dict[str, str]:
    queries = query_picture(_queries).drawn(shown)
    requests = REQUESTS.drawn((snapshot, shown.correlation))
    found = {"queries": queries, "endpoints": requests}
    return {name: figure(drawn) for name, drawn in found.items() if drawn is not None}


def _queries(shown: Aggregates) -> Sequence[RankedQuery]:
    return shown.queries


def _numbers(analysis: Analysis) -> Iterator[str]:
    summary, totals = analysis.summary, analysis.aggregates.totals
    yield '<dl class="numbers">'
    for name, value in (
        ("P0, fix at once", f"{summary.p0_count}"),
        ("P1, fix soon", f"{summary.p1_count}"),
        ("P2, worth a look", f"{summary.p2_count}"),
        ("Query time", readable_time(totals.query_time_us)),
        ("Profiled time", readable_time(totals.profiled_wall_time_us)),
        ("Timed requests", readable_time(totals.timed_wall_time_us)),
        ("Unreadable places", f"{summary.fault_count:,}" if summary.fault_count else ""),
    ):
        if value:
            yield f"<div><dt>{name}</dt><dd>{value}</dd></div>"
    yield "</dl>"


def _longest_profiles(snapshot: Snapshot) -> list[ProfileOf]:
    return to_draw(snapshot)[:_MAX_FLAME_GRAPHS]


def _profile_title(found: ProfileOf, names: Mapping[str, str]) -> str:
    """Return what people call it: the request, or else its file."""
    return title_of(found.profile, None if found.profile.request else names.get(found.source))


def _flame_graphs(snapshot: Snapshot, drawn: list[ProfileOf], places: Places) -> Iterator[str]:
    if not drawn:
        return
    yield '<h2 id="flame-graphs">Flame graphs</h2>'
    for number, each in enumerate(drawn):
        wall = wall_time_us(each.profile)
        took = "" if wall is None else f", {readable_time(wall)}"
        title = places.profiles[each.source]
        is_open = "" if number else " open"
        yield f'<details id="flame-{each.source}"{is_open}><summary>{text(title)}{took}</summary>'
        yield to_flame_section(flames_of(drawable(each.profile), title=title))
        yield "</details>"
    if len(snapshot.profiles) > len(drawn):
        yield f"<p>The {len(drawn)} longest of {len(snapshot.profiles)} profiles.</p>"


def _table(table: ReportTable, picture: str) -> Iterator[str]:
    used = [
        at for at, title in enumerate(table.head) if title not in _LEFT_OUT and table.is_filled(at)
    ]
    classes = {at: ' class="n"' if table.is_numeric(at) else "" for at in used}
    yield f"<h2>{text(table.title)}</h2>"
    yield picture
    yield '<div class="wide" tabindex="0"><table><thead><tr>'
    for at in used:
        title = text(table.head[at])
        yield f'<th{classes[at]} scope="col"><button type="button">{title}</button></th>'
    yield "</tr></thead>\n<tbody>"
    for row in table.rows:
        mark = f' id="{text(row[0].mark)}"' if row[0].mark else ""
        yield f"<tr{mark}>{''.join(_cell(row[at], classes[at]) for at in used)}</tr>"
    yield "</tbody></table></div>"


def _cell(cell: Cell, kind: str) -> str:
    number = "" if cell.number is None else f' data-n="{cell.number}"'
    return f"<td{kind}{number}>{_content(cell)}</td>"


def _content(cell: Cell) -> str:
    """Show a long text in short, and the whole on demand."""
    if not cell.is_code:
        return text(cell.text)
    if len(cell.text) <= _SHORT_TEXT:
        return f"<code>{text(cell.text)}</code>"
    short = f"<code>{text(' '.join(cell.text.split())[:_SHORT_TEXT])}…</code>"
    return f"<details><summary>{short}</summary><pre>{text(cell.text)}</pre></details>"
