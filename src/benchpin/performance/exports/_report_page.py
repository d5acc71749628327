"""The page of a report for people: no other file, no network, everything escaped."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePath

import msgspec

from benchpin.performance.findings import (
    METRIC_NAMES,
    Aggregates,
    Analysis,
    PerformanceFinding,
    RankedQuery,
    describe_counts,
    rank_query,
    rank_spans,
    readable_time,
    slowest_first,
)
from benchpin.performance.snapshots import Snapshot, wall_time_us
from benchpin.performance.values import Evidence, ProfileOf
from benchpin.present.page import figure, page, table, text

from ._flamegraph import flame_script, flame_style, to_flame_section
from ._flames import flames_of, title_of, to_draw
from ._pictures import REQUESTS, query_picture
from ._report_tables import SHORT_HASH, ReportTable, limits_for_people, observations

_MAX_ROWS = 100
# Each takes up to a megabyte of the page.
_MAX_FLAME_GRAPHS = 5
# The tables that have a picture above them, by title.
_IN_PAGE = {"Queries by total time": "queries", "Endpoints": "endpoints"}
_QUERY_KINDS = frozenset({"query", "n_plus_one", "repetition"})


@dataclass(frozen=True, slots=True)
class PageNames:
    """What files and profiles are called in the page."""

    files: Mapping[str, str]
    """Names of files by their SHA-256."""
    profiles: Mapping[str, str]
    """Titles of the profiles that have a flame graph, by the SHA-256 of their file."""

    def file(self, source: str) -> str:
        """Return the name of a file, without its folder, which the table of sources has."""
        path = self.files.get(source)
        return PurePath(path).name if path else source[:SHORT_HASH]


def write_page(
    snapshot: Snapshot, analysis: Analysis, names: Mapping[str, str], sources: ReportTable
) -> str:
    """Write the page, with flame graphs of the longest profiles."""
    drawn = to_draw(snapshot)[:_MAX_FLAME_GRAPHS]
    places = PageNames(names, {it.source: _profile_title(it, names) for it in drawn})
    shown = _more_rows(snapshot, analysis.aggregates)
    pictures = _pictures(snapshot, shown)
    body = [
        "<h1>Performance report</h1>",
        f"<p>{text(describe_counts(snapshot.counts))}</p>",
        *_numbers(analysis),
        *findings_of(analysis, places),
    ]
    for found in observations(shown, analysis.hot_functions):
        body += _table(found, pictures.get(_IN_PAGE.get(found.title, ""), ""))
    body += _flame_graphs(snapshot, drawn, places)
    for found in (limits_for_people(analysis.ranking_thresholds), sources):
        body += _table(found, "")
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


def _profile_title(found: ProfileOf, names: Mapping[str, str]) -> str:
    """Return what people call it: the request, or else its file."""
    return title_of(found.profile, None if found.profile.request else names.get(found.source))


def _flame_graphs(snapshot: Snapshot, drawn: list[ProfileOf], places: PageNames) -> Iterator[str]:
    if not drawn:
        return
    yield '<h2 id="flame-graphs">Flame graphs</h2>'
    for number, each in enumerate(drawn):
        wall = wall_time_us(each.profile)
        took = "" if wall is None else f", {readable_time(wall)}"
        title = places.profiles[each.source]
        is_open = "" if number else " open"
        yield f'<details id="flame-{each.source}"{is_open}><summary>{text(title)}{took}</summary>'
        yield to_flame_section(flames_of(each.profile, title=title))
        yield "</details>"
    if len(snapshot.profiles) > len(drawn):
        yield f"<p>The {len(drawn)} longest of {len(snapshot.profiles)} profiles.</p>"


def _table(found: ReportTable, picture: str) -> Iterator[str]:
    yield f"<h2>{text(found.title)}</h2>"
    yield picture
    yield table([it for it in found.columns if not it.is_detail], found.rows, anchor=found.anchor)


# Findings: what, why, what to do, with links to the evidence.


def findings_of(analysis: Analysis, places: PageNames) -> Iterator[str]:
    """Yield the findings, worst first; the first is open."""
    yield '<h2 id="findings">Findings</h2>'
    if not analysis.findings:
        yield "<p>Nothing exceeds its limit, and nothing stands out.</p>"
    for number, finding in enumerate(analysis.findings):
        yield from _finding(finding, places, is_open=number == 0)
    for notice in analysis.notices:
        yield f'<p class="faint">{text(notice)}</p>'


def _finding(finding: PerformanceFinding, places: PageNames, *, is_open: bool) -> Iterator[str]:
    yield f'<details class="finding {finding.severity}"{" open" if is_open else ""}>'
    yield f"<summary><b>{finding.severity}</b> {text(finding.title)}</summary>"
    yield f"<p><b>Do first:</b> {text(finding.first_step)}</p>"
    yield f"<p>{text(finding.why)}</p>"
    for limit in finding.exceeded:
        yield f"<p>{METRIC_NAMES[limit.metric]} {text(limit.verdict)}.</p>"
    index = finding.index
    if index is not None:
        yield f"<p>{text(index.why)}</p>"
    for title, statement in (
        ("The query", finding.example),
        ("To see its plan", finding.explain),
        ("An index to try", None if index is None else index.statement),
    ):
        if statement is not None:
            yield f"<details><summary>{title}</summary><pre>{text(statement)}</pre></details>"
    links = list(_links(finding, places))
    if links:
        yield f"<ul>{''.join(f'<li>{it}</li>' for it in links)}</ul>"
    yield "</details>"


def _links(finding: PerformanceFinding, places: PageNames) -> Iterator[str]:
    """Yield links to the table row and the flame graphs, and where each thing was seen."""
    if finding.kind in _QUERY_KINDS:
        yield f'<a href="#query-{text(finding.subject)}">All numbers of this query</a>'
    if finding.kind == "endpoint":
        for source, title in places.profiles.items():
            if finding.subject in title:
                yield _to_flames(source, title)
    for found in finding.evidence:
        if finding.kind == "span" and found.source in places.profiles:
            yield _to_flames(found.source, places.profiles[found.source])
        yield text(", ".join(_parts(found, places)))


def _to_flames(source: str, title: str) -> str:
    return f'<a href="#flame-{text(source)}">Flame graph of {text(title)}</a>'


def _parts(found: Evidence, places: PageNames) -> Iterator[str]:
    """Yield where it was seen, in words."""
    line = "" if found.line is None else f", line {found.line:,}"
    if found.file is not None:
        yield f"defined in {found.file}{line}"
    else:
        yield f"{places.file(found.source)}{line}"
    if found.time_us is not None:
        yield readable_time(found.time_us)
