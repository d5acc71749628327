"""Values read from artefacts: whole numbers only.

Times are nanoseconds in profiles and microseconds elsewhere; moments are microseconds since 1970.
What an artefact does not record is None.
"""

from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

    from benchpin.performance.formats import Plans

# The lowest HTTP status that counts as an error.
FIRST_ERROR_STATUS = 400
NS_PER_US = 1000
# A profile of SPX has its own type, because it is made of two files.
ArtifactType = Literal[
    "spx",
    "profile",
    "mysql_slow_log",
    "mysql_digests",
    "postgresql_log",
    "pg_stat_statements",
    "query_plan",
    "ttfb_timings",
]
# Of SQL.
Dialect = Literal["mysql", "postgres"]
V = TypeVar("V", bound="PublishedValue")


class PublishedValue(msgspec.Struct, frozen=True):
    """Base of all values: plain data that compares by content, and a field of any result."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> "CoreSchema":
        """Let results publish a value as it is, unchecked."""
        from pydantic_core import core_schema  # noqa: PLC0415 - slow log workers do without

        published = core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())
        return core_schema.is_instance_schema(
            cls,
            serialization=core_schema.plain_serializer_function_ser_schema(
                msgspec.to_builtins, return_schema=published
            ),
        )


def derive(kind: type[V], base: PublishedValue, **more: Any) -> V:
    """Make a value of another class from the fields that both have in common, and `more`."""
    shared = {name: getattr(base, name) for name in kind.__struct_fields__ if name not in more}
    return kind(**shared, **more)


def to_us(time_ns: int | None) -> int | None:
    """Convert nanoseconds to whole microseconds."""
    return None if time_ns is None else time_ns // NS_PER_US


class ArtifactFault(PublishedValue, frozen=True):
    """Something in an artefact that could not be read."""

    place: str
    """Such as `line 120` or `byte 4096`."""
    problem: str


class SourceFault(ArtifactFault, frozen=True):
    """A fault and the file that has it."""

    source: str
    """The SHA-256 of the file, or its path."""


class Source(PublishedValue, frozen=True):
    """A file by its content; its path is not part of a snapshot."""

    sha256: str
    size_bytes: int
    type: ArtifactType
    version: str


class Cost(PublishedValue, frozen=True):
    """What a function cost in one profile, or over several."""

    function: str
    calls: int
    self: tuple[int, ...]
    """By metric, in the order of the profile's metrics, without callees."""
    inclusive: tuple[int, ...]
    """By metric, with callees; of recursive calls only the outermost counts."""
    deepest_recursion: int = 0
    file: str | None = None
    """The file that defines the function, if the profile has it."""
    line: int | None = None


class CallEdge(PublishedValue, frozen=True):
    """Calls from one function to another; both are positions in the profile's functions."""

    caller: int
    callee: int
    calls: int
    inclusive: tuple[int, ...]
    """Of calls nested in a call of the same pair only the outermost counts."""


class CallNode(PublishedValue, frozen=True, array_like=True):
    """A node of the call tree; parents come before their children."""

    parent: int
    """Position of the caller in the tree; -1 for a root."""
    function: int
    """Position in the profile's functions; -1 for `(other)`, where the tree was cut."""
    calls: int
    self: tuple[int, ...]
    inclusive: tuple[int, ...]


class ProfiledRequest(PublishedValue, frozen=True):
    """The request or command that was profiled, from the profile's metadata."""

    key: str
    started_at_us: int | None = None
    method: str | None = None
    uri: str | None = None
    """Path and names of query parameters, without their values."""
    host: str | None = None
    command: str | None = None
    process_id: int | None = None
    wall_time_ns: int | None = None
    peak_memory_bytes: int | None = None
    recorded_calls: int | None = None

    @property
    def name(self) -> str:
        """What people call it: the URI, the command or the key."""
        return self.uri or self.command or self.key


class Profile(PublishedValue, frozen=True):
    """One profile: who called whom, and what it cost."""

    version: str
    """The format that it was read from, such as `spx-text-v0.5`."""
    metrics: tuple[str, ...]
    """SPX's short names: `wt` is wall time, `ct` processor time, both in nanoseconds. Others are
    the profiler's own; names with `_ns` and `_bytes` say their unit, the rest are counts."""
    request: ProfiledRequest | None
    events: int
    functions: tuple[Cost, ...]
    edges: tuple[CallEdge, ...]
    tree: tuple[CallNode, ...]
    is_complete: bool
    """Whether every call ended and nothing was cut or damaged."""
    faults: tuple[ArtifactFault, ...] = ()


class ProfileOf(PublishedValue, frozen=True):
    """A profile and the SHA-256 of its source."""

    source: str
    profile: Profile


class CallerShare(PublishedValue, frozen=True):
    """A caller of a function, and the time of its calls."""

    function: str
    calls: int
    inclusive_ns: int | None


class Evidence(PublishedValue, frozen=True, omit_defaults=True):
    """Where a claim can be checked."""

    source: str = ""
    """SHA-256 of the artefact; empty where the owner of the evidence names it."""
    line: int | None = None
    """From 1; in the slow log, or of the function in its file."""
    byte: int | None = None
    """From 0."""
    time_us: int | None = None
    profile: str | None = None
    function: str | None = None
    file: str | None = None
    callers: tuple[CallerShare, ...] = ()


class QueryTotals(PublishedValue, frozen=True, kw_only=True):
    """Sums over queries that differ only in their values."""

    query_id: str
    fingerprint: str
    example: str
    """The slowest one, its literals redacted."""
    count: int
    total_time_us: int
    min_us: int
    max_us: int
    squares_us2: int | None
    """Sum of the squared times, for the variance."""
    lock_time_us: int | None
    rows_sent: int | None
    rows_examined: int | None
    full_scans: int | None
    """Events that scanned a whole table; None where the log does not record it."""
    errors: int | None
    first_seen_us: int | None
    last_seen_us: int | None
    databases: tuple[str, ...]
    users: tuple[str, ...]


class QueryClass(QueryTotals, frozen=True, kw_only=True):
    """A query class in one slow log."""

    p50_us: int | None
    p95_us: int | None
    evidence: tuple[Evidence, ...]
    """The slowest events, slowest first."""


class QueryPart(PublishedValue, frozen=True):
    """What a snapshot keeps of a query class for each slow log."""

    source: str
    count: int
    total_time_us: int
    max_us: int
    p50_us: int | None
    p95_us: int | None
    evidence: tuple[Evidence, ...]


class Query(QueryTotals, frozen=True, kw_only=True):
    """A query class over all slow logs."""

    p50_us: int | None
    """None when several logs have the class: quantiles do not add up; see `parts`."""
    p95_us: int | None
    parts: tuple[QueryPart, ...]


class Repetition(PublishedValue, frozen=True):
    """A query class that one connection ran several times."""

    query_id: str
    count: int
    total_time_us: int
    longest_run: int
    """The most in a row."""
    before_run: str | None = None
    """The class right before that run; None if there was none."""


class Connection(PublishedValue, frozen=True):
    """The queries of one connection."""

    id: int
    user: str | None
    events: int
    query_time_us: int
    first_seen_us: int | None
    last_seen_us: int | None
    repetitions: tuple[Repetition, ...]


class SlowLog(PublishedValue, frozen=True, kw_only=True, omit_defaults=True):
    """A digested slow log, or what a server counted about its statements.

    A snapshot keeps it without classes, which it merges, and faults.
    """

    source: str = ""
    """SHA-256 of its file, in a snapshot."""
    version: str
    server: str | None
    """The version that the server wrote into the log."""
    events: int
    total_time_us: int
    lock_time_us: int | None
    first_seen_us: int | None
    last_seen_us: int | None
    classes: tuple[QueryClass, ...] = ()
    """By total time, longest first."""
    connections: tuple[Connection, ...]
    """The slowest and the most repetitive ones, slowest first."""
    connection_count: int
    """How many there were; 0 where the log does not number them."""
    is_complete: bool
    faults: tuple[ArtifactFault, ...] = ()

    @property
    def has_all_connections(self) -> bool:
        """Whether every event belongs to a kept connection; large logs keep only some."""
        return sum(each.events for each in self.connections) == self.events


class Sample(PublishedValue, frozen=True):
    """One timed request."""

    route: str = ""
    """What samples are grouped by: path and names of query parameters."""
    url: str | None = None
    method: str | None = None
    status: int | None = None
    started_at_us: int | None = None
    dns_us: int | None = None
    """The duration of this phase alone; the next two are alike."""
    connect_us: int | None = None
    tls_us: int | None = None
    ttfb_us: int | None = None
    """From the start to the first byte of the response."""
    wall_us: int | None = None
    """From the start to the end, or to the error."""
    error: str | None = None
    cpu_us: int | None = None
    memory_bytes: int | None = None

    @property
    def is_error(self) -> bool:
        """Whether it failed or got an error status."""
        return self.error is not None or (self.status or 0) >= FIRST_ERROR_STATUS


class Timings(PublishedValue, frozen=True, kw_only=True, omit_defaults=True):
    """Timed requests of one file, in its order; a snapshot keeps them without faults."""

    source: str = ""
    """SHA-256 of their file, in a snapshot."""
    version: str
    samples: tuple[Sample, ...]
    is_complete: bool
    faults: tuple[ArtifactFault, ...] = ()


class Reading(PublishedValue, frozen=True):
    """What was read from one file, or from files that belong together."""

    sources: tuple[Source, ...]
    """First the file with the content, then its companions, such as SPX's metadata."""
    content: "Profile | SlowLog | Timings | Plans | None"
    """None when the file has no content of its own, such as SPX's metadata without its text."""
