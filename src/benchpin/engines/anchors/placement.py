"""Where a comment belongs now, by which layer it was found, and how sure that is."""

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


_CONFIDENCE = {
    Layer.SAME: 1.0,
    Layer.DIFF: 0.999,
    Layer.TWIN: 0.9,
    Layer.EDITED: 0.98,
    Layer.MOVED: 0.85,
    Layer.CONTEXT: 0.99,
}
"""The share of right placements that `bench/anchoring.py` saw on two projects, rounded down."""


class Placement(msgspec.Struct, frozen=True):
    """The line that a comment is about."""

    path: str
    line: int
    """Counted from 1."""
    layer: Layer
    reason: str = ""

    @property
    def confidence(self) -> float:
        """Return how often a placement by this layer was right on real history."""
        return _CONFIDENCE[self.layer]


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
    path: str = ""
    """The file in which it was looked for and missed; empty when it was not known to be there."""


Outcome = Placement | Orphan
