"""Compare snapshots: what changed beyond noise."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._comparison import (
        COMPARISON_TABLES,
        MEASURE_ALIKE,
        REGRESSION_COLUMNS,
        MetricChange,
        SnapshotComparison,
        compare,
        comparison_headline,
        largest_moves,
    )
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
    "COMPARISON_TABLES",
    "MEASURE_ALIKE",
    "MIN_CHANGE_SHARE",
    "REGRESSION_COLUMNS",
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
    "comparison_headline",
    "drift_of",
    "filled_profiles",
    "group_of",
    "judge",
    "largest_moves",
    "noise",
    "profile_name",
    "runs_by_subject",
    "select_profile",
    "subject_of",
]

__getattr__ = lazy(__name__)
