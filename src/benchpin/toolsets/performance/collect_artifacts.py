"""Probe a site and collect its profiles and slow log."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidPath
from benchpin.core.results import Item, Result
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.performance.collector import Bundle, CollectRequest, ProbeRequest, collect, plan_probe
from benchpin.performance.snapshots import BUNDLES, Retention, keep_out_of_git

from ._artifacts import locate
from ._params import PerformanceParams
from .settings import PerformanceSettings

_ShortPath = Annotated[str, Field(min_length=1, max_length=4096)]


class RetentionParam(Item):
    """How long bundles are kept."""

    keep_last_n: Annotated[int, Field(ge=1)] | None = None
    ttl_days: Annotated[int, Field(ge=1)] | None = None


class CollectParams(PerformanceParams, ProbeRequest):
    """Which requests to send, and where profiles and the slow log are."""

    spx_dirs: Annotated[tuple[_ShortPath, ...], Field(max_length=20)]
    """Folders with SPX reports; the newest 500 files of each are copied."""
    slow_log_path: _ShortPath | None
    """The slow log; copied with its literals redacted, null for none."""
    output_dir: Rare[_ShortPath | None] = None
    """A folder inside the folder of bundles; that folder by default."""
    retention: Rare[RetentionParam] = Field(default_factory=RetentionParam)
    raw: Rare[bool] = False
    """Copy the slow log and SPX metadata without redaction."""


class Collected(Bundle, Result):
    """A bundle on disk."""

    correlation_id: str

    def to_text(self) -> str:
        """Return the path of the bundle and what is in it."""
        counts = self.artifact_counts
        return "\n".join(
            (
                (
                    f"Bundle {self.bundle_id}: {counted(counts.timing_samples, 'request')}, "
                    f"{counted(counts.spx_files, 'SPX file')}, "
                    f"{counted(counts.inventory_items, 'file')} in total"
                ),
                self.bundle_dir,
                *self.notices,
                self.text_style.hint("Next: ingest_artifacts on this folder"),
            )
        )


@tool(
    title="Collect artefacts",
    effect=Effect.NETWORK,
    also=(
        "measure response time of a web page, probe a site, load a URL, how long does the page "
        "take, start page, latency, benchmark a website, fetch profiles, gather timings from a "
        "server, measure our site"
    ),
)
def collect_artifacts(params: CollectParams, bench: Bench) -> Collected:
    """Time GET requests to a site, and copy its SPX profiles and slow log, redacted."""
    keep_out_of_git(bench.data_folder, bench.job)
    bundles = bench.data_folder / BUNDLES
    made = collect(_collection(params, bench), bundles, bench.job, now=bench.now)
    return Collected(**dict(made), correlation_id=params.correlation(bench))


def _collection(params: CollectParams, bench: Bench) -> CollectRequest:
    settings = bench.settings(PerformanceSettings).collector
    kept = settings.retention
    return CollectRequest(
        plan=plan_probe(params, allows_private=settings.allow_private_addresses),
        spx_folders=tuple(_place(bench, path) for path in params.spx_dirs),
        slow_log=None if params.slow_log_path is None else _place(bench, params.slow_log_path),
        correlation_id=params.correlation(bench),
        is_raw=params.raw,
        output_dir=params.output_dir,
        retention=Retention(
            params.retention.keep_last_n or kept.keep_last_n,
            params.retention.ttl_days or kept.ttl_days,
        ),
        copy_max_bytes=settings.copy_max_bytes,
        most_spx_files=settings.max_files_per_spx_dir,
    )


def _place(bench: Bench, path: str) -> Path:
    folder, within = locate(bench, path)
    place = folder / within
    if not place.exists():
        raise InvalidPath(
            f"There is nothing at {path!r}",
            suggestion="spx_dirs are folders with SPX reports, slow_log_path is a readable file.",
            data={"path": path},
        )
    return place
