"""The tables of a report, and the parts of a finding, before they are Markdown or HTML."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from benchpin.performance.findings import (
    METRIC_NAMES,
    Aggregates,
    HotFunction,
    RankedQuery,
    RankedSpan,
    Thresholds,
    readable_time,
)
from benchpin.performance.snapshots import Spread
from benchpin.performance.values import Evidence, Source, to_us

SHORT_HASH = 12
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    text: str
    number: float | None = None
    """What it is sorted by; None for text and unknown numbers."""
    is_code: bool = False
    """Whether the text came from an artefact."""
    mark: str = ""
    """What a link to its row in a page is called."""


Row = tuple[Cell, ...]
UNKNOWN = Cell("-")


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table with its title."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[Row]

    def is_numeric(self, column: int) -> bool:
        """Whether a column has only numbers and unknown values."""
        return all(row[column].number is not None or row[column] == UNKNOWN for row in self.rows)

    def is_filled(self, column: int) -> bool:
        """Whether some row has a known value in a column."""
        return any(row[column].text not in {"", UNKNOWN.text} for row in self.rows)


def observations(found: Aggregates, hot: Iterable[HotFunction]) -> list[ReportTable]:
    """Return the tables of an analysis; those without rows are left out."""
    tables = (
        _table(
            "Endpoints",
            found.endpoints,
            {
                "Route": lambda it: _code(it.route),
                "Samples": lambda it: _count(it.samples),
                "Errors": lambda it: _count(it.errors),
                "First byte p50": lambda it: _quantile(it.ttfb, "p50_us"),
                "First byte p95": lambda it: _quantile(it.ttfb, "p95_us"),
                "Response p50": lambda it: _quantile(it.wall, "p50_us"),
                "Response p95": lambda it: _quantile(it.wall, "p95_us"),
                "Response max": lambda it: _quantile(it.wall, "max_us"),
                "Profiled p95": lambda it: _quantile(it.profiled_wall, "p95_us"),
            },
        ),
        _table(
            "Queries by total time",
            found.queries,
            {
                "Query": lambda it: Cell(it.fingerprint, is_code=True, mark=f"query-{it.query_id}"),
                "Events": lambda it: _count(it.count),
                "Total": lambda it: _time(it.total_time_us),
                "Share": lambda it: _number(it.share, ".1%"),
                "Mean": lambda it: _time(it.mean_us),
                "p50": lambda it: _time(it.p50_us),
                "p95": _p95,
                "max": lambda it: _time(it.max_us),
                "Variance/mean": lambda it: _time(it.variance_to_mean_us),
                "Rows examined/sent": lambda it: _number(it.rows_examined_per_row_sent, ",.1f"),
                "Full scans": lambda it: _count(it.full_scans),
                "Lock time": lambda it: _time(it.lock_time_us),
            },
        ),
        _table("Functions by self time", found.spans, _FUNCTION_COLUMNS),
        _table("Functions by inclusive time", found.spans_by_inclusive, _FUNCTION_COLUMNS),
        _hot_functions(hot),
        _table(
            "Queries by route",
            found.correlation.routes,
            {
                "Route": lambda it: _code(it.route),
                "Queries": lambda it: _count(it.events),
                "Query time": lambda it: _time(it.query_time_us),
                "Response": lambda it: _time(it.wall_time_us),
            },
        ),
        _table(
            "Unreadable places",
            found.faults,
            {
                "Source": lambda it: _code(it.source[:SHORT_HASH]),
                "Place": lambda it: Cell(it.place),
                "Problem": lambda it: Cell(it.problem),
            },
        ),
    )
    return [table for table in tables if table.rows]


def _hot_functions(found: Iterable[HotFunction]) -> ReportTable:
    """Return what the workspace knows about the hottest functions."""
    return _table(
        "Hot functions of the workspace",
        found,
        {
            "Function": lambda it: _code(f"{it.file}:{it.line} {it.symbol}"),
            "Share": lambda it: Cell(f"{it.share:.1%}", it.share),
            "Sure": lambda it: Cell(it.certainty),
            "Complexity": lambda it: _count(it.cognitive),
            "Last change": lambda it: Cell(it.last_change or UNKNOWN.text),
            "Owner": lambda it: Cell(it.owner or UNKNOWN.text),
            "Tests": lambda it: _count(it.tests_total),
            "Open comments": lambda it: Cell("; ".join(it.comments) or UNKNOWN.text),
        },
    )


def sources_table(sources: Iterable[Source], names: Mapping[str, str]) -> ReportTable:
    """Return the files behind the hashes, with their names where they are known."""
    return _table(
        "Sources",
        sources,
        {
            "Source": lambda it: _code(it.sha256[:SHORT_HASH]),
            "File": lambda it: _code(names[it.sha256]) if it.sha256 in names else UNKNOWN,
            "Kind": lambda it: Cell(f"{it.type} {it.version}".strip()),
            "Bytes": lambda it: _count(it.size_bytes),
        },
    )


def thresholds_table(thresholds: Thresholds) -> ReportTable:
    """Return the thresholds of findings."""
    return _table(
        "Thresholds Used",
        thresholds.items(),
        {
            "Metric, limits in ms": lambda it: _code(it[0]),
            "P0": lambda it: Cell(str(it[1].P0), it[1].P0),
            "P1": lambda it: Cell(str(it[1].P1), it[1].P1),
            "P2": lambda it: Cell(str(it[1].P2), it[1].P2),
            "Source": lambda it: Cell(it[1].source),
        },
    )


def limits_for_people(thresholds: Thresholds) -> ReportTable:
    """Return the limits of findings in words."""
    return _table(
        "Limits of findings, in ms",
        thresholds.items(),
        {
            "What is measured": lambda it: Cell(METRIC_NAMES[it[0]]),
            "P0 from": lambda it: Cell(f"{it[1].P0:,}", it[1].P0),
            "P1 from": lambda it: Cell(f"{it[1].P1:,}", it[1].P1),
            "P2 from": lambda it: Cell(f"{it[1].P2:,}", it[1].P2),
            "Chosen by": lambda it: Cell("you" if it[1].source == "provided" else "default"),
        },
    )


def _table(
    title: str, rows: Iterable[T], columns: Mapping[str, Callable[[T], Cell]]
) -> ReportTable:
    cells = [tuple(cell(row) for cell in columns.values()) for row in rows]
    return ReportTable(title, tuple(columns), cells)


def evidence_parts(found: Evidence) -> Iterator[tuple[str, str]]:
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


def _code(text: str) -> Cell:
    return Cell(text, is_code=True)


def _count(number: int | None) -> Cell:
    return UNKNOWN if number is None else Cell(f"{number:,}", number)


def _number(number: float | None, spec: str) -> Cell:
    return UNKNOWN if number is None else Cell(format(number, spec), number)


def _time(time_us: int | None) -> Cell:
    return UNKNOWN if time_us is None else Cell(readable_time(time_us), time_us)


def _cost(time_ns: int | None, cost: int, metric: str) -> Cell:
    """Show a time, or what was counted instead."""
    return Cell(f"{cost:,} {metric}", cost) if metric else _time(to_us(time_ns))


def _quantile(spread: Spread | None, name: str) -> Cell:
    return UNKNOWN if spread is None else _time(getattr(spread, name))


def _p95(query: RankedQuery) -> Cell:
    """Show the 95th percentile, or its range over several logs."""
    if query.p95_us is not None or query.p95_range_us is None:
        return _time(query.p95_us)
    low, high = query.p95_range_us
    return Cell(f"{readable_time(low)} to {readable_time(high)}", high)


_FUNCTION_COLUMNS: Mapping[str, Callable[[RankedSpan], Cell]] = {
    "Function": lambda it: _code(it.function),
    "Calls": lambda it: _count(it.calls),
    "Profiles": lambda it: _count(it.profiles),
    "Self": lambda it: _cost(it.self_ns, it.self_cost, it.metric),
    "Inclusive": lambda it: _cost(it.inclusive_ns, it.inclusive_cost, it.metric),
    "Main caller": lambda it: _code(it.callers[0].function) if it.callers else UNKNOWN,
}
