"""The steps of a plan, in the terms that all servers share."""

from typing import Literal

from benchpin.performance.findings import Dialect
from benchpin.performance.values import ArtifactFault, Value

Access = Literal["scan", "index", "join", "sort", "other"]


class PlanStep(Value, frozen=True, kw_only=True, omit_defaults=True):
    """What the server does, and where it was run also how much of it; counts are over all loops."""

    operation: str
    """In the words of the server, such as `Seq Scan` or `ALL`."""
    parent: int = -1
    access: Access = "other"
    table: str | None = None
    alias: str | None = None
    index: str | None = None
    condition: str | None = None
    """What rows are kept by, after they were read, without its values."""
    estimated_rows: int | None = None
    """That it returns in one loop."""
    rows: int | None = None
    """That it returned."""
    read_rows: int | None = None
    """That it read, or would read; None where only the cost is known."""
    loops: int | None = None
    time_us: int | None = None
    """With the steps below it."""
    cost: int | None = None
    is_inner: bool = False
    """Whether it runs once for each row of the other side of a join."""
    is_cut_short: bool = False
    """Whether a step above it may stop before all of its rows were read, such as LIMIT."""
    is_on_disk: bool = False
    """Whether it did not fit into memory."""
    disk_bytes: int | None = None
    unused_indexes: tuple[str, ...] = ()
    """That the server considered and did not choose."""


class QueryPlan(Value, frozen=True, kw_only=True, omit_defaults=True):
    """How a server runs a statement, or ran it."""

    dialect: Dialect
    query_id: str | None = None
    """The class of the statement, where its text is known."""
    fingerprint: str | None = None
    was_run: bool
    time_us: int | None = None
    steps: tuple[PlanStep, ...]
    """Steps come after the one that uses their rows."""


class Plans(Value, frozen=True, kw_only=True, omit_defaults=True):
    """The plans of one file; a snapshot keeps them without faults."""

    source: str = ""
    """SHA-256 of their file, in a snapshot."""
    version: str
    plans: tuple[QueryPlan, ...]
    is_complete: bool
    faults: tuple[ArtifactFault, ...] = ()
