"""What the comment tools share: argument types, camel case, and how a comment is shown."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import unified_diff
from itertools import islice
from typing import Annotated, Literal

from pydantic import Field

from benchpin.comments import PlacedComment
from benchpin.comments.anchoring import CAMEL_CASE, CodeChange, Suggestion
from benchpin.core.calls import Caller
from benchpin.core.results import Result
from benchpin.core.text import plain, sendable
from benchpin.core.tools import Params, Rare
from benchpin.present import Column, ListParams, Report

Tag = Literal["TODO", "FIXME", "NOTE", "STAR", "QUESTION"]
TAGS: tuple[Tag, ...] = ("TODO", "FIXME", "NOTE", "STAR", "QUESTION")

# Checked against the file, because the protocol has a code of its own for a bad line.
LineNumber = Annotated[int, Field(json_schema_extra={"minimum": 1})]
CommentText = Annotated[str, Field(min_length=1, max_length=10_000)]
Author = Annotated[str, Field(max_length=200)]
# Checked against the file, because other programs store ids of other forms in it.
CommentId = Annotated[str, Field(max_length=200, json_schema_extra={"pattern": r"^c_\d+$"})]

_MAX_SUGGESTIONS = 3
_MAX_NAMES = 5
# Lines of a diff that the text shows of one comment.
_MAX_CHANGED_LINES = 40


class CamelParams(Params):
    """Arguments in camel case."""

    model_config = CAMEL_CASE


class CamelResult(Result):
    """A result in camel case."""

    model_config = CAMEL_CASE


class CamelListParams(ListParams):
    """Arguments of a list in camel case."""

    model_config = CAMEL_CASE

    limit: Rare[Annotated[int, Field(ge=1, le=1000)]] = 200
    """How many comments to return."""
    cursor: Rare[str | None] = None
    """The nextCursor of the previous page."""


class CamelReport(Report):
    """A list in camel case."""

    model_config = CAMEL_CASE


class AiMeta(CamelParams):
    """What a model says about the comment that it wrote."""

    model: str | None = None
    """The model."""
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    """How sure it is, from 0 to 1."""
    reasoning: Annotated[str, Field(max_length=10_000)] | None = None
    """Why it wrote it."""

    def given(self) -> Mapping[str, object]:
        """Return the fields that have a value."""
        return self.model_dump(by_alias=True, exclude_none=True)


_FILE_PATH = Column[PlacedComment]("filePath", lambda it: sendable(it.file_path))
COMMENT_COLUMNS: Sequence[Column[PlacedComment]] = (
    Column("id"),
    Column("tag"),
    Column(
        "location",
        lambda it: f"{sendable(it.file_path)}:{it.line}",
        parts=(_FILE_PATH, Column("line")),
    ),
    Column("text"),
    Column("author"),
    Column("created"),
    Column("status"),
    Column("state"),
    Column("symbol", lambda it: it.symbol or None),
    Column("replyTo", lambda it: it.reply_to, heading="reply to"),
    Column("reason"),
)


def written_by(caller: Caller) -> dict[str, object] | None:
    """Return the record of who wrote a comment; None for a call of this machine's own user.

    The author is a name that callers choose, so the session is recorded beside it.
    """
    if caller.from_agent != "mcp":
        return None
    return {
        "writtenBy": {
            "agentId": caller.agent_id,
            "fromAgent": caller.from_agent,
            "sessionId": caller.session_id,
        }
    }


def quoted(comment: PlacedComment) -> str:
    """Return the text; lines after the first are indented, so none looks like another comment."""
    text = "\n    ".join(map(plain, comment.text.splitlines()))
    return f'   "{text}"'


def state_lines(comment: PlacedComment) -> Iterable[str]:
    """Yield what is special about a comment: a reply, its status, or that it is orphaned."""
    if comment.reply_to:
        yield f"   Reply to: {plain(comment.reply_to)}"
    if comment.status != "open":
        yield f"   Status: {plain(comment.status)}"
    if comment.is_orphaned:
        places = "; ".join(map(suggested, comment.suggestions[:_MAX_SUGGESTIONS]))
        reason = comment.reason or "its line is gone"
        last = comment.last_place
        commit = f"; removed in {last.removed_in[:10]}" if last and last.removed_in else ""
        where = f"; last at {plain(sendable(last.file_path))}:{last.line}" if last else ""
        yield f"   Orphaned: {reason}{where}{commit}{f'. Perhaps {places}' if places else ''}"
    elif caveat := comment.caveat():
        yield f"   State: {plain(caveat)}"
    if comment.change is not None:
        yield from change_lines(comment.change)


def change_lines(change: CodeChange) -> Iterable[str]:
    """Yield the old and the new lines of the code of a comment as a diff."""
    steps = unified_diff(change.old_lines, change.new_lines, n=2, lineterm="")
    yield from (f"   | {plain(it)}" for it in islice(steps, 2, 2 + _MAX_CHANGED_LINES))


def suggested(place: Suggestion) -> str:
    """Return a suggestion on one line."""
    path = plain(sendable(place.file_path))
    return f"{path}:{place.line} ({place.score:.2f}, {place.reason})"


def damaged_files(damaged: Sequence[str]) -> list[str]:
    """Name, in words, the files whose sidecars are damaged."""
    if not damaged:
        return []
    names = ", ".join(map(plain, damaged[:_MAX_NAMES]))
    more = f" and {len(damaged) - _MAX_NAMES} more" if len(damaged) > _MAX_NAMES else ""
    return [f"comments that are damaged, of {names}{more}"]
