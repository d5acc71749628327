"""Close a comment, or open it again."""

from typing import Literal

from benchpin.core import Bench, Effect, sendable, tool

from ._desk import Desk
from ._model import Author, CamelParams, CamelResult, CommentId

_DONE = {"open": "reopened", "wontfix": "marked wontfix"}


class ResolveParams(CamelParams):
    """Which comment, and what became of it."""

    file_path: str
    """Path to source file."""
    comment_id: CommentId
    """Comment ID to resolve."""
    status: Literal["resolved", "wontfix", "open"] = "resolved"
    """What became of it; open takes a resolution back."""
    author: Author = "ai"
    """Who says so."""


class CommentResolved(CamelResult):
    """The comment, as it stands."""

    comment_id: str
    file_path: str
    status: str
    updated: str

    def to_text(self) -> str:
        """Say what was done, as the protocol says other things."""
        return (
            f"✅ Comment {_DONE.get(self.status, self.status)}\n\n"
            f"Comment ID: {self.comment_id}\n"
            f"File: {self.file_path}\n"
            f"Updated: {self.updated}"
        )


@tool(title="Resolve a comment", effect=Effect.RECORD)
def resolve_comment(params: ResolveParams, bench: Bench) -> CommentResolved:
    """Mark a comment as resolved or as something that will not be done, or open it again."""
    desk = Desk(bench)
    path = desk.commented(params.file_path)
    holder = desk.holder(path, params.comment_id)
    with desk.editing(holder, desk.read_now(str(holder))) as draft:
        comment = draft.resolve(params.comment_id, params.status, params.author, bench.now())
    return CommentResolved(
        comment_id=comment.id,
        file_path=sendable(str(path)),
        status=comment.status,
        updated=comment.updated,
    )
