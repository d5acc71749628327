"""What got better and what got worse: the measures of past commits beside those of now."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._past_commits import MAX_COMMITS, PastCommit, past_commits
    from ._picture import OVER_TIME
    from ._trend import (
        FunctionTrend,
        MeasureTrend,
        Trend,
        TrendMeasures,
        TrendPoint,
        measure_trend,
    )
    from ._view import PERIODS, TREND_TABLES, headline

__all__ = [
    "MAX_COMMITS",
    "OVER_TIME",
    "PERIODS",
    "TREND_TABLES",
    "FunctionTrend",
    "MeasureTrend",
    "PastCommit",
    "Trend",
    "TrendMeasures",
    "TrendPoint",
    "headline",
    "measure_trend",
    "past_commits",
]

__getattr__ = lazy(__name__)
