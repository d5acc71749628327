"""Where the lines of comments are after edits, moves and renames."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._anchor import Anchor, make_anchor
    from ._context import line_by_name, place_by_context
    from ._git_history import open_git_history
    from ._placement import CAMEL_CASE, Layer, Placement, SentPath, Suggestion
    from ._sketch import sketch_of
    from ._source_files import SourceFiles
    from ._source_text import TrackedText
    from ._tracking import CommentTracker, PlacedComments

__all__ = [
    "CAMEL_CASE",
    "Anchor",
    "CommentTracker",
    "Layer",
    "PlacedComments",
    "Placement",
    "SentPath",
    "SourceFiles",
    "Suggestion",
    "TrackedText",
    "line_by_name",
    "make_anchor",
    "open_git_history",
    "place_by_context",
    "sketch_of",
]

__getattr__ = lazy(
    __name__,
    """
    _anchor: Anchor make_anchor
    _context: line_by_name place_by_context
    _git_history: open_git_history
    _placement: CAMEL_CASE Layer Placement SentPath Suggestion
    _sketch: sketch_of
    _source_files: SourceFiles
    _source_text: TrackedText
    _tracking: CommentTracker PlacedComments
    """,
)
