"""Where the fleet of a call is kept."""

from pathlib import Path

from benchpin.core import Bench, Effect, Operation, Params, Rare
from benchpin.engines.fleet.place import Place
from benchpin.engines.fleet.questions import FleetTables
from benchpin.engines.fleet.records import tables_version

from .settings import FleetSettings


class FleetParams(Params):
    """Parameters of every fleet tool."""

    store: Rare[str | None] = None
    """Where facts and tables are: a folder, or a URL such as s3://bucket/path."""


def place_of(params: FleetParams, bench: Bench) -> Place:
    """Return the place that the caller names, the operator set, or else that of the data folder.

    Raises:
        EffectNotAllowed: when a caller names a store on the network without leave.
        PathError: when a folder is outside the workspace.
    """
    ours = bench.settings(FleetSettings).store
    if params.store is None or params.store == ours:
        return Place(ours or str(bench.data_folder / "fleet"))
    if "://" in params.store:
        bench.require(Effect.NETWORK, f"Using the store {params.store.partition('?')[0]}")
        return Place(params.store)
    return Place(str(bench.path(params.store, Operation.WRITE)))


def tables_of(params: FleetParams, bench: Bench) -> FleetTables:
    """Return the tables that questions are about.

    Raises:
        NothingMeasured: when there are none for what the caller may read.
    """
    place = place_of(params, bench)
    return FleetTables(place, fetched(bench), tables_version(bench.permissions))


def fetched(bench: Bench) -> Path:
    """Return the folder for what is fetched from a store."""
    return bench.cache_dir / "fleet"
