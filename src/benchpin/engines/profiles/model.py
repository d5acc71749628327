"""What readers find in artefacts and a snapshot keeps: whole numbers only.

Times are nanoseconds in profiles and microseconds elsewhere, moments are microseconds since 1970.
What an artefact does not tell is None.
"""

from typing import Literal

import msgspec

FIRST_ERROR_STATUS = 400
"""From here on, a server did not do what it was asked for."""
ArtifactType = Literal["spx", "mysql_slow_log", "ttfb_timings"]


class Value(msgspec.Struct, frozen=True):
    """Base of all values: plain data that compares by content."""


class Fault(Value, frozen=True):
    """Something in an artefact that could not be read, and where it stands."""

    place: str
    """Such as `line 120` or `byte 4096`."""
    problem: str


class Cost(Value, frozen=True):
    """What a function cost in one profile, or over several."""

    function: str
    calls: int
    self: tuple[int, ...]
    """By metric, in the order of the profile's metrics, without what it called."""
    inclusive: tuple[int, ...]
    """By metric, with what it called; of a recursion the outermost call only."""
    deepest_recursion: int = 0
    file: str | None = None
    """Where the function is written, if the profile tells."""
    line: int | None = None


class Edge(Value, frozen=True):
    """Calls from one function to another; both are places in the profile's functions."""

    caller: int
    callee: int
    calls: int
    inclusive: tuple[int, ...]
    """Of calls within a call of the same pair the outermost only."""


class Node(Value, frozen=True, array_like=True):
    """A place in the call tree; parents stand before their children."""

    parent: int
    """Place of the caller in the tree; -1 for a root."""
    function: int
    """Place in the profile's functions; -1 for `(other)`, where the tree was cut."""
    calls: int
    self: tuple[int, ...]
    inclusive: tuple[int, ...]


class Request(Value, frozen=True):
    """What a profile's metadata tells of the request or command that was profiled."""

    key: str
    started_at_us: int | None
    method: str | None
    uri: str | None
    """Path and names of query parameters, without their values."""
    host: str | None
    command: str | None
    process_id: int | None
    wall_time_ns: int | None
    peak_memory_bytes: int | None
    recorded_calls: int | None


class Profile(Value, frozen=True):
    """One profile, read whole: who called whom, and what it cost."""

    version: Literal["spx-text-v0.4", "spx-text-v0.5"]
    metrics: tuple[str, ...]
    """SPX's short names; `wt` is wall time in nanoseconds."""
    request: Request | None
    events: int
    functions: tuple[Cost, ...]
    edges: tuple[Edge, ...]
    tree: tuple[Node, ...]
    is_complete: bool
    """Whether every call was left again and nothing was cut or damaged."""
    faults: tuple[Fault, ...] = ()


class Evidence(Value, frozen=True):
    """Where an event stands in its log."""

    line: int
    """From 1."""
    byte: int
    """From 0."""
    time_us: int


class QueryTotals(Value, frozen=True, kw_only=True):
    """What adds up over queries that are the same but for their values."""

    query_id: str
    fingerprint: str
    example: str
    """The slowest one, its literals redacted."""
    count: int
    total_time_us: int
    min_us: int
    max_us: int
    squares_us2: int
    """Sum of the squared times, from which the variance follows."""
    lock_time_us: int
    rows_sent: int
    rows_examined: int
    full_scans: int | None
    """Events said to scan a whole table; None where the log does not tell."""
    errors: int | None
    first_seen_us: int | None
    last_seen_us: int | None
    databases: tuple[str, ...]
    users: tuple[str, ...]


class QueryClass(QueryTotals, frozen=True, kw_only=True):
    """Queries of one log that are the same but for their values."""

    p50_us: int
    p95_us: int
    evidence: tuple[Evidence, ...]
    """The slowest events, slowest first."""


class Repetition(Value, frozen=True):
    """A class that one connection asked for again and again."""

    query_id: str
    count: int
    total_time_us: int
    longest_run: int
    """Most of them in a row."""
    before_run: str | None = None
    """The class that came right before that run; None where nothing did."""


class Connection(Value, frozen=True):
    """What one connection asked for."""

    id: int
    user: str | None
    events: int
    query_time_us: int
    first_seen_us: int | None
    last_seen_us: int | None
    repetitions: tuple[Repetition, ...]


class SlowLog(Value, frozen=True):
    """A slow log, digested."""

    version: str
    server: str | None
    """What the server that wrote it said of its version."""
    events: int
    total_time_us: int
    lock_time_us: int
    first_seen_us: int | None
    last_seen_us: int | None
    classes: tuple[QueryClass, ...]
    """By total time, the longest first."""
    connections: tuple[Connection, ...]
    """Those that took or repeated most, the slowest first."""
    connection_count: int
    """How many there were; 0 where the log does not number them."""
    is_complete: bool
    faults: tuple[Fault, ...] = ()


class Sample(Value, frozen=True):
    """One timed request."""

    route: str
    """What samples are grouped by: path and names of query parameters."""
    url: str | None
    method: str | None
    status: int | None
    started_at_us: int | None
    dns_us: int | None
    """What this phase alone took, as the two after it."""
    connect_us: int | None
    tls_us: int | None
    ttfb_us: int | None
    """From the start to the first byte of the response."""
    wall_us: int | None
    """From the start to the end; where there is an error, until it was given up."""
    error: str | None
    cpu_us: int | None = None
    memory_bytes: int | None = None


class Timings(Value, frozen=True):
    """Timed requests of one file, in its order."""

    version: str
    samples: tuple[Sample, ...]
    is_complete: bool
    faults: tuple[Fault, ...] = ()
