"""Measure repositories, and keep facts and tables for questions."""

from contextlib import AbstractContextManager
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.fleet import (
    MAX_LISTING_BYTES,
    FleetMeasurement,
    Steps,
    dask_steps,
    find_members,
    local_steps,
    shown_url,
    tables_version,
)
from benchpin.present import Column, Report, Table, View
from benchpin.workspace.files import opened

from ._place import FleetParams, fetched, place_of
from .settings import FleetSettings

_MAX_LISTED = 1_000
_ADDRESS = r"^(tcp|tls|ws|wss)://[^/\s]+:\d+$"


class MeasureFleetParams(FleetParams):
    """Which repositories, and what measures them."""

    repositories: Annotated[list[str], Field(max_length=10_000, default_factory=lambda: ["*"])]
    """Folders or globs; work trees, bare mirrors, folders without git; such as mirrors/*."""
    listing: Rare[str | None] = None
    """A file with more: one on a line, or JSON as `gh repo list --json nameWithOwner` writes it."""
    scheduler: Rare[Annotated[str, Field(pattern=_ADDRESS)] | None] = None
    """The address of a Dask scheduler, such as tcp://10.0.0.1:8786."""
    workers: Rare[Annotated[int, Field(ge=1, le=64)] | None] = None
    """Processes on this machine; one for each core by default."""


class FailedRepository(Item):
    """A repository that was not measured."""

    repository: str
    reason: str


def _headline(fleet: "MeasuredFleet") -> list[str]:
    measured = counted(fleet.measured, "repository", "repositories")
    return [
        f"{measured} measured, {fleet.unchanged:,} unchanged, {len(fleet.failed):,} failed",
        f"{counted(fleet.files, 'file')}, {fleet.new_files:,} of them new; kept in {fleet.store}",
        fleet.text_style.hint("Now report_fleet, query_fleet and find_across have answers."),
    ]


class MeasuredFleet(Report):
    """What was measured now, and what was known."""

    measured: int
    """Repositories with a commit that was new."""
    unchanged: int
    files: int
    """Distinct contents of files in the repositories that were measured."""
    new_files: int
    """How many of them were parsed; all others were known by their content."""
    failed: list[FailedRepository]
    store: str

    view = View["MeasuredFleet"](
        title="Fleet",
        headline=_headline,
        tables=(
            Table(rows=lambda it: it.failed, columns=(Column("repository"), Column("reason"))),
        ),
    )


@tool(
    title="Measure a fleet",
    effect=Effect.RECORD,
    is_heavy=True,
    also=(
        "many repositories, organisation, monorepo, all our repos, mirrors, cluster, dask, "
        "across repositories"
    ),
)
def measure_fleet(params: MeasureFleetParams, bench: Bench) -> MeasuredFleet:
    """Measure many repositories.

    The newest commit of each; nothing is checked out. Results are cached by content: after the
    first run, only new commits cost time. An interrupted run continues.
    """
    place = place_of(params, bench, Effect.RECORD)
    listing = None if params.listing is None else _listing(params.listing, bench)
    permissions = bench.permissions
    found = find_members(bench.workspace.root, params.repositories, listing, permissions)
    version = tables_version(permissions)
    with _steps(params, bench) as steps:
        run = FleetMeasurement(place, steps, fetched(bench), version, bench.job)
        done = run.run(found.found)
    reasons: dict[str, str] = {
        **dict.fromkeys(found.missing, "no repository or folder of that name"),
        **dict.fromkeys(done.empty, "it has no commit"),
        **done.failed,
    }
    failed = [
        FailedRepository(repository=name, reason=why) for name, why in sorted(reasons.items())
    ]
    return MeasuredFleet(
        measured=len(done.measured),
        unchanged=done.unchanged,
        files=done.blobs,
        new_files=done.new_blobs,
        failed=failed[:_MAX_LISTED],
        store=shown_url(place.url),
        format=params.format,
    )


def _listing(path: str, bench: Bench) -> bytes:
    with opened(bench.workspace.root, bench.relative(path), MAX_LISTING_BYTES) as file:
        return file.read(MAX_LISTING_BYTES)


def _steps(params: MeasureFleetParams, bench: Bench) -> AbstractContextManager[Steps]:
    ours = bench.settings(FleetSettings).scheduler
    address = params.scheduler or ours
    if not address:
        return local_steps(params.workers)
    if address != ours:
        bench.require(Effect.NETWORK, f"Using the scheduler {address}", by_argument=True)
    return dask_steps(address)
