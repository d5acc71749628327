"""The tables of a report, before they are Markdown or HTML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchpin.engines.profiles.analysis import Aggregates
from benchpin.engines.profiles.contents import Endpoint, Source, SourceFault, Spread
from benchpin.engines.profiles.correlation import RouteQueries
from benchpin.engines.profiles.findings import readable_time
from benchpin.engines.profiles.rows import QueryRow, SpanRow

SHORT_HASH = 12
_NS_PER_US = 1000


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a table."""

    text: str
    number: float | None = None
    """What it is sorted by; None for text and for what is not known."""
    is_code: bool = False
    """Whether the text came from an artefact."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def is_numeric(self, column: int) -> bool:
        """Tell whether a column holds numbers only, or nothing."""
        return all(row[column].number is not None or row[column] == UNKNOWN for row in self.rows)


UNKNOWN = Cell("-")


def observations(found: Aggregates) -> list[Table]:
    """Lay out what was seen; tables without rows are left out."""
    tables = (
        _endpoints(found.endpoints),
        _queries(found.queries),
        _functions("Functions by time of their own", found.spans),
        _functions("Functions with what they call", found.spans_by_inclusive),
        _routes(found.correlation.routes),
        _faults(found.faults),
    )
    return [table for table in tables if table.rows]


def sources_table(sources: Sequence[Source], names: Mapping[str, str]) -> Table:
    """Say which files the hashes stand for, as far as that is known."""
    rows = (
        (
            _code(source.sha256[:SHORT_HASH]),
            _code(names[source.sha256]) if source.sha256 in names else UNKNOWN,
            Cell(f"{source.type} {source.version}".strip()),
            _count(source.size_bytes),
        )
        for source in sources
    )
    return Table("Sources", ("Source", "File", "Kind", "Bytes"), tuple(rows))


def _endpoints(endpoints: Sequence[Endpoint]) -> Table:
    return Table(
        "Endpoints",
        (
            "Route",
            "Samples",
            "Errors",
            "First byte p50",
            "First byte p95",
            "Whole p50",
            "Whole p95",
            "Whole max",
            "Profiled p95",
        ),
        tuple(
            (
                _code(each.route),
                _count(each.samples),
                _count(each.errors),
                *_spread(each.ttfb)[:2],
                *_spread(each.wall),
                _spread(each.profiled_wall)[1],
            )
            for each in endpoints
        ),
    )


def _queries(queries: Sequence[QueryRow]) -> Table:
    return Table(
        "Queries by total time",
        (
            "Query",
            "Events",
            "Total",
            "Share",
            "Mean",
            "p50",
            "p95",
            "max",
            "Variance/mean",
            "Rows examined/sent",
            "Full scans",
            "Lock time",
        ),
        tuple(
            (
                _code(each.fingerprint),
                _count(each.count),
                _time(each.total_time_us),
                UNKNOWN if each.share is None else Cell(f"{each.share:.1%}", each.share),
                _time(each.mean_us),
                _time(each.p50_us),
                _p95(each),
                _time(each.max_us),
                _time(each.variance_to_mean_us),
                _ratio(each.rows_examined_per_row_sent),
                _count(each.full_scans),
                _time(each.lock_time_us),
            )
            for each in queries
        ),
    )


def _functions(title: str, spans: Sequence[SpanRow]) -> Table:
    return Table(
        title,
        ("Function", "Calls", "Profiles", "Self", "Inclusive", "Most called by"),
        tuple(
            (
                _code(each.function),
                _count(each.calls),
                _count(each.profiles),
                _time(None if each.self_ns is None else each.self_ns // _NS_PER_US),
                _time(None if each.inclusive_ns is None else each.inclusive_ns // _NS_PER_US),
                _code(each.callers[0].function) if each.callers else UNKNOWN,
            )
            for each in spans
        ),
    )


def _routes(routes: Sequence[RouteQueries]) -> Table:
    return Table(
        "Queries of a route",
        ("Route", "Queries", "Query time", "Whole answer"),
        tuple(
            (
                _code(each.route),
                _count(each.events),
                _time(each.query_time_us),
                _time(each.wall_time_us),
            )
            for each in routes
        ),
    )


def _faults(faults: Sequence[SourceFault]) -> Table:
    return Table(
        "What could not be read",
        ("Source", "Place", "Problem"),
        tuple(
            (_code(each.source[:SHORT_HASH]), Cell(each.place), Cell(each.problem))
            for each in faults
        ),
    )


def _code(text: str) -> Cell:
    return Cell(text, is_code=True)


def _count(number: int | None) -> Cell:
    return UNKNOWN if number is None else Cell(f"{number:,}", number)


def _ratio(number: float | None) -> Cell:
    return UNKNOWN if number is None else Cell(f"{number:,.1f}", number)


def _time(time_us: int | None) -> Cell:
    return UNKNOWN if time_us is None else Cell(readable_time(time_us), time_us)


def _spread(spread: Spread | None) -> tuple[Cell, Cell, Cell]:
    if spread is None:
        return UNKNOWN, UNKNOWN, UNKNOWN
    return _time(spread.p50_us), _time(spread.p95_us), _time(spread.max_us)


def _p95(row: QueryRow) -> Cell:
    """Show the 95th percentile, or between what it lies when it is not known."""
    low, high = row.p95_range_us
    if row.p95_us is not None:
        return _time(row.p95_us)
    return Cell(f"{readable_time(low)} to {readable_time(high)}", high)
