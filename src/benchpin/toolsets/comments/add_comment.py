"""Add a comment to a line."""

from typing import Literal

from benchpin.comments import NewComment, SourceNotParsed
from benchpin.comments.anchoring import Anchor
from benchpin.core.calls import Bench
from benchpin.core.text import sendable
from benchpin.core.tools import Effect, PathArgument, Rare, tool
from benchpin.facts import Outline

from ._protocol import (
    AiMeta,
    Author,
    CamelParams,
    CamelResult,
    CommentId,
    CommentText,
    LineNumber,
    Tag,
    written_by,
)
from ._tool_comments import ToolComments


class AddParams(CamelParams):
    """A line, and what to say about it."""

    file_path: PathArgument[str]
    """Relative path to source file from workspace root."""
    line: LineNumber
    """Line number where comment should be added (1-indexed)."""
    text: CommentText
    """Comment text content."""
    tag: Tag
    """Comment tag category."""
    author: Rare[Author] = "ai"
    """Author name (e.g., 'claude', 'gpt-4', 'user')."""
    ai_meta: Rare[AiMeta | None] = None
    """Optional AI metadata."""
    reply_to: Rare[CommentId | None] = None
    """Comment ID to reply to; the reply is shown on the line of that comment."""
    anchor: Rare[Literal["auto", "symbol"]] = "auto"
    """symbol refuses a line that is in no function or type that can be parsed."""


class CommentAdded(CamelResult):
    """The new comment."""

    comment_id: str
    ghost_marker_id: str
    file_path: str
    line: int
    tag: Tag
    symbol: str
    """The function or type around the line; empty outside of any."""
    symbol_kind: str

    def to_text(self) -> str:
        """Return the success message of the protocol."""
        name = self.symbol.rpartition(".")[2]
        held = f"the {self.symbol_kind} '{name}'" if name else f"line {self.line}"
        return (
            "✅ Comment added successfully\n\n"
            f"Comment ID: {self.comment_id}\n"
            f"Ghost Marker ID: {self.ghost_marker_id}\n"
            f"File: {self.file_path}:{self.line}\n"
            f"Tag: {self.tag}\n\n"
            f"The comment has been anchored to {held} and will track code changes."
        )


@tool(
    title="Add a comment",
    effect=Effect.RECORD,
    also=(
        "leave a note, annotate a line, remark, review comment, remember something about this "
        "code, sticky note, question about a line, put a question on a line for a colleague, "
        "attach a remark"
    ),
)
def add_comment(params: AddParams, bench: Bench) -> CommentAdded:
    """Add a new paired comment to a source file at a specific line.

    It is stored beside the file, not in it, and follows the line when the code changes.
    """
    comments = ToolComments(bench)
    path, text = comments.source(params.file_path)
    anchor = comments.anchor(path, text, params.line)
    if params.anchor == "symbol":
        _require_symbol(comments.files.outline(str(path)), params, anchor)
    new = NewComment(
        text=params.text,
        tag=params.tag,
        author=params.author,
        ai_meta=None if params.ai_meta is None else params.ai_meta.given(),
        reply_to=params.reply_to or "",
        extra=written_by(bench.caller),
    )
    stored_for = comments.stored_for(path, params.reply_to) if params.reply_to else path
    with comments.editing(stored_for, text=text if stored_for == path else None) as [editor]:
        comment = editor.add(new, text, anchor, bench.now())
        if params.reply_to:  # it shares the marker of its parent
            anchor = editor.sidecar.marker_of[comment.id].anchor or anchor
    return CommentAdded(
        comment_id=comment.id,
        ghost_marker_id=comment.marker_id,
        file_path=sendable(str(path)),
        line=comment.line,
        tag=params.tag,
        symbol=anchor.symbol,
        symbol_kind=anchor.symbol_kind,
    )


def _require_symbol(outline: Outline | None, params: AddParams, anchor: Anchor) -> None:
    """Check that a line is in a symbol.

    Raises:
        SourceNotParsed: when it is not, with the reason.
    """
    if outline is None:
        problem = "There is no grammar for this file"
    elif outline.error_line:
        problem = f"{outline.error} at line {outline.error_line}"
    elif not anchor.symbol:
        problem = f"Line {params.line} is in no function or type"
    else:
        return
    raise SourceNotParsed(
        "Failed to parse source code",
        suggestion="Fix syntax errors before adding comments, or leave anchor out",
        data={"filePath": params.file_path, "parseError": problem},
    )
