"""Where the fleet of a call is kept."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench, Operation
from benchpin.core.errors import AccessDenied
from benchpin.core.tools import Effect, Params, Rare
from benchpin.fleet import MAX_ROWS, FleetTables, Place, open_place, shown_url, tables_version
from benchpin.present import Format

from .settings import FleetSettings


class FleetParams(Params):
    """Parameters of every fleet tool."""

    store: Rare[str | None] = None
    """Where facts and tables are: a folder, or a URL such as s3://bucket/path."""
    format: Rare[Format] = "summary"
    """How to show it."""


class QuestionParams(FleetParams):
    """Parameters of the tools that answer with rows."""

    limit: Rare[Annotated[int, Field(ge=1, le=MAX_ROWS)]] = 20
    """Rows to return."""


def place_of(params: FleetParams, bench: Bench, effect: Effect) -> Place:
    """Return the place that the caller names, the operator set, or else that of the data folder.

    Raises:
        AccessDenied: when a workspace brings a link in its place.
        EffectNotAllowed: when a caller names a store on the network, or a folder to write into,
            without leave.
        PathError: when a folder is outside the workspace.
    """
    ours = bench.settings(FleetSettings).store
    if params.store is None or params.store == ours:
        return open_place(ours or str(_own_folder(bench)))
    if "://" in params.store:
        action = f"Using the store {shown_url(params.store)}"
        bench.require(Effect.NETWORK, action, by_argument=True)
        return open_place(params.store)
    if effect is Effect.READ:
        return open_place(str(bench.path(params.store)))
    bench.require(Effect.WRITE, f"Writing to the folder {params.store}", by_argument=True)
    return open_place(str(bench.path(params.store, Operation.WRITE)))


def _own_folder(bench: Bench) -> Path:
    folder = bench.data_folder / "fleet"
    if folder.is_symlink():
        raise AccessDenied(
            f"{folder} is a link, and a workspace does not choose where records go",
            suggestion="Remove it, or name a store in the settings.",
            is_server_fault=True,
        )
    return folder


def tables_of(params: FleetParams, bench: Bench) -> FleetTables:
    """Return the tables that questions are about.

    Raises:
        NothingMeasured: when there are none for what the caller may read.
    """
    place = place_of(params, bench, Effect.READ)
    return FleetTables(place, fetched(bench), tables_version(bench.permissions))


def fetched(bench: Bench) -> Path:
    """Return the folder for what is fetched from a store."""
    return bench.cache_dir / "fleet"
