"""Find lines that were changed, among the lines that stand in their place now.

The old and the new lines of a hunk are paired as a whole: in order, each at most once, so that the
pairs are as alike as can be. A line alone would take the place of its neighbour.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .diffing import Hunk
from .similarity import LineProbe

MIN_RATIO = 0.6
"""Lines less alike than this were, on real history, more often replaced than edited."""
_SUGGESTED_RATIO = 0.4
_MAX_PAIRS = 2500
_MAX_SEARCHED = 1000
_REACH = 24


@dataclass(frozen=True, slots=True)
class Pair:
    """An old and a new line, counted from 0, and how alike they are."""

    old: int
    new: int
    ratio: float


def pair_lines(old: Sequence[str], new: Sequence[str], hunk: Hunk) -> list[Pair]:
    """Return the lines of a hunk that were edited: the best pairs that keep the order."""
    new_lines = range(hunk.new_start, hunk.new_end)
    ratios = []
    totals = [[0.0] * (len(new_lines) + 1)]
    for old_line in range(hunk.old_start, hunk.old_end):
        probe = LineProbe(old[old_line])
        row = [probe.ratio(new[line], MIN_RATIO) for line in new_lines]
        above, total = totals[-1], [0.0]
        for at, ratio in enumerate(row):
            paired = above[at] + ratio if ratio else 0.0
            total.append(max(paired, above[at + 1], total[at]))
        ratios.append(row)
        totals.append(total)
    return _walk_back(ratios, totals, hunk)


def _walk_back(
    ratios: Sequence[Sequence[float]], totals: Sequence[Sequence[float]], hunk: Hunk
) -> list[Pair]:
    """Return the pairs of which the highest total is made."""
    pairs = []
    row, column = len(ratios), hunk.new_end - hunk.new_start
    while row and column:
        total = totals[row][column]
        if total == totals[row - 1][column]:
            row -= 1
        elif total == totals[row][column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            pairs.append(Pair(hunk.old_start + row, hunk.new_start + column, ratios[row][column]))
    return pairs[::-1]


def similar_lines(old: Sequence[str], new: Sequence[str], hunk: Hunk, old_line: int) -> list[Pair]:
    """Return the lines of a hunk that are somewhat like an old one, best first."""
    probe = LineProbe(old[old_line])
    pairs = (
        Pair(old_line, line, probe.ratio(new[line], _SUGGESTED_RATIO))
        for line in range(hunk.new_start, hunk.new_end)
    )
    return sorted((it for it in pairs if it.ratio), key=lambda it: (-it.ratio, it.new))


def narrow(old: Sequence[str], new: Sequence[str], hunk: Hunk, old_line: int) -> Hunk:
    """Return a hunk, or of a large one the part around a line and around what is most like it."""
    if (hunk.old_end - hunk.old_start) * (hunk.new_end - hunk.new_start) <= _MAX_PAIRS:
        return hunk
    probe = LineProbe(old[old_line])
    share = (old_line - hunk.old_start) / (hunk.old_end - hunk.old_start)
    middle = hunk.new_start + round(share * (hunk.new_end - hunk.new_start))
    nearest = _around(middle, _MAX_SEARCHED, hunk.new_start, hunk.new_end)
    best = max(nearest, key=lambda line: (probe.ratio(new[line], MIN_RATIO), -abs(line - middle)))
    old_part = _around(old_line, _REACH, hunk.old_start, hunk.old_end)
    new_part = _around(best, _REACH, hunk.new_start, hunk.new_end)
    return Hunk(old_part.start, old_part.stop, new_part.start, new_part.stop)


def _around(line: int, reach: int, start: int, end: int) -> range:
    return range(max(start, line - reach), min(end, line + reach + 1))
