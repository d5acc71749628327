"""What is too slow in a snapshot, why, and what to do first."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._advice import Dialect, IndexAdvice, index_for_condition
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
        RankedQuery,
        RankedSpan,
        Rule,
        Signal,
        describe_counts,
        metric_name,
        rank_query,
        rank_spans,
        readable_time,
    )
    from ._thresholds import METRIC_NAMES, Thresholds

__all__ = [
    "DEFAULT_TOP_N",
    "METRIC_NAMES",
    "Aggregates",
    "Analysis",
    "Dialect",
    "HotFunction",
    "HotSpan",
    "IndexAdvice",
    "PerformanceFinding",
    "RankedQuery",
    "RankedSpan",
    "RequestCorrelation",
    "Rule",
    "Signal",
    "Thresholds",
    "analyze",
    "describe_counts",
    "hottest",
    "index_for_condition",
    "metric_name",
    "rank_query",
    "rank_spans",
    "readable_time",
    "slowest_first",
]

__getattr__ = lazy(
    __name__,
    """
    _analysis: Aggregates Analysis DEFAULT_TOP_N analyze slowest_first
    _correlation: RequestCorrelation
    _findings: PerformanceFinding
    _analysis: HotFunction HotSpan hottest
    _advice: Dialect IndexAdvice index_for_condition
    _ranked: RankedQuery RankedSpan rank_query rank_spans
    _ranked: Rule Signal
    _thresholds: METRIC_NAMES Thresholds
    _ranked: describe_counts metric_name readable_time
    """,
)
