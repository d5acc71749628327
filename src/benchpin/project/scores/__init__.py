"""Scores, hotspots, advice and sections of a project, from what all measures found."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._analyses import Analyses, ReportOptions, analyses_of, compose, cut, note_basis, shorten
    from ._correlation import Correlation, RankCorrelation, correlate
    from ._file_tree import TreeNode, build_tree, prune
    from ._hotspots import Hotspot, Recommendation, find_hotspots
    from ._recommendations import recommend
    from ._scorecard import PartName, Scorecard, score_project

__all__ = [
    "Analyses",
    "Correlation",
    "Hotspot",
    "PartName",
    "RankCorrelation",
    "Recommendation",
    "ReportOptions",
    "Scorecard",
    "TreeNode",
    "analyses_of",
    "build_tree",
    "compose",
    "correlate",
    "cut",
    "find_hotspots",
    "note_basis",
    "prune",
    "recommend",
    "score_project",
    "shorten",
]

__getattr__ = lazy(
    __name__,
    """
    _analyses: Analyses ReportOptions analyses_of compose cut note_basis shorten
    _correlation: Correlation RankCorrelation correlate
    _file_tree: TreeNode build_tree prune
    _hotspots: Hotspot Recommendation find_hotspots
    _recommendations: recommend
    _scorecard: PartName Scorecard score_project
    """,
)
