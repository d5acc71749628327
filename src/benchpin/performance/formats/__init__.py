"""The formats of artefacts, one module each: how a file is recognised, and how it is read."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._format import Content, FileHead
    from ._plan_steps import Plans, PlanStep, QueryPlan, wasteful_scans
    from ._registry import format_of, format_titles, read_artifact, recognise
    from ._spx import SPX_METADATA

__all__ = [
    "SPX_METADATA",
    "Content",
    "FileHead",
    "PlanStep",
    "Plans",
    "QueryPlan",
    "format_of",
    "format_titles",
    "read_artifact",
    "recognise",
    "wasteful_scans",
]

__getattr__ = lazy(__name__)
