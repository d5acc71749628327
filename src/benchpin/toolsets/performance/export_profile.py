"""Write one profile of a snapshot for another tool."""

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, InvalidParams, Rare, Result, tool
from benchpin.engines.profiles.exports.callgrind import to_callgrind
from benchpin.engines.profiles.exports.flamegraph import to_flame_graph_page
from benchpin.engines.profiles.exports.pprof import to_pprof
from benchpin.engines.profiles.exports.speedscope import to_speedscope
from benchpin.engines.profiles.exports.stacks import to_collapsed
from benchpin.engines.profiles.merging import wall_time_us
from benchpin.engines.profiles.snapshot import Snapshot
from benchpin.engines.profiles.values import Profile, ProfileOf

from ._params import INGESTED, SnapshotParams, store_of

ProfileFormat = Literal["flamegraph", "speedscope", "collapsed", "callgrind", "pprof"]
_WRITERS: dict[ProfileFormat, tuple[str, Callable[[Profile, str | None], str | bytes]]] = {
    "flamegraph": ("html", to_flame_graph_page),
    "speedscope": ("speedscope.json", lambda profile, _metric: to_speedscope(profile)),
    "collapsed": ("collapsed.txt", to_collapsed),
    "callgrind": ("callgrind.out", lambda profile, _metric: to_callgrind(profile)),
    "pprof": ("pb.gz", lambda profile, _metric: to_pprof(profile)),
}
"""The ending of the file, and the function that writes a profile for a metric."""


class ExportProfileParams(SnapshotParams):
    """Which profile, and in which format."""

    profile: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    """Its key, URI or source's SHA-256; the beginning is enough, the longest profile by default."""
    format: ProfileFormat = "flamegraph"
    """flamegraph is one self-contained HTML page."""
    metric: Rare[Annotated[str, Field(max_length=40)] | None] = None
    """The metric of flamegraph and collapsed: wt for wall time, ct for CPU time, zm for memory."""


class ExportedProfile(Result):
    """The file that was written."""

    normalized_snapshot_id: str
    profile: str
    """The SHA-256 of its source."""
    format: ProfileFormat
    path: str
    size_bytes: int
    others: list[str]
    """Other profiles of the snapshot, by key or URI."""
    empty: list[str]
    """Profiles without a single call, which were passed over."""

    def as_of(self) -> str:
        """Return when it is from."""
        return INGESTED

    def to_text(self) -> str:
        """Return the path, and the other profiles."""
        lines = [f"{self.format}: {self.path} ({self.size_bytes:,} bytes)"]
        if self.others:
            lines.append(f"Other profiles: {', '.join(self.others)}")
        if self.empty:
            lines.append(f"Empty profiles, passed over: {', '.join(self.empty)}")
        return "\n".join(lines)


@tool(
    title="Export a profile",
    effect=Effect.RECORD,
    is_heavy=True,
    also=(
        "flame graph, flamegraph, speedscope, call stacks, where is time spent in a request, "
        "SVG, pprof, open in kcachegrind or another viewer, look at the call stacks"
    ),
)
def export_profile(params: ExportProfileParams, bench: Bench) -> ExportedProfile:
    """Write a profile as flame graph, speedscope, collapsed stacks, callgrind or pprof."""
    store = store_of(bench)
    snapshot = store.load(params.wanted)
    chosen = _selected(snapshot, params.profile)
    _refuse_without_stacks(chosen.profile, params.format)
    suffix, write = _WRITERS[params.format]
    exported = write(chosen.profile, params.metric)
    content = exported.encode() if isinstance(exported, str) else exported
    path = store.save_export(f"profile_{chosen.source[:16]}.{suffix}", content)
    return ExportedProfile(
        normalized_snapshot_id=snapshot.id,
        profile=chosen.source,
        format=params.format,
        path=str(path),
        size_bytes=len(content),
        others=[_name(it) for it in _filled(snapshot) if it.source != chosen.source],
        empty=[_name(it) for it in snapshot.profiles if not it.profile.functions],
    )


def _selected(snapshot: Snapshot, wanted: str | None) -> ProfileOf:
    if not snapshot.profiles:
        raise InvalidParams(
            "The snapshot has no profile",
            suggestion="Ingest one first: SPX, pprof, speedscope, collapsed stacks or others.",
        )
    filled = _filled(snapshot)
    if not filled:
        names = ", ".join(_name(it) for it in snapshot.profiles)
        raise InvalidParams(
            f"No profile of the snapshot has a call: {names}",
            suggestion="Record them again.",
        )
    if wanted is None:
        return max(filled, key=lambda it: (wall_time_us(it.profile) or 0, it.source))
    found = [it for it in filled if it.source.startswith(wanted) or wanted in _names(it)]
    if len(found) == 1:
        return found[0]
    raise InvalidParams(
        f"{len(found) or 'No'} profiles match {wanted!r}",
        suggestion=f"Give one of {', '.join(it.source[:12] for it in found or filled)}.",
        data={"path": "profile", "known": [_name(it) for it in filled]},
    )


def _filled(snapshot: Snapshot) -> list[ProfileOf]:
    """Return the profiles with at least one call; a crashed request leaves one without."""
    return [it for it in snapshot.profiles if it.profile.functions]


def _refuse_without_stacks(profile: Profile, wanted: ProfileFormat) -> None:
    if not profile.tree and wanted != "callgrind":
        raise InvalidParams(
            f"{profile.version} records who called whom, but no stacks, which {wanted} shows",
            suggestion="Use format callgrind, or record with a profiler that keeps stacks.",
            data={"path": "format"},
        )


def _names(found: ProfileOf) -> set[str | None]:
    request = found.profile.request
    return {request.key, request.uri, request.command} if request else set()


def _name(found: ProfileOf) -> str:
    name = found.profile.request and found.profile.request.name
    return f"{found.source[:12]} {name or found.profile.version}"
