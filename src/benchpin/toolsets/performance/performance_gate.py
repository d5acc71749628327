"""Fail when something became slower than a baseline."""

import re
from pathlib import Path, PurePosixPath
from typing import Annotated

import msgspec
from pydantic import Field

from benchpin.core.calls import Bench, Operation
from benchpin.core.errors import FileMissing, InvalidParams, PathError
from benchpin.core.tools import Effect, Rare, tool
from benchpin.performance.comparing import (
    MEASURE_ALIKE,
    MIN_CHANGE_SHARE,
    MetricChange,
    SnapshotComparison,
    compare,
)
from benchpin.performance.snapshots import Snapshot, SnapshotStore, dump_baseline, load_baseline
from benchpin.present import FindingFormat
from benchpin.workspace.files import opened
from benchpin.workspace.writing import write_atomically

from ._params import SnapshotParams, store_of
from ._regressions import PerformanceGateReport

_MIN_PERCENT = round(100 * MIN_CHANGE_SHARE)
# Of a baseline.
_MAX_BYTES = 256 << 20
_ID = re.compile("(?:snapshot_)?[0-9a-f]{8,64}")


class PerformanceGateParams(SnapshotParams):
    """What to compare, and what may become slower."""

    baseline: Annotated[str, Field(min_length=1, max_length=4096)]
    """A snapshot, or a file; update_baseline writes it."""
    update_baseline: Rare[bool] = False
    """Write the snapshot to the baseline, a file, after comparing; a server needs --allow write."""
    allowed_percent: Rare[Annotated[float, Field(ge=_MIN_PERCENT, le=10_000)]] = _MIN_PERCENT
    """Changes up to this percentage pass; changes below 10 percent are never reported."""
    fail_on_regression: Rare[bool] = False
    """If something became slower, exit with code 1; over MCP, mark the result as an error."""
    format: Rare[FindingFormat] = "summary"
    """How to show it; full adds columns, csv, sarif and junit are for programs."""


@tool(
    title="Performance gate",
    effect=Effect.READ,
    is_heavy=True,
    further_effect=Effect.WRITE,
    also=(
        "CI, fail the build when it gets slower, performance regression check, benchmark in a "
        "pull request, compare with main, performance budget, SARIF, JUnit"
    ),
)
def performance_gate(params: PerformanceGateParams, bench: Bench) -> PerformanceGateReport:
    """Check that nothing became slower than a baseline.

    Made for CI: SARIF, JUnit, exit codes. Ten or more profiles or timings of each thing on both
    sides find changes from about 10 percent.
    """
    if params.update_baseline:
        bench.require(Effect.WRITE, "Writing a baseline", by_argument=True)
        if _ID.fullmatch(params.baseline):
            raise InvalidParams(
                f"{params.baseline!r} names a snapshot, which cannot be changed",
                suggestion="Name a file as baseline, such as perf-baseline.json.",
            )
    store = store_of(bench)
    after = store.load(params.wanted)
    before = _baseline(params, store, bench)
    found = compare(before or after, after)
    if found.reason:
        raise InvalidParams(
            f"{params.baseline} and the snapshot have nothing in common to compare: {found.reason}",
            suggestion=MEASURE_ALIKE,
        )
    if params.update_baseline:
        path = bench.relative(params.baseline, Operation.WRITE)
        write_atomically(bench.workspace.root, path, dump_baseline(after), bench.job)
    return _report(params, found, bench, is_first=before is None)


def _report(
    params: PerformanceGateParams, found: SnapshotComparison, bench: Bench, *, is_first: bool
) -> PerformanceGateReport:
    """Return the verdict; the first baseline was compared with nothing."""
    slower = _slower(found)
    limit = params.allowed_percent / 100
    failing = [it for it in slower if it.effect is None or it.effect > limit]
    return PerformanceGateReport(
        passed=not failing,
        status="failed" if failing else "baseline_written" if is_first else "passed",
        baseline=params.baseline,
        before=found.before,
        after=found.after,
        regressions=[_at_its_place(it, bench) for it in failing],
        allowed=len(slower) - len(failing),
        improvements=len(found.improvements),
        unclear=len(found.unclear),
        comparisons=0 if is_first else found.comparisons,
        is_written=params.update_baseline,
        fails=params.fail_on_regression,
        format=params.format,
    )


def _slower(found: SnapshotComparison) -> list[MetricChange]:
    """Return the regressions; that of a whole run only if none of its functions explains it."""
    subjects = [it.subject for it in found.regressions if it.kind == "span"]
    unexplained = [
        it
        for it in found.whole_runs
        if it.verdict == "regressed" and not any(s.startswith(f"{it.subject} ") for s in subjects)
    ]
    return [*found.regressions, *unexplained]


def _baseline(params: PerformanceGateParams, store: SnapshotStore, bench: Bench) -> Snapshot | None:
    """Read the baseline; None for a file that is about to be written for the first time."""
    if _ID.fullmatch(params.baseline):
        return store.load(params.baseline)
    path = bench.relative(params.baseline)
    try:
        with opened(bench.workspace.root, path, _MAX_BYTES) as file:
            return load_baseline(file.read(_MAX_BYTES), str(path))
    except FileMissing as error:
        if params.update_baseline:
            return None
        raise FileMissing(
            f"There is no baseline at {str(path)!r}",
            suggestion="Correct the path, write it with update_baseline=true, or name a snapshot "
            "of list_runs.",
            data={"path": str(path)},
        ) from error


def _at_its_place(change: MetricChange, bench: Bench) -> MetricChange:
    """Return a change with its file relative to the workspace, if it is inside."""
    if change.file is None or not Path(change.file).is_absolute():
        return change
    try:
        inner: PurePosixPath = bench.relative(change.file)
    except PathError:
        return change
    return msgspec.structs.replace(change, file=str(inner))
