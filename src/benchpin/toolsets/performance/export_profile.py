"""Write one profile of a snapshot for another tool."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Rare, tool
from benchpin.performance.comparing import filled_profiles, profile_name, select_profile
from benchpin.performance.exports import ProfileFormat, write_profile

from ._params import FromSnapshot, SnapshotId, SnapshotParams, store_of


class ExportProfileParams(SnapshotParams):
    """Which profile, and in which format."""

    profile: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    """The beginning of its key, URI or source's SHA-256; the longest profile by default."""
    format: ProfileFormat = "flamegraph"
    """flamegraph is one self-contained HTML page, svg the same as a still picture."""
    before: Rare[SnapshotId | None] = None
    """An older snapshot: flamegraph and svg then show what changed since then, beyond noise."""
    metric: Rare[Annotated[str, Field(max_length=40)] | None] = None
    """The metric of flamegraph and collapsed: wt for wall time, ct for CPU time, zm for memory."""


class ExportedProfile(FromSnapshot, Result):
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
    """Profiles without a single call, which were skipped."""

    @classmethod
    def format_of(cls, suffix: str) -> ProfileFormat | None:
        """Return what a file of this name shows."""
        forms: dict[str, ProfileFormat] = {
            ".html": "flamegraph",
            ".svg": "svg",
            ".json": "speedscope",
            ".txt": "collapsed",
            ".out": "callgrind",
            ".gz": "pprof",
        }
        return forms.get(suffix)

    def written_file(self, _suffix: str) -> Path:
        """Return the profile in the chosen format."""
        return Path(self.path)

    def to_text(self) -> str:
        """Return the path, and the other profiles."""
        lines = [f"{self.format}: {self.path} ({self.size_bytes:,} bytes)"]
        if self.others:
            lines.append(f"Other profiles: {', '.join(self.others)}")
        if self.empty:
            lines.append(f"Empty profiles, skipped: {', '.join(self.empty)}")
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
    older = None if params.before is None else store.load(params.before)
    title = None if chosen.profile.request else store.metadata(snapshot.id).names.get(chosen.source)
    suffix, content = write_profile(
        chosen.profile, params.format, params.metric, title, (older, snapshot)
    )
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
