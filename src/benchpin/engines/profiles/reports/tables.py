"""The tables of a report, and the parts of a finding, before they are Markdown or HTML."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchpin.engines.profiles.analysis import Aggregates
from benchpin.engines.profiles.ranked import RankedQuery, RankedSpan
from benchpin.engines.profiles.thresholds import Thresholds
from benchpin.engines.profiles.values import NS_PER_US, Endpoint, Evidence, Source, Spread
from benchpin.engines.profiles.wording import readable_time

SHORT_HASH = 12


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    text: str
    number: float | None = None
    """What it is sorted by; None for text and unknown numbers."""
    is_code: bool = False
    """Whether the text came from an artefact."""


Row = tuple[Cell, ...]
UNKNOWN = Cell("-")


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[Row]

    def is_numeric(self, column: int) -> bool:
        """Whether a column has only numbers and unknown values."""
        return all(row[column].number is not None or row[column] == UNKNOWN for row in self.rows)


def observations(found: Aggregates) -> list[Table]:
    """Return the tables of an analysis; those without rows are left out."""
    tables = (
        Table(
            "Endpoints",
            (
                "Route",
                "Samples",
                "Errors",
                "First byte p50",
                "First byte p95",
                "Response p50",
                "Response p95",
                "Response max",
                "Profiled p95",
            ),
            [_endpoint(each) for each in found.endpoints],
        ),
        Table(
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
            [_query(each) for each in found.queries],
        ),
        _functions("Functions by self time", found.spans),
        _functions("Functions by inclusive time", found.spans_by_inclusive),
        Table(
            "Queries by route",
            ("Route", "Queries", "Query time", "Response"),
            [
                (
                    _code(each.route),
                    _count(each.events),
                    _time(each.query_time_us),
                    _time(each.wall_time_us),
                )
                for each in found.correlation.routes
            ],
        ),
        Table(
            "Unreadable places",
            ("Source", "Place", "Problem"),
            [
                (_code(each.source[:SHORT_HASH]), Cell(each.place), Cell(each.problem))
                for each in found.faults
            ],
        ),
    )
    return [table for table in tables if table.rows]


def sources_table(sources: Iterable[Source], names: Mapping[str, str]) -> Table:
    """Return the files behind the hashes, with their names where they are known."""
    rows = [
        (
            _code(source.sha256[:SHORT_HASH]),
            _code(names[source.sha256]) if source.sha256 in names else UNKNOWN,
            Cell(f"{source.type} {source.version}".strip()),
            _count(source.size_bytes),
        )
        for source in sources
    ]
    return Table("Sources", ("Source", "File", "Kind", "Bytes"), rows)


def thresholds_table(thresholds: Thresholds) -> Table:
    """Return the thresholds of findings."""
    rows = [
        (
            _code(metric),
            *(Cell(str(ms), ms) for ms in (limit.P0, limit.P1, limit.P2)),
            Cell(limit.source),
        )
        for metric, limit in thresholds.items()
    ]
    return Table("Thresholds Used", ("Metric, limits in ms", "P0", "P1", "P2", "Source"), rows)


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


def _endpoint(endpoint: Endpoint) -> Row:
    return (
        _code(endpoint.route),
        _count(endpoint.samples),
        _count(endpoint.errors),
        *_spread(endpoint.ttfb)[:2],
        *_spread(endpoint.wall),
        _spread(endpoint.profiled_wall)[1],
    )


def _query(query: RankedQuery) -> Row:
    ratio = query.rows_examined_per_row_sent
    return (
        _code(query.fingerprint),
        _count(query.count),
        _time(query.total_time_us),
        UNKNOWN if query.share is None else Cell(f"{query.share:.1%}", query.share),
        _time(query.mean_us),
        _time(query.p50_us),
        _p95(query),
        _time(query.max_us),
        _time(query.variance_to_mean_us),
        UNKNOWN if ratio is None else Cell(f"{ratio:,.1f}", ratio),
        _count(query.full_scans),
        _time(query.lock_time_us),
    )


def _functions(title: str, spans: Iterable[RankedSpan]) -> Table:
    rows = [
        (
            _code(each.function),
            _count(each.calls),
            _count(each.profiles),
            _time(None if each.self_ns is None else each.self_ns // NS_PER_US),
            _time(None if each.inclusive_ns is None else each.inclusive_ns // NS_PER_US),
            _code(each.callers[0].function) if each.callers else UNKNOWN,
        )
        for each in spans
    ]
    return Table(title, ("Function", "Calls", "Profiles", "Self", "Inclusive", "Main caller"), rows)


def _code(text: str) -> Cell:
    return Cell(text, is_code=True)


def _count(number: int | None) -> Cell:
    return UNKNOWN if number is None else Cell(f"{number:,}", number)


def _time(time_us: int | None) -> Cell:
    return UNKNOWN if time_us is None else Cell(readable_time(time_us), time_us)


def _spread(spread: Spread | None) -> Row:
    if spread is None:
        return UNKNOWN, UNKNOWN, UNKNOWN
    return _time(spread.p50_us), _time(spread.p95_us), _time(spread.max_us)


def _p95(query: RankedQuery) -> Cell:
    """Show the 95th percentile, or its range over several logs."""
    low, high = query.p95_range_us
    if query.p95_us is not None:
        return _time(query.p95_us)
    return Cell(f"{readable_time(low)} to {readable_time(high)}", high)
