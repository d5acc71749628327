"""Delete a comment."""

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, PathArgument, tool

from ._protocol import CamelParams, CamelResult, CommentId
from ._tool_comments import ToolComments


class DeleteParams(CamelParams):
    """The comment to delete."""

    file_path: PathArgument[str]
    """Path to source file."""
    comment_id: CommentId
    """Comment ID to delete."""


class CommentDeleted(CamelResult):
    """The deleted comment."""

    comment_id: str
    file_path: str

    def to_text(self) -> str:
        """Return the success message of the protocol."""
        return f"✅ Comment deleted\n\nComment ID: {self.comment_id}\nFile: {self.file_path}"


@tool(
    title="Delete a comment",
    effect=Effect.RECORD,
    also=(
        "remove a note, throw away a remark, discard a comment, note made by mistake, get rid "
        "of a note or annotation, it was wrong"
    ),
)
def delete_comment(params: DeleteParams, bench: Bench) -> CommentDeleted:
    """Delete a comment and its associated ghost marker. Replies to it stay."""
    comments = ToolComments(bench)
    with comments.editing_comment(params.file_path, params.comment_id) as (path, places):
        for editor, own_id in places:
            editor.remove(own_id)
    return CommentDeleted(comment_id=params.comment_id, file_path=path)
