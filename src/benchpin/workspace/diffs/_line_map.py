"""Map the lines of one text to those of another: a histogram diff that ignores white space.

Written by hand because no library that installs everywhere offers it: `difflib` is slow and pairs
braces and blank lines at random, and git's diff needs a process for every pair of texts.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

# A line that occurs more often than this on one side does not show where it belongs.
_MAX_CHAIN = 64
# Old lines times new lines of a region; a larger region without a unique line is not searched.
_MAX_AREA = 250_000

# Start and end in the old text, start and end in the new one; the ends are excluded.
_Region = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that were replaced, counted from 0, the ends excluded; either side may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class LineMap:
    """The lines of an old text in a new one; both are counted from 0."""

    to_new: tuple[int, ...]
    """For each old line the new one, or -1."""
    hunks: tuple[Hunk, ...]

    def hunk_of(self, old_line: int) -> Hunk:
        """Return the hunk that replaced a line without a counterpart."""
        place = bisect_left(self.hunks, old_line + 1, key=lambda it: it.old_start) - 1
        return self.hunks[place]


def map_lines(old: Sequence[int], new: Sequence[int]) -> LineMap:
    """Map lines to lines by their keys, unique ones first."""
    first = _shared_start(old, new)
    last = _shared_end(old, new, min(len(old), len(new)) - first)
    old_end, new_end = len(old) - last, len(new) - last
    to_new = [*range(first), *[-1] * (old_end - first), *range(new_end, len(new))]
    regions: list[_Region] = [(first, old_end, first, new_end)]
    while regions:
        region = _take_ends(old, new, to_new, regions.pop())
        if region[0] == region[1] or region[2] == region[3]:
            continue
        pairs = _unique_pairs(old, new, region) or _rarest_block(old, new, region)
        regions.extend(_take_pairs(to_new, region, pairs))
    return LineMap(tuple(to_new), tuple(_hunks_within(to_new, (first, old_end, first, new_end))))


def _shared_start(old: Sequence[int], new: Sequence[int]) -> int:
    """Return how many lines at the start are equal; slices are compared, since loops are slow."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _shared_end(old: Sequence[int], new: Sequence[int], most: int) -> int:
    """Return how many lines at the end are equal."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _take_ends(
    old: Sequence[int], new: Sequence[int], to_new: list[int], region: _Region
) -> _Region:
    """Pair the equal lines at the start and the end of a region, and return the rest."""
    old_start, old_end, new_start, new_end = region
    while old_start < old_end and new_start < new_end and old[old_start] == new[new_start]:
        to_new[old_start] = new_start
        old_start += 1
        new_start += 1
    while old_start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
        old_end -= 1
        new_end -= 1
        to_new[old_end] = new_end
    return old_start, old_end, new_start, new_end


def _unique_pairs(old: Sequence[int], new: Sequence[int], region: _Region) -> list[tuple[int, int]]:
    """Return the lines that occur once on each side: the longest series in the same order."""
    old_start, old_end, new_start, new_end = region
    in_old = Counter(old[old_start:old_end])
    in_new = Counter(new[new_start:new_end])
    places = {new[at]: at for at in range(new_start, new_end) if in_new[new[at]] == 1}
    pairs = [
        (at, places[old[at]])
        for at in range(old_start, old_end)
        if in_old[old[at]] == 1 and old[at] in places
    ]
    return _in_order(pairs)


def _in_order(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of pairs, sorted by the first, in which the second rises.

    Patience sorting: `tails` has the smallest last value of a subsequence of each length.
    """
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, new) in enumerate(pairs):
        length = bisect_left(tails, new)
        before.append(ends[length - 1] if length else -1)
        if length == len(tails):
            tails.append(new)
            ends.append(at)
        else:
            tails[length] = new
            ends[length] = at
    chain = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _rarest_block(old: Sequence[int], new: Sequence[int], region: _Region) -> list[tuple[int, int]]:
    """Return the longest run of equal lines around the rarest line."""
    old_start, old_end, new_start, new_end = region
    if (old_end - old_start) * (new_end - new_start) > _MAX_AREA:
        return []
    places: dict[int, list[int]] = {}
    for at in range(old_start, old_end):
        places.setdefault(old[at], []).append(at)
    best: tuple[int, int, int, int] | None = None
    at = new_start
    while at < new_end:
        next_at = at + 1
        for start in places.get(new[at], ())[:_MAX_CHAIN]:
            first_old, first_new, last_old, last_new = start, at, start + 1, at + 1
            while (
                first_old > old_start
                and first_new > new_start
                and old[first_old - 1] == new[first_new - 1]
            ):
                first_old, first_new = first_old - 1, first_new - 1
            while last_old < old_end and last_new < new_end and old[last_old] == new[last_new]:
                last_old, last_new = last_old + 1, last_new + 1
            rarity = min(len(places[old[it]]) for it in range(first_old, last_old))
            found = (-rarity, last_old - first_old, -first_old, -first_new)
            if best is None or found > best:
                best = found
            next_at = max(next_at, last_new)  # lines inside a run would only find it again
        at = next_at
    if best is None:
        return []
    _, length, first_old, first_new = best
    return [(step - first_old, step - first_new) for step in range(length)]


def _take_pairs(
    to_new: list[int], region: _Region, pairs: Sequence[tuple[int, int]]
) -> list[_Region]:
    """Record pairs of lines, and return the regions between them."""
    old_at, old_end, new_at, new_end = region
    between: list[_Region] = []
    for old_line, new_line in pairs:
        to_new[old_line] = new_line
        between.append((old_at, old_line, new_at, new_line))
        old_at, new_at = old_line + 1, new_line + 1
    if pairs:
        between.append((old_at, old_end, new_at, new_end))
    return [it for it in between if it[0] < it[1] and it[2] < it[3]]


def find_hunks(to_new: Sequence[int], new_count: int) -> list[Hunk]:
    """Return what is between the mapped lines."""
    return _hunks_within(to_new, (0, len(to_new), 0, new_count))


def _hunks_within(to_new: Sequence[int], region: _Region) -> list[Hunk]:
    found = []
    old_at, old_end, new_at, new_end = region
    for old_line in range(old_at, old_end):
        new_line = to_new[old_line]
        if new_line < 0:
            continue
        if old_at < old_line or new_at < new_line:
            found.append(Hunk(old_at, old_line, new_at, new_line))
        old_at, new_at = old_line + 1, new_line + 1
    if old_at < old_end or new_at < new_end:
        found.append(Hunk(old_at, old_end, new_at, new_end))
    return found
