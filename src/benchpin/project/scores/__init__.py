"""Scores, hotspots, advice and sections of a project, from what all measures found."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._analyses import (
        ANALYSES_TABLES,
        Analyses,
        ReportOptions,
        analyses_of,
        compose,
        cut,
        note_basis,
        shorten,
    )
    from ._correlation import CORRELATION_TABLES, Correlation, correlate
    from ._file_tree import TREE, FileTree, build_tree, prune
    from ._hotspots import HOTSPOTS, RECOMMENDATIONS, Hotspot, Recommendation, find_hotspots
    from ._quantiles import PartName
    from ._recommendations import recommend
    from ._scorecard import SCORECARD_TABLES, Scorecard, score_project

__all__ = [
    "ANALYSES_TABLES",
    "CORRELATION_TABLES",
    "HOTSPOTS",
    "RECOMMENDATIONS",
    "SCORECARD_TABLES",
    "TREE",
    "Analyses",
    "Correlation",
    "FileTree",
    "Hotspot",
    "PartName",
    "Recommendation",
    "ReportOptions",
    "Scorecard",
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

__getattr__ = lazy(__name__)
