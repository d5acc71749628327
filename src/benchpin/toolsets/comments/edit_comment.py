"""Change what a comment says."""

from benchpin.core import Bench, Effect, sendable, tool

from ._desk import Desk
from ._model import CamelParams, CamelResult, CommentId, CommentText


class EditParams(CamelParams):
    """Which comment, and what it is to say."""

    file_path: str
    """Path to source file containing the comment."""
    comment_id: CommentId
    """Unique comment ID (e.g., 'c_1730000000000')."""
    text: CommentText
    """New comment text."""


class CommentEdited(CamelResult):
    """The comment that was changed."""

    comment_id: str
    file_path: str
    updated: str

    def to_text(self) -> str:
        """Return what the protocol says on success."""
        return (
            "✅ Comment edited successfully\n\n"
            f"Comment ID: {self.comment_id}\n"
            f"File: {self.file_path}\n"
            f"Updated: {self.updated}"
        )


@tool(title="Edit a comment", effect=Effect.RECORD)
def edit_comment(params: EditParams, bench: Bench) -> CommentEdited:
    """Edit the text content of an existing comment. Its place, tag and author stay."""
    desk = Desk(bench)
    path = desk.commented(params.file_path)
    holder = desk.holder(path, params.comment_id)
    with desk.editing(holder, desk.read_now(str(holder))) as draft:
        comment = draft.edit(params.comment_id, params.text, bench.now())
    return CommentEdited(
        comment_id=comment.id, file_path=sendable(str(path)), updated=comment.updated
    )
