"""Scores, hotspots, advice and sections of a project, from what all measures found."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._advice import Recommendation
    from ._analyses import Analyses, analyses_of, cut, shorten
    from ._composed import ReportOptions, compose, note_basis
    from ._correlation import Correlation, RankCorrelation, correlate
    from ._file_tree import TreeNode, build_tree, prune
    from ._hotspots import Hotspot, find_hotspots
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
    _advice: Recommendation
    _analyses: Analyses analyses_of cut shorten
    _composed: ReportOptions compose note_basis
    _correlation: Correlation RankCorrelation correlate
    _file_tree: TreeNode build_tree prune
    _hotspots: Hotspot find_hotspots
    _recommendations: recommend
    _scorecard: PartName Scorecard score_project
    """,
)
