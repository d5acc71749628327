"""What the tools of the comments take and give, in the case of their protocol."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from benchpin.core import Item, Params, Result, sendable
from benchpin.engines.anchors.anchor import Anchor
from benchpin.engines.anchors.following import Standing, State
from benchpin.engines.anchors.placement import Suggestion
from benchpin.engines.anchors.sidecar import Comment

Tag = Literal["TODO", "FIXME", "NOTE", "STAR", "QUESTION"]
TAGS: tuple[Tag, ...] = ("TODO", "FIXME", "NOTE", "STAR", "QUESTION")

LineNumber = Annotated[int, Field(json_schema_extra={"minimum": 1})]
"""Checked against the file, which has a code of its own for it."""
CommentText = Annotated[str, Field(min_length=1, max_length=10_000)]
Author = Annotated[str, Field(max_length=200)]
CommentId = Annotated[str, Field(min_length=1, max_length=200)]

_FUNCTIONS = frozenset({"function", "method", "closure"})
_CAMEL = ConfigDict(alias_generator=to_camel)


class CamelParams(Params):
    """Arguments in camel case."""

    model_config = _CAMEL


class CamelItem(Item):
    """An object in camel case."""

    model_config = _CAMEL


class CamelResult(Result):
    """A result in camel case."""

    model_config = _CAMEL


def _is_none(value: object) -> bool:
    return value is None


class AiMeta(CamelParams):
    """What a model says of the comment that it wrote."""

    model: str | None = None
    """The model."""
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    """How sure it is, from 0 to 1."""
    reasoning: Annotated[str, Field(max_length=10_000)] | None = None
    """Why it wrote it."""

    def given(self) -> Mapping[str, object]:
        """Return what was said."""
        return self.model_dump(by_alias=True, exclude_none=True)


class Place(CamelItem):
    """A line that an orphan may belong to."""

    file_path: str
    line: int
    score: float
    reason: str


class CommentItem(CamelItem):
    """A comment, and where it stands now."""

    id: str
    file_path: str
    line: int
    """Where it stands now; where it stood last when it is orphaned."""
    text: str
    tag: str | None
    author: str
    created: str
    updated: str
    status: str
    is_orphaned: bool
    state: State
    symbol: str
    """The function or type that it is about; empty outside of any."""
    symbol_kind: str
    confidence: float | None
    """How often a line found so was the right one; None when it was not looked for by its text."""
    ghost_marker_id: Annotated[str | None, Field(exclude_if=_is_none)] = None
    reply_to: Annotated[str | None, Field(exclude_if=_is_none)] = None
    resolved_by: Annotated[str | None, Field(exclude_if=_is_none)] = None
    resolved_at: Annotated[str | None, Field(exclude_if=_is_none)] = None
    ai_meta: Annotated[dict[str, object] | None, Field(exclude_if=_is_none)] = None
    reason: Annotated[str | None, Field(exclude_if=_is_none)] = None
    """Why it is orphaned, or by what it was found."""
    suggestions: list[Place] = Field(default_factory=list, exclude_if=lambda it: not it)
    """Where an orphan may belong, best first."""
    extra: dict[str, object] = Field(default_factory=dict, exclude_if=lambda it: not it)
    """What other programs wrote beside it."""

    @property
    def anchored_to(self) -> str:
        """What it is about, in a word: `validatePassword()`, `AuthService class`."""
        return describe_symbol(self.symbol, self.symbol_kind) or f"line {self.line}"


def comment_item(comment: Comment, standing: Standing) -> CommentItem:
    """Return a comment as results have it."""
    return CommentItem(
        id=comment.id,
        file_path=sendable(standing.path),
        line=standing.line,
        text=comment.text,
        tag=comment.tag,
        author=comment.author,
        created=comment.created,
        updated=comment.updated,
        status=comment.status,
        is_orphaned=standing.is_orphaned,
        state=standing.state,
        symbol=standing.symbol,
        symbol_kind=standing.symbol_kind,
        confidence=standing.confidence,
        ghost_marker_id=comment.marker_id or None,
        reply_to=comment.reply_to or None,
        resolved_by=comment.resolved_by or None,
        resolved_at=comment.resolved_at or None,
        ai_meta=comment.ai_meta,
        reason=standing.reason or None,
        suggestions=[place(it) for it in standing.suggestions],
        extra=comment.extra,
    )


def place(it: Suggestion) -> Place:
    """Return a suggestion as results have it."""
    return Place(
        file_path=sendable(it.path), line=it.line, score=round(it.score, 3), reason=it.reason
    )


def describe_symbol(symbol: str, kind: str) -> str:
    """Return a symbol in a word; an empty one when there is none."""
    name = symbol.rpartition(".")[2]
    if not name:
        return ""
    return f"{name}()" if kind in _FUNCTIONS else f"{name} {kind}"


def describe_anchor(anchor: Anchor) -> str:
    """Return what an anchor holds on to, and what that stands in."""
    name = describe_symbol(anchor.symbol, anchor.symbol_kind)
    container = anchor.symbol.rpartition(".")[0]
    if not name:
        return f"line {anchor.line}"
    return f"{name} in {container}" if container else name
