"""Move a comment to another line or file."""

from benchpin.core import Bench, Effect, sendable, tool

from ._desk import Desk
from ._model import CamelParams, CamelResult, CommentId, LineNumber, describe_anchor


class MoveParams(CamelParams):
    """Which comment, and where to."""

    source_file: str
    """Current file containing the comment."""
    target_file: str
    """Destination file (can be same as source)."""
    comment_id: CommentId
    """Comment ID to move."""
    target_line: LineNumber
    """New line number in target file."""


class CommentMoved(CamelResult):
    """Where the comment was, and where it is."""

    comment_id: str
    source_file: str
    source_line: int
    target_file: str
    target_line: int
    anchored_to: str

    def to_text(self) -> str:
        """Return what the protocol says on success."""
        return (
            "✅ Comment moved successfully\n\n"
            f"From: {self.source_file}:{self.source_line}\n"
            f"To: {self.target_file}:{self.target_line}\n\n"
            f"Comment ID: {self.comment_id}\n"
            f"New anchor: {self.anchored_to}"
        )


@tool(title="Move a comment", effect=Effect.RECORD)
def move_comment(params: MoveParams, bench: Bench) -> CommentMoved:
    """Move a comment to a different file or line (e.g., after refactoring).

    Its replies go with it.
    """
    desk = Desk(bench)
    source = desk.commented(params.source_file)
    target, document = desk.source(params.target_file)
    anchor = desk.anchor(target, document, params.target_line)
    holder = desk.holder(source, params.comment_id)
    before = desk.follow(holder).standings.get(params.comment_id)
    with desk.editing_both(holder, target) as (old, new):
        thread = old.take_out(params.comment_id)
        comment = new.take_in(thread, document, anchor, bench.now())
    return CommentMoved(
        comment_id=comment.id,
        source_file=sendable(str(source)),
        source_line=before.line if before is not None else comment.line,
        target_file=sendable(str(target)),
        target_line=anchor.line,
        anchored_to=describe_anchor(anchor),
    )
