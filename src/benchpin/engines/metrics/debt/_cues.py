"""What a cue is: a phrase that speaks for debt, how strongly, and what it says."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Strength(StrEnum):
    """How strongly a cue speaks."""

    TAG = "tag"
    BARE = "bare"
    STRONG = "strong"
    CLEAR = "clear"
    FAINT = "faint"
    NONE = "none"
    """Takes its words out of the reach of other cues: a broken pipe is not broken code."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that speaks for debt, or against it."""

    phrase: str
    strength: Strength
    reason: str
    can_be_denied: bool
    """Whether `not` or `avoid` before it takes it back."""


@dataclass(frozen=True, slots=True)
class Group:
    """Phrases that say the same."""

    reason: str
    strong: str = ""
    clear: str = ""
    faint: str = ""
    can_be_denied: bool = False

    def cues(self) -> Iterator[Cue]:
        """Yield the phrases of the group, one a line."""
        for strength, phrases in (
            (Strength.STRONG, self.strong),
            (Strength.CLEAR, self.clear),
            (Strength.FAINT, self.faint),
        ):
            for phrase in phrases.strip().splitlines():
                yield Cue(phrase.strip(), strength, self.reason, self.can_be_denied)
