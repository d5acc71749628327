"""Parameters that the performance tools share, and the store of their snapshots."""

from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import Params, Rare
from benchpin.performance.snapshots import Retention, SnapshotStore
from benchpin.present import Format

from .settings import PerformanceSettings

SnapshotId = Annotated[str, Field(min_length=1, max_length=100)]


class FromSnapshot:
    """A result that is read from a snapshot."""

    def as_of(self) -> str:
        """Return when it is from."""
        return "when the snapshot was ingested"


class PerformanceParams(Params):
    """Parameters of every performance tool."""

    correlation_id: Rare[Annotated[str, Field(max_length=200)] | None] = None
    """An id of your own; it comes back in errors, logs and some results."""

    def correlation(self, bench: Bench) -> str:
        return self.correlation_id or bench.caller.correlation_id


class ReportParams(PerformanceParams):
    """Parameters of a tool that reports a list."""

    format: Rare[Format] = "summary"
    """How to show it; full adds columns and details, csv has the first table."""


class SnapshotParams(PerformanceParams):
    """Which snapshot to use."""

    normalized_snapshot_id: SnapshotId | None = None
    """Its id, or the first 8 characters."""
    snapshot_id: Rare[SnapshotId | None] = None
    """Another name for normalized_snapshot_id."""

    @property
    def wanted(self) -> str:
        given = {self.normalized_snapshot_id, self.snapshot_id} - {None}
        if len(given) != 1:
            problem = "is missing" if not given else "and snapshot_id differ"
            raise InvalidParams(
                f"normalized_snapshot_id {problem}",
                suggestion="Give the id that ingest_artifacts returned; list_runs shows all.",
                data={"path": "normalized_snapshot_id"},
            )
        return str(given.pop())


def store_of(bench: Bench) -> SnapshotStore:
    kept = bench.settings(PerformanceSettings).retention
    return SnapshotStore(bench.data_folder, Retention(kept.keep_last_n, kept.ttl_days), bench.job)
