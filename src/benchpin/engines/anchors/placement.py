"""Where a comment belongs now, how sure that is, and by which layer it was found."""

from enum import StrEnum

import msgspec


class Layer(StrEnum):
    """The ways to find a line again, surest first."""

    SAME = "same_content"
    DIFF = "diff"
    TWIN = "twin"
    EDITED = "edited"
    MOVED = "moved"
    CONTEXT = "context"


class Placement(msgspec.Struct, frozen=True):
    """The line that a comment is about."""

    path: str
    line: int
    confidence: float
    """How often a placement of its kind was right on real history, from 0 to 1."""
    layer: Layer
    reasons: tuple[str, ...] = ()


class Suggestion(msgspec.Struct, frozen=True):
    """A line that it may be, not surely enough to say so."""

    path: str
    line: int
    score: float
    """From 0 to 1, for ordering."""
    reason: str


class Orphan(msgspec.Struct, frozen=True):
    """A comment whose line is gone, or cannot be told from others."""

    reason: str
    suggestions: tuple[Suggestion, ...] = ()
    """Best first."""


Outcome = Placement | Orphan
