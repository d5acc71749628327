"""The open comments on code that a tool shows."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._open_comments import (
        COMMENTS_TABLE,
        NO_COMMENTS,
        CommentReader,
        CommentsShown,
        OpenComments,
        comments_within,
        shown,
    )

__all__ = [
    "COMMENTS_TABLE",
    "NO_COMMENTS",
    "CommentReader",
    "CommentsShown",
    "OpenComments",
    "comments_within",
    "shown",
]

__getattr__ = lazy(
    __name__,
    """
    _open_comments: COMMENTS_TABLE CommentReader CommentsShown NO_COMMENTS OpenComments
        comments_within shown
    """,
)
