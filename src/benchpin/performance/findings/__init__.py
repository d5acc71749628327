"""What is too slow in a snapshot, why, and what to do first."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._analysis import (
        DEFAULT_TOP_N,
        Aggregates,
        Analysis,
        HotFunction,
        HotSpan,
        analyze,
        hottest,
        slowest_first,
    )
    from ._correlation import RequestCorrelation
    from ._findings import PerformanceFinding
    from ._ranked import (
        METRIC_NAMES,
        RankedQuery,
        RankedSpan,
        Thresholds,
        describe_counts,
        metric_name,
        rank_query,
        rank_spans,
        readable_time,
    )
    from ._sent_queries import QuerySource, QueryWithPlan, sent_queries

__all__ = [
    "DEFAULT_TOP_N",
    "METRIC_NAMES",
    "Aggregates",
    "Analysis",
    "HotFunction",
    "HotSpan",
    "PerformanceFinding",
    "QuerySource",
    "QueryWithPlan",
    "RankedQuery",
    "RankedSpan",
    "RequestCorrelation",
    "Thresholds",
    "analyze",
    "describe_counts",
    "hottest",
    "metric_name",
    "rank_query",
    "rank_spans",
    "readable_time",
    "sent_queries",
    "slowest_first",
]

__getattr__ = lazy(__name__)
