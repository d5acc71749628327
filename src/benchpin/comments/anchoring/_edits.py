"""Find edited lines among the lines that replaced them.

The old and the new lines of a hunk are paired together, because a line alone would take the place
of its neighbour. Lines that are nearly the same, with no other candidate as close, are paired
wherever they are in the hunk. The others are paired in order, each line at most once, with the
highest total similarity.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.workspace.diffs import Hunk

from ._similarity import LineProbe

# On real history, lines less alike than this were more often replaced than edited.
MIN_RATIO = 0.6
# Lines as alike as this differ in a name or a number.
NEARLY_SAME = 0.9
_SUGGESTED_RATIO = 0.4
# Larger hunks are narrowed first: every pair takes a few microseconds.
_MAX_PAIRS = 2500
_MAX_SEARCHED = 1000
# Lines above and below that a narrowed hunk keeps.
_REACH = 24

# How alike lines are: a row for each old line, a column for each new one.
_Table = list[list[float]]


@dataclass(frozen=True, slots=True)
class Pair:
    """An old and a new line, counted from 0, and how alike they are."""

    old: int
    new: int
    ratio: float


def pair_lines(old: Sequence[str], new: Sequence[str], hunk: Hunk) -> list[Pair]:
    """Return the lines of a hunk that were edited, each with what it became."""
    probes = map(LineProbe, old[hunk.old_start : hunk.old_end])
    new_lines = new[hunk.new_start : hunk.new_end]
    ratios = [[probe.ratio(line, MIN_RATIO) for line in new_lines] for probe in probes]
    if not ratios or not new_lines:
        return []
    places = _nearly_same(ratios)
    rows, columns = {row for row, _ in places}, {column for _, column in places}
    rest = [
        [
            0.0 if row in rows or column in columns else ratio
            for column, ratio in enumerate(ratios[row])
        ]
        for row in range(len(ratios))
    ]
    return [
        Pair(hunk.old_start + row, hunk.new_start + column, ratios[row][column])
        for row, column in sorted((*places, *_best_in_order(rest)))
    ]


def _nearly_same(ratios: _Table) -> list[tuple[int, int]]:
    """Return the cells that are nearly 1, and the only maximum of their row and column."""
    columns = list(zip(*ratios, strict=True))
    found = []
    for row, line in enumerate(ratios):
        highest = max(line)
        column = line.index(highest)
        is_alone = line.count(highest) == 1 == columns[column].count(highest)
        if highest >= NEARLY_SAME and is_alone and highest == max(columns[column]):
            found.append((row, column))
    return found


def _best_in_order(ratios: _Table) -> list[tuple[int, int]]:
    """Return the cells with the highest sum, each to the right of and below the one before.

    Dynamic programming: `totals[r][c]` is the best sum within the first r rows and c columns.
    """
    totals = [[0.0] * (len(ratios[0]) + 1)]
    for line in ratios:
        above, total = totals[-1], [0.0]
        for column, ratio in enumerate(line):
            paired = above[column] + ratio if ratio else 0.0
            total.append(max(paired, above[column + 1], total[column]))
        totals.append(total)
    places = []
    row, column = len(ratios), len(ratios[0])
    while row and column:
        if totals[row][column] == totals[row - 1][column]:
            row -= 1
        elif totals[row][column] == totals[row][column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            places.append((row, column))
    return places


def similar_lines(old: Sequence[str], new: Sequence[str], hunk: Hunk, old_line: int) -> list[Pair]:
    """Return the lines of a hunk that resemble an old one, best first."""
    probe = LineProbe(old[old_line])
    pairs = (
        Pair(old_line, line, probe.ratio(new[line], _SUGGESTED_RATIO))
        for line in range(hunk.new_start, hunk.new_end)
    )
    return sorted((it for it in pairs if it.ratio), key=lambda it: (-it.ratio, it.new))


def narrow(old: Sequence[str], new: Sequence[str], hunk: Hunk, old_line: int) -> Hunk:
    """Return a hunk; of a large one, the part around a line and around its best match."""
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
