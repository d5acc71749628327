"""Write one profile of a snapshot for another tool."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Rare, tool
from benchpin.performance.comparing import filled_profiles, profile_name, select_profile, subject_of
from benchpin.performance.exports import (
    Flames,
    differences,
    flames_of,
    flames_page,
    to_callgrind,
    to_collapsed,
    to_flame_svg,
    to_pprof,
    to_speedscope,
)
from benchpin.performance.snapshots import Snapshot
from benchpin.performance.values import Profile

from ._params import INGESTED, SnapshotId, SnapshotParams, store_of

ProfileFormat = Literal["flamegraph", "svg", "speedscope", "collapsed", "callgrind", "pprof"]
# The ending of the file, and the function that draws a flame graph.
_DRAWINGS: dict[ProfileFormat, tuple[str, Callable[[Flames], str]]] = {
    "flamegraph": ("html", flames_page),
    "svg": ("svg", to_flame_svg),
}
# The ending of the file, and the function that writes a profile for a metric.
_WRITERS: dict[ProfileFormat, tuple[str, Callable[[Profile, str | None], str | bytes]]] = {
    "speedscope": ("speedscope.json", lambda profile, _metric: to_speedscope(profile)),
    "collapsed": ("collapsed.txt", to_collapsed),
    "callgrind": ("callgrind.out", lambda profile, _metric: to_callgrind(profile)),
    "pprof": ("pb.gz", lambda profile, _metric: to_pprof(profile)),
}


class ExportProfileParams(SnapshotParams):
    """Which profile, and in which format."""

    profile: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    """Its key, URI or source's SHA-256; the beginning is enough, the longest profile by default."""
    format: ProfileFormat = "flamegraph"
    """flamegraph is one self-contained HTML page, svg the same as a still picture."""
    before: Rare[SnapshotId | None] = None
    """An older snapshot: flamegraph and svg then show what changed since then, beyond noise."""
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

    def written_file(self, _suffix: str) -> Path:
        """Return the profile in the chosen format."""
        return Path(self.path)

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
    chosen = select_profile(snapshot, params.profile)
    _refuse_without_stacks(chosen.profile, params)
    older = None if params.before is None else store.load(params.before)
    title = None if chosen.profile.request else store.metadata(snapshot.id).names.get(chosen.source)
    suffix, content = _written(params, chosen.profile, title, (older, snapshot))
    kind = "profile" if older is None else f"difference_{older.id[:16]}"
    path = store.save_export(f"{kind}_{chosen.source[:16]}.{suffix}", content)
    return ExportedProfile(
        normalized_snapshot_id=snapshot.id,
        profile=chosen.source,
        format=params.format,
        path=str(path),
        size_bytes=len(content),
        others=[profile_name(it) for it in filled_profiles(snapshot) if it != chosen],
        empty=[profile_name(it) for it in snapshot.profiles if not it.profile.functions],
    )


def _written(
    params: ExportProfileParams,
    profile: Profile,
    title: str | None,
    snapshots: tuple[Snapshot | None, Snapshot],
) -> tuple[str, bytes]:
    """Return the ending of the file and its content."""
    older, newer = snapshots
    if params.format in _DRAWINGS:
        suffix, draw = _DRAWINGS[params.format]
        if older is None:
            return suffix, draw(flames_of(profile, params.metric, title)).encode()
        return suffix, draw(_difference(older, newer, subject_of(profile))).encode()
    if older is not None:
        raise InvalidParams(
            f"{params.format} shows one profile, not what changed since another snapshot",
            suggestion="Use format flamegraph or svg, or leave out before.",
            data={"path": "before"},
        )
    suffix, write = _WRITERS[params.format]
    content = write(profile, params.metric)
    return suffix, content.encode() if isinstance(content, str) else content


def _difference(older: Snapshot, newer: Snapshot, subject: str) -> Flames:
    if found := differences(older, newer, subject):
        return found[0]
    raise InvalidParams(
        f"The older snapshot has no profile of {subject or 'the same kind'!r} with stacks",
        suggestion="Ingest profiles of the same route or command, from the same profiler.",
        data={"path": "before"},
    )


def _refuse_without_stacks(profile: Profile, params: ExportProfileParams) -> None:
    """Refuse what needs stacks; a flame graph of one profile says that its own are estimated."""
    is_estimated = params.format in _DRAWINGS and params.before is None
    if profile.tree or params.format == "callgrind" or is_estimated:
        return
    shown = "a difference" if params.before else params.format
    raise InvalidParams(
        f"{profile.version} records who called whom, but no stacks, which {shown} shows",
        suggestion="Use format flamegraph, svg or callgrind without before, or record with a "
        "profiler that keeps stacks: py-spy, SPX, Excimer, node --cpu-prof or perf.",
        data={"path": "format"},
    )
