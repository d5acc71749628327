"""How whole, how fresh and how sure an answer is, said in one form by every tool.

A result declares what it lacks, when it is from, and how sure its rows are (`lacks`, `as_of` and
`confidences` of `Result`). Programs read the whole statement in `_meta`, where it costs a model
nothing. The text has one line, and only if there is something to say: without it, an answer is
whole, from the files as they were when the call ran, and its rows are facts, not estimates.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from benchpin.core.calls import HowMade
from benchpin.core.text import by_reason, plain, visible

NOW = "now"
_MAX_NAMED = 5
_CERTAIN = "1.00"
# Reasons to skip a file that no rule of the selection gives: what is in it was asked for.
_NOT_BY_RULE = frozenset(
    {
        "ignore rules over a limit",
        "not permitted",
        "past the size limit of a pack",
        "too large",
        "unreadable",
    }
)


@dataclass(frozen=True, slots=True)
class Assurance:
    """What an answer says about itself."""

    left_out: Sequence[str] = ()
    """What was asked for and is not in the answer, in words."""
    has_more: bool = False
    """Whether there is a next page."""
    as_of: str = NOW
    confidence: tuple[float, float] | None = None
    """The lowest and the highest confidence of its rows, if they have one; 1 is certain."""
    measures: Mapping[str, HowMade] = field(default_factory=dict)
    """How each measure came about that is kept from call to call; for programs only."""

    def to_fields(self) -> dict[str, object]:
        """Return the statement for programs."""
        fields: dict[str, object] = {"whole": not (self.left_out or self.has_more)}
        fields["as_of"] = self.as_of
        if self.left_out:
            fields["left_out"] = list(self.left_out)
        if self.confidence is not None:
            fields["confidence"] = list(self.confidence)
        if self.measures:
            fields["measures"] = dict(sorted(self.measures.items()))
        return fields

    def to_line(self) -> str:
        """Return the line for a model or a person; empty if there is nothing to say."""
        parts = []
        if self.left_out:
            shown = "; ".join(self.left_out[:_MAX_NAMED])
            more = len(self.left_out) - _MAX_NAMED
            parts.append(f"left out: {shown}" + (f"; {more:,} more" if more > 0 else ""))
        if self.as_of != NOW:
            parts.append(f"as of {self.as_of}")
        if self.confidence is not None:
            low, high = (f"{it:.2f}" for it in self.confidence)
            if low != _CERTAIN:
                parts.append(f"confidence {low}" if low == high else f"confidence {low} to {high}")
        return visible(f"[{'; '.join(parts)}]") if parts else ""


def range_of(confidences: Iterable[float | None]) -> tuple[float, float] | None:
    """Return the lowest and the highest confidence; None if there is none."""
    known = [it for it in confidences if it is not None]
    return (min(known), max(known)) if known else None


def not_read(skipped: Mapping[str, int]) -> list[str]:
    """Return, in words, the skipped files that a selection would have taken."""
    lacking = {reason: count for reason, count in skipped.items() if reason in _NOT_BY_RULE}
    return [by_reason(lacking)] if lacking else []


def not_selected(skipped: Mapping[str, int]) -> list[str]:
    """Return a line about the files that the rules of a selection skip."""
    chosen = {reason: count for reason, count in skipped.items() if reason not in _NOT_BY_RULE}
    return [f"skipped: {by_reason(chosen)}"] if chosen else []


def not_measured(reasons: Mapping[str, str]) -> list[str]:
    """Return, in words, the parts of an answer that could not be measured."""
    return [f"{name} ({plain(reason)})" for name, reason in reasons.items()]
