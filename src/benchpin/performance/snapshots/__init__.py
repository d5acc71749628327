"""Snapshots: the merged content of artefacts, and their store."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._merging import (
        TIMES,
        Counts,
        Endpoint,
        FunctionSpan,
        Spread,
        Totals,
        length_of,
        route_of,
        time_index,
        wall_time_us,
    )
    from ._runs import Origin, Retention, Run, dump_baseline, load_baseline
    from ._snapshot import Snapshot, build_snapshot, normalised_hints
    from ._store import BUNDLES, LAST_SNAPSHOT, SnapshotStore, keep_out_of_git

__all__ = [
    "BUNDLES",
    "LAST_SNAPSHOT",
    "TIMES",
    "Counts",
    "Endpoint",
    "FunctionSpan",
    "Origin",
    "Retention",
    "Run",
    "Snapshot",
    "SnapshotStore",
    "Spread",
    "Totals",
    "build_snapshot",
    "dump_baseline",
    "keep_out_of_git",
    "length_of",
    "load_baseline",
    "normalised_hints",
    "route_of",
    "time_index",
    "wall_time_us",
]

__getattr__ = lazy(__name__)
