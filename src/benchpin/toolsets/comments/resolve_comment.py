"""Close a comment, or open it again."""

from typing import Literal

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, PathArgument, Rare, tool

from ._protocol import Author, CamelParams, CamelResult, CommentId
from ._tool_comments import ToolComments

_DONE = {"open": "reopened", "wontfix": "marked wontfix"}


class ResolveParams(CamelParams):
    """A comment and its new status."""

    file_path: PathArgument[str]
    """Path to source file."""
    comment_id: CommentId
    """Comment ID to resolve."""
    status: Rare[Literal["resolved", "wontfix", "open"]] = "resolved"
    """open reopens it."""
    author: Rare[Author] = "ai"
    """Who resolved it."""


class CommentResolved(CamelResult):
    """The comment and its status."""

    comment_id: str
    file_path: str
    status: str
    updated: str

    def to_text(self) -> str:
        """Return a message like those of the protocol."""
        return (
            f"✅ Comment {_DONE.get(self.status, self.status)}\n\n"
            f"Comment ID: {self.comment_id}\n"
            f"File: {self.file_path}\n"
            f"Updated: {self.updated}"
        )


@tool(
    title="Resolve a comment",
    effect=Effect.RECORD,
    also=(
        "done, close a remark, finished, will not fix, reopen a note, settle a discussion, mark "
        "as done, tick off, answered"
    ),
)
def resolve_comment(params: ResolveParams, bench: Bench) -> CommentResolved:
    """Mark a comment as resolved or as something that will not be done, or open it again."""
    comments = ToolComments(bench)
    with comments.editing_comment(params.file_path, params.comment_id) as (path, places):
        changed = [
            it.resolve(own_id, params.status, params.author, bench.now()) for it, own_id in places
        ]
    comment = changed[0]
    return CommentResolved(
        comment_id=comment.id, file_path=path, status=comment.status, updated=comment.updated
    )
