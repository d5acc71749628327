"""Where the lines of comments are after edits, moves and renames."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._anchor import (
        CAMEL_CASE,
        Anchor,
        Layer,
        Placement,
        SentPath,
        Suggestion,
        make_anchor,
        sketch_of,
    )
    from ._git_history import open_git_history
    from ._reanchor import line_by_name, place_by_context
    from ._source_files import SourceFiles
    from ._tracked_text import TrackedText
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

__getattr__ = lazy(__name__)
