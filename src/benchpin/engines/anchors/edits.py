"""Find a line that was changed, among the lines that stand in its place now.

A changed line is still more alike to the old one than any other, and the old one more alike to it
than its neighbours are: both must hold, or two lines would claim the same place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .diffing import Hunk
from .similarity import LineProbe

MIN_RATIO = 0.6
"""Lines less alike than this were, on real history, more often replaced than edited."""
_SUGGESTED_RATIO = 0.4
_MAX_SUGGESTED = 3
_MAX_RIVALS = 200
"""So many old lines are asked whether the place is theirs."""
_POSITION_WEIGHT = 0.02
"""Enough to choose between equals, never enough to overrule the text."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A new line, counted from 0, that may be what an old one became."""

    line: int
    ratio: float
    rank: float


def edited_candidates(
    old: Sequence[str], new: Sequence[str], hunk: Hunk, old_line: int
) -> list[Candidate]:
    """Return the lines of a hunk that are like an old one, best first."""
    probe = LineProbe(old[old_line])
    found = []
    for line in range(hunk.new_start, hunk.new_end):
        ratio = probe.ratio(new[line], _SUGGESTED_RATIO)
        if ratio:
            rank = ratio - _POSITION_WEIGHT * _displacement(hunk, old_line, line)
            found.append(Candidate(line, ratio, rank))
    return sorted(found, key=lambda it: (-it.rank, it.line))


def _displacement(hunk: Hunk, old_line: int, new_line: int) -> float:
    """Return how far two lines are apart, each seen as a share of its side of the hunk."""
    old_share = (old_line - hunk.old_start + 0.5) / (hunk.old_end - hunk.old_start)
    new_share = (new_line - hunk.new_start + 0.5) / (hunk.new_end - hunk.new_start)
    return abs(old_share - new_share)


def choose_edited(
    old: Sequence[str],
    new: Sequence[str],
    hunk: Hunk,
    old_line: int,
    candidates: Sequence[Candidate],
) -> Candidate | None:
    """Return the first candidate that is alike enough and is not claimed by a better line."""
    for candidate in candidates:
        if candidate.ratio >= MIN_RATIO and not _is_claimed(old, new, hunk, old_line, candidate):
            return candidate
    return None


def _is_claimed(
    old: Sequence[str], new: Sequence[str], hunk: Hunk, old_line: int, candidate: Candidate
) -> bool:
    """Whether another old line of the hunk is more like the candidate."""
    probe = LineProbe(new[candidate.line])
    first = max(hunk.old_start, old_line - _MAX_RIVALS)
    last = min(hunk.old_end, old_line + _MAX_RIVALS + 1)
    return any(
        probe.ratio(old[rival], candidate.ratio) > candidate.ratio
        for rival in range(first, last)
        if rival != old_line
    )
