"""Cues: phrases that indicate debt, how strongly, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Strength(StrEnum):
    """How strongly a cue indicates debt."""

    TAG = "tag"
    BARE = "bare"
    STRONG = "strong"
    CLEAR = "clear"
    FAINT = "faint"
    NONE = "none"
    """Keeps other cues from matching its words: a broken pipe is not broken code."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that indicates debt, or is known not to."""

    phrase: str
    strength: Strength
    reason: str
    can_be_denied: bool
    """Whether `not` or `avoid` before it negates it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Phrases with the same meaning."""

    reason: str
    strong: str = ""
    clear: str = ""
    faint: str = ""
    can_be_denied: bool = False

    def cues(self) -> Iterator[Cue]:
        """Yield a cue for each line of phrases."""
        for strength, phrases in (
            (Strength.STRONG, self.strong),
            (Strength.CLEAR, self.clear),
            (Strength.FAINT, self.faint),
        ):
            for phrase in phrases.strip().splitlines():
                yield Cue(phrase.strip(), strength, self.reason, self.can_be_denied)
