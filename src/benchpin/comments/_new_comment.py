"""What is added to a sidecar, and where the comments of other programs are."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from benchpin.comments.anchoring import (
    Placement,
    Scope,
    TrackedText,
    line_by_name,
    place_by_context,
)
from benchpin.core.errors import InvalidParams

from ._comment import Json, StoredComment
from ._errors import CommentNotFound
from ._merged import COMMENT_ID
from ._sidecar import Marker


@dataclass(frozen=True, slots=True)
class NewComment:
    """The content of a comment to add."""

    text: str
    tag: str | None
    author: str
    ai_meta: Mapping[str, object] | None = None
    reply_to: str = ""
    scope: Scope = "line"
    extra: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class DetachedMarker:
    """A marker on its way to another sidecar, with its comments and sketch."""

    marker: Json
    entries: tuple[Json, ...]
    sketches: Json


def timestamp(now: datetime) -> str:
    """Return a time as comments have it: in UTC, with milliseconds."""
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def placement(line: int, layer: str, confidence: float | None) -> Json:
    return {"line": line, "layer": layer, "confidence": confidence}


def comment_missing(path: str, comment_id: str) -> CommentNotFound | InvalidParams:
    hint = "Use get_file_comments to list valid comment IDs"
    named = {"filePath": path, "commentId": comment_id}
    if COMMENT_ID.fullmatch(comment_id) is None:
        said = (
            f"{comment_id[:50]!r} is not a comment ID; commentId and replyTo are like 'c_1730000'"
        )
        return InvalidParams(said, suggestion=hint, data=named)
    return CommentNotFound("Comment not found", suggestion=hint, data=named)


def line_now(comment: StoredComment, marker: Marker | None, text: TrackedText) -> int:
    """Return the present line of a marker of another program; 0 when it is not found."""
    if marker is None:
        return comment.line
    if marker.anchor is None:
        return line_by_name(marker.symbol, comment.line, text)
    found = place_by_context(marker.anchor, comment.path, text)
    return found.line if isinstance(found, Placement) else 0
