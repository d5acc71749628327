"""Where the lines of comments are after edits, moves and renames."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._anchor import (
        CAMEL_CASE,
        Anchor,
        LastPlace,
        Layer,
        Placement,
        SentPath,
        Suggestion,
        make_anchor,
        sketch_of,
    )
    from ._code_state import CodeChange, Scope, change_of, quotes_from, words_in
    from ._git_history import open_git_history
    from ._reanchor import line_by_name, place_by_context
    from ._source_files import SourceFiles
    from ._tracked_text import TrackedText
    from ._tracking import FOLDER, CommentTracker, PlacedComments

__all__ = [
    "CAMEL_CASE",
    "FOLDER",
    "Anchor",
    "CodeChange",
    "CommentTracker",
    "LastPlace",
    "Layer",
    "PlacedComments",
    "Placement",
    "Scope",
    "SentPath",
    "SourceFiles",
    "Suggestion",
    "TrackedText",
    "change_of",
    "line_by_name",
    "make_anchor",
    "open_git_history",
    "place_by_context",
    "quotes_from",
    "sketch_of",
    "words_in",
]

__getattr__ = lazy(__name__)
