"""Move a comment to another line or file."""

from benchpin.comments import describe_anchor
from benchpin.core.calls import Bench
from benchpin.core.text import sendable
from benchpin.core.tools import Effect, PathArgument, tool

from ._protocol import CamelParams, CamelResult, CommentId, LineNumber
from ._tool_comments import ToolComments


class MoveParams(CamelParams):
    """A comment and its new line."""

    source_file: PathArgument[str]
    """Current file containing the comment."""
    target_file: str
    """Destination file (can be same as source)."""
    comment_id: CommentId
    """Comment ID to move."""
    target_line: LineNumber
    """New line number in target file."""


class CommentMoved(CamelResult):
    """The old and the new place of the comment."""

    comment_id: str
    source_file: str
    source_line: int
    target_file: str
    target_line: int
    anchored_to: str

    def to_text(self) -> str:
        """Return the success message of the protocol."""
        return (
            "✅ Comment moved successfully\n\n"
            f"From: {self.source_file}:{self.source_line}\n"
            f"To: {self.target_file}:{self.target_line}\n\n"
            f"Comment ID: {self.comment_id}\n"
            f"New anchor: {self.anchored_to}"
        )


@tool(
    title="Move a comment",
    effect=Effect.RECORD,
    also=(
        "take a note to another file or line, note belongs elsewhere, relocate a remark, note "
        "is on the wrong line, put it on another line"
    ),
)
def move_comment(params: MoveParams, bench: Bench) -> CommentMoved:
    """Move a comment to a different file or line.

    Its replies go with it.
    """
    comments = ToolComments(bench)
    source = comments.commented(params.source_file)
    target, text = comments.source(params.target_file)
    anchor = comments.anchor(target, text, params.target_line)
    stored_for = comments.stored_for(source, params.comment_id)
    before = comments.place(stored_for).placed.get(params.comment_id)
    with comments.editing(stored_for, target) as [old, new]:
        thread = old.remove_thread(params.comment_id)
        comment = new.add_thread(thread, text, anchor, bench.now())
    return CommentMoved(
        comment_id=comment.id,
        source_file=sendable(str(source)),
        source_line=before.line if before is not None else comment.line,
        target_file=sendable(str(target)),
        target_line=anchor.line,
        anchored_to=describe_anchor(anchor),
    )
