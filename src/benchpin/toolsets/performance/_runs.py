"""A stored snapshot as results show it."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import InstanceOf

from benchpin.core import Item
from benchpin.engines.profiles.contents import Counts, Totals
from benchpin.engines.profiles.runs import Run

from ._published import AS_OBJECT


class RunItem(Item):
    """A snapshot and how much it holds."""

    run_id: str
    """The same as normalized_snapshot_id."""
    ingested_at: datetime
    size_bytes: int
    counts: Annotated[InstanceOf[Counts], AS_OBJECT]
    totals: Annotated[InstanceOf[Totals], AS_OBJECT]
    environment_hints: dict[str, object]

    def to_line(self) -> str:
        """Return it in one line."""
        counts = self.counts
        return (
            f"{self.run_id[:12]}  {self.ingested_at:%Y-%m-%d %H:%M:%S}  "
            f"{counts.queries:,} query classes, {counts.spans:,} functions, "
            f"{counts.endpoints:,} endpoints"
        )


def run_item(run: Run) -> RunItem:
    """Return a stored snapshot for a result."""
    return RunItem(
        run_id=run.id,
        ingested_at=datetime.fromtimestamp(run.ingested_at_us / 1_000_000, UTC),
        size_bytes=run.size_bytes,
        counts=run.counts,
        totals=run.totals,
        environment_hints=run.environment_hints,
    )
