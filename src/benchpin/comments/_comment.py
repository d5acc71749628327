"""A comment as its sidecar stores it, and as it is published: with its present place."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import msgspec
from pydantic import ConfigDict, Field

from benchpin.comments.anchoring import CAMEL_CASE, Anchor, SentPath, Suggestion

Json = dict[str, object]
State = Literal["kept", "moved", "orphaned", "unverified"]

_FUNCTIONS = frozenset({"function", "method", "closure"})


class StoredComment(msgspec.Struct, frozen=True, gc=False):  # a workspace may have 50,000
    """A comment in a sidecar."""

    path: str
    """The file that it is stored for."""
    id: str
    text: str
    line: int
    """Its line when the sidecar was written."""
    tag: str | None
    author: str
    created: str
    updated: str
    status: str
    resolved_by: str
    resolved_at: str
    reply_to: str
    ai_meta: Json | None
    marker_id: str
    extra: Json
    """Fields that other programs wrote."""


def _is_absent(value: object) -> bool:
    return not value


_Optional = Annotated[str | None, Field(exclude_if=_is_absent)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedComment:
    """A comment and its present place, as results have it."""

    __pydantic_config__: ClassVar[ConfigDict] = CAMEL_CASE

    id: str
    file_path: SentPath
    line: int
    """Its present line; the last known one when it is orphaned."""
    text: str
    tag: str | None
    author: str
    created: str
    updated: str
    status: str
    is_orphaned: bool
    state: State
    symbol: str
    """The function or type around its line; empty outside of any."""
    symbol_kind: str
    confidence: float | None
    """How often lines found this way were correct; None when only its line number is known."""
    ghost_marker_id: _Optional = None
    reply_to: _Optional = None
    resolved_by: _Optional = None
    resolved_at: _Optional = None
    ai_meta: Annotated[Json | None, Field(exclude_if=lambda it: it is None)] = None
    reason: _Optional = None
    """Why it is orphaned, or how it was found."""
    suggestions: Annotated[tuple[Suggestion, ...], Field(exclude_if=_is_absent)] = ()
    """Where an orphan may belong, best first."""
    extra: Annotated[Json, Field(exclude_if=_is_absent)] = field(default_factory=dict)
    """Fields that other programs wrote."""
    layer: Annotated[str, Field(exclude=True)] = ""
    """The method that found its line."""

    @property
    def anchored_to(self) -> str:
        """What it is about, in a word: `validatePassword()`, `AuthService class`."""
        return describe_symbol(self.symbol, self.symbol_kind) or f"line {self.line}"


def describe_symbol(symbol: str, kind: str) -> str:
    """Return a symbol in a word; empty when there is none."""
    name = symbol.rpartition(".")[2]
    if not name:
        return ""
    return f"{name}()" if kind in _FUNCTIONS else f"{name} {kind}"


def describe_anchor(anchor: Anchor) -> str:
    """Return the symbol of an anchor and the one around it; its line when it has none."""
    name = describe_symbol(anchor.symbol, anchor.symbol_kind)
    container = anchor.symbol.rpartition(".")[0]
    if not name:
        return f"line {anchor.line}"
    return f"{name} in {container}" if container else name
