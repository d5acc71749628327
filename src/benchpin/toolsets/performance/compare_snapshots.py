"""Say what became slower between two snapshots."""

from collections.abc import Sequence

from benchpin.core import Bench, Effect, Result, plain, tool
from benchpin.engines.profiles.comparison import Change, Comparison, Presence
from benchpin.engines.profiles.comparison import compare_snapshots as compare

from ._params import PerformanceParams, SnapshotId, store_of

_SHOWN = 10


class CompareParams(PerformanceParams):
    """Which two snapshots."""

    before: SnapshotId
    """The older snapshot, or the first 8 or more characters of its id."""
    after: SnapshotId
    """The newer one."""


class Compared(Comparison, Result):
    """What differs, beyond what chance explains."""

    def to_text(self) -> str:
        """Return the verdict and the changes behind it."""
        lines = [
            (
                f"{self.verdict}: {len(self.regressions)} regressions, "
                f"{len(self.improvements)} improvements, {len(self.unclear)} unclear, "
                f"{self.unchanged} within noise of {self.comparisons} compared"
            ),
        ]
        for name, changes in (
            ("slower", self.regressions),
            ("faster", self.improvements),
            ("unclear", self.unclear),
        ):
            lines += [f"{name}: {_line(change)}" for change in changes[:_SHOWN]]
        lines += _listed("new", self.appeared) + _listed("gone", self.disappeared)
        return "\n".join(map(plain, lines))


def _line(change: Change) -> str:
    return (
        f"{change.kind} {change.title[:100]}  {change.metric} {change.before:,.0f} → "
        f"{change.after:,.0f} (noise ±{change.noise:,.0f}, "
        f"{change.before_count:,} and {change.after_count:,} values)"
    )


def _listed(name: str, found: Sequence[Presence]) -> list[str]:
    return [f"{name}: {it.kind} {it.title[:100]}  {it.time_us:,} µs" for it in found[:_SHOWN]]


@tool(title="Compare snapshots", effect=Effect.READ)
def compare_snapshots(params: CompareParams, bench: Bench) -> Compared:
    """Name what became slower or faster from one snapshot to another, beyond noise."""
    store = store_of(bench)
    return Compared(**dict(compare(store.load(params.before), store.load(params.after))))
