"""Edit the text of a comment."""

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, PathArgument, tool

from ._protocol import CamelParams, CamelResult, CommentId, CommentText
from ._tool_comments import ToolComments


class EditParams(CamelParams):
    """A comment and its new text."""

    file_path: PathArgument[str]
    """Path to source file containing the comment."""
    comment_id: CommentId
    """Unique comment ID (e.g., 'c_1730000000000')."""
    text: CommentText
    """New comment text."""


class CommentEdited(CamelResult):
    """The edited comment."""

    comment_id: str
    file_path: str
    updated: str

    def to_text(self) -> str:
        """Return the success message of the protocol."""
        return (
            "✅ Comment edited successfully\n\n"
            f"Comment ID: {self.comment_id}\n"
            f"File: {self.file_path}\n"
            f"Updated: {self.updated}"
        )


@tool(
    title="Edit a comment",
    effect=Effect.RECORD,
    also="change the wording of a note, correct a remark, rewrite a comment, typo in a note",
)
def edit_comment(params: EditParams, bench: Bench) -> CommentEdited:
    """Edit the text content of an existing comment. Its place, tag and author stay."""
    comments = ToolComments(bench)
    with comments.editing_comment(params.file_path, params.comment_id) as (path, places):
        changed = [it.edit(own_id, params.text, bench.now()) for it, own_id in places]
    comment = changed[0]
    return CommentEdited(comment_id=comment.id, file_path=path, updated=comment.updated)
