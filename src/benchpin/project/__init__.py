"""Composes the measures of a project: scores, defects, the quality gate, review, advice."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._findings import ANALYSES, PERIOD_DAYS, Analysis, CodeSummary, Findings, gather
    from ._impact import FileContext, RemovedSymbols, contexts_of
    from ._measured import OUT_OF_TIME, MeasureResult, PartTime, Performance, times_line, total_of
    from ._profiled_functions import ProfiledFunctions, ProfiledShare, shares_of
    from ._project import COPIES, FileCycle, Project, coupling_of, duplicated_shares
    from ._query_sources import query_sources
    from ._slow_causes import causes_of

__all__ = [
    "ANALYSES",
    "COPIES",
    "OUT_OF_TIME",
    "PERIOD_DAYS",
    "Analysis",
    "CodeSummary",
    "FileContext",
    "FileCycle",
    "Findings",
    "MeasureResult",
    "PartTime",
    "Performance",
    "ProfiledFunctions",
    "ProfiledShare",
    "Project",
    "RemovedSymbols",
    "causes_of",
    "contexts_of",
    "coupling_of",
    "duplicated_shares",
    "gather",
    "query_sources",
    "shares_of",
    "times_line",
    "total_of",
]

__getattr__ = lazy(__name__)
