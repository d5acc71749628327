"""Compare snapshots: what changed beyond noise."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._comparison import MEASURE_ALIKE, MetricChange, SnapshotComparison, compare
    from ._measured import (
        MIN_CHANGE_SHARE,
        Drift,
        Group,
        Metric,
        RepeatedMeasure,
        Verdict,
        drift_of,
        filled_profiles,
        group_of,
        judge,
        noise,
        profile_name,
        runs_by_subject,
        select_profile,
        subject_of,
    )
    from ._series import ChangePoint, change_points

__all__ = [
    "MEASURE_ALIKE",
    "MIN_CHANGE_SHARE",
    "ChangePoint",
    "Drift",
    "Group",
    "Metric",
    "MetricChange",
    "RepeatedMeasure",
    "SnapshotComparison",
    "Verdict",
    "change_points",
    "compare",
    "drift_of",
    "filled_profiles",
    "group_of",
    "judge",
    "noise",
    "profile_name",
    "runs_by_subject",
    "select_profile",
    "subject_of",
]

__getattr__ = lazy(
    __name__,
    """
    _comparison: MetricChange MEASURE_ALIKE SnapshotComparison compare
    _measured: Drift Group MIN_CHANGE_SHARE RepeatedMeasure Metric Verdict drift_of filled_profiles
        group_of judge noise profile_name runs_by_subject select_profile subject_of
    _series: ChangePoint change_points
    """,
)
