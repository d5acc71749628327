"""Take a comment away."""

from benchpin.core import Bench, Effect, sendable, tool

from ._desk import Desk
from ._model import CamelParams, CamelResult, CommentId


class DeleteParams(CamelParams):
    """Which comment."""

    file_path: str
    """Path to source file."""
    comment_id: CommentId
    """Comment ID to delete."""


class CommentDeleted(CamelResult):
    """The comment that is gone."""

    comment_id: str
    file_path: str

    def to_text(self) -> str:
        """Return what the protocol says on success."""
        return f"✅ Comment deleted\n\nComment ID: {self.comment_id}\nFile: {self.file_path}"


@tool(title="Delete a comment", effect=Effect.RECORD)
def delete_comment(params: DeleteParams, bench: Bench) -> CommentDeleted:
    """Delete a comment and its associated ghost marker. Replies to it stay."""
    desk = Desk(bench)
    path = desk.commented(params.file_path)
    holder = desk.holder(path, params.comment_id)
    with desk.editing(holder, desk.read_now(str(holder))) as draft:
        draft.remove(params.comment_id)
    return CommentDeleted(comment_id=params.comment_id, file_path=sendable(str(path)))
