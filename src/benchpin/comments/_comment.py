"""A comment as its sidecar stores it, and as it is published: with its present place."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import msgspec
from pydantic import ConfigDict, Field

from benchpin.comments.anchoring import (
    CAMEL_CASE,
    Anchor,
    CodeChange,
    LastPlace,
    Scope,
    SentPath,
    Suggestion,
)
from benchpin.core.text import sendable

Json = dict[str, object]
# What became of the code of a note since it was written. `unverified` is for notes of other
# programs, which stored only a line number: there is nothing to compare with.
State = Literal["fresh", "moved", "changed", "gone", "unverified"]
STATES: tuple[State, ...] = ("fresh", "moved", "changed", "gone", "unverified")

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
    quotes: tuple[str, ...] | None
    """Names and numbers that it quotes from its code; None when they were not recorded."""
    linked: tuple[tuple[str, str], ...]
    """The other places of a note with several: file and id of the comment there."""
    also_says: tuple[str, ...]
    """Other texts of it, written at the same time by somebody else and merged by git."""
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
    """fresh: same code; moved: same code elsewhere; changed: its line or the code around it
    differs; gone; unverified: only a line number is known."""
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
    contradicts: Annotated[tuple[str, ...], Field(exclude_if=_is_absent)] = ()
    """Names and numbers that it quotes, which its code had when it was written and has no more."""
    last_place: Annotated[LastPlace | None, Field(exclude_if=lambda it: it is None)] = None
    """Where its code was last, and the commit that removed it."""
    change: Annotated[CodeChange | None, Field(exclude_if=lambda it: it is None)] = None
    """The old and the new lines, where they were asked for."""
    scope: Annotated[Scope, Field(exclude_if=lambda it: it == "line")] = "line"
    """What it is about: a line, a symbol, a file or a folder."""
    commit: _Optional = None
    """The commit that was checked out when it was written."""
    linked: Annotated[tuple[tuple[str, str], ...], Field(exclude_if=_is_absent)] = ()
    """The other places of a note with several: file and id of the comment there."""
    also_says: Annotated[tuple[str, ...], Field(exclude_if=_is_absent)] = ()
    """Other texts of it, written at the same time by somebody else and merged by git."""
    extra: Annotated[Json, Field(exclude_if=_is_absent)] = field(default_factory=dict)
    """Fields that other programs wrote."""
    layer: Annotated[str, Field(exclude=True)] = ""
    """The method that found its line."""

    @property
    def anchored_to(self) -> str:
        """What it is about, in a word: `validatePassword()`, `AuthService class`."""
        if self.scope in {"file", "folder"}:
            return "the repository" if self.file_path == "." else f"the {self.scope}"
        return describe_symbol(self.symbol, self.symbol_kind) or f"line {self.line}"

    @property
    def place(self) -> str:
        """Where it is: the path and the line, or the path of a file or folder."""
        path = sendable(self.file_path)
        return path if self.scope in {"file", "folder"} else f"{path}:{self.line}"

    def caveat(self) -> str:
        """Return what its state says, in words; empty when the code is the same where it was."""
        match self.state:
            case "fresh":
                return ""
            case "moved":
                return "moved"
            case "changed":
                gone = f"; no longer there: {', '.join(self.contradicts)}"
                return f"the code changed since{gone if self.contradicts else ''}"
            case "gone":
                last = self.last_place
                commit = f", removed in {last.removed_in[:10]}" if last and last.removed_in else ""
                where = f", last at {sendable(last.file_path)}:{last.line}" if last else ""
                return f"the code is gone{where}{commit}"
        return "unverified: only a line number is known"


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
