"""Map the lines of one text to those of another: a histogram diff that ignores white space.

Written by hand because no library that installs everywhere offers it: `difflib` is slow and pairs
braces and blank lines at random, and git's diff needs a process for every pair of texts.
"""

import re
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
_MAX_SLIDE = 100
_CLOSING = re.compile(r"\s*+(?:[)\]}]|\*/|</|end\b)")
_TAB = 8
_Score = tuple[int, bool, bool, int]


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


# Added and removed blocks, moved to where a person would draw their borders.
#
# Of equal lines at both ends of a block, a diff may keep the first or the last: of two functions
# with `/**` above, it keeps the wrong `/**` as often as not. As in git's indent heuristic, a block
# begins where the code is indented least, after a blank line if there is one, not with a closing
# bracket.


class _Side:
    """The lines of one text, as far as borders of blocks need them."""

    def __init__(self, lines: Sequence[str], keys: Sequence[int]) -> None:
        self.lines = lines
        self.keys = keys

    def slides(self, start: int, end: int, first: int, last: int) -> range:
        """Return how far a block can be moved up and down between `first` and `last`."""
        keys, up, down = self.keys, 0, 0
        while up < _MAX_SLIDE and start - up > first and keys[start - up - 1] == keys[end - up - 1]:
            up += 1
        while down < _MAX_SLIDE and end + down < last and keys[start + down] == keys[end + down]:
            down += 1
        return range(-up, down + 1)

    def score(self, start: int, end: int, slide: int) -> _Score:
        """Return how badly a block is cut, lower is better; the smallest move wins a tie."""
        first, after = start + slide, end + slide
        line = self.lines[first]
        is_inside = first > 0 and bool(self.lines[first - 1].strip())
        indents = self._indent(first) + self._indent(after)
        return indents, _CLOSING.match(line) is not None, is_inside, abs(slide)

    def _indent(self, at: int) -> int:
        """Return the indentation of the first line from here on that is not blank."""
        for line in self.lines[at : at + _MAX_SLIDE]:
            text = line.lstrip()
            if text:
                return len(line[: len(line) - len(text)].expandtabs(_TAB))
        return 0


def slide_blocks(
    line_map: LineMap,
    old: tuple[Sequence[str], Sequence[int]],
    new: tuple[Sequence[str], Sequence[int]],
) -> LineMap:
    """Return a map with better borders of blocks; `old` and `new` are lines and their keys.

    Blocks with lines whose text is not known stay.
    """
    to_new = list(line_map.to_new)
    sides = _Side(*old), _Side(*new)
    for at, hunk in enumerate(line_map.hunks):
        before = line_map.hunks[at - 1] if at else Hunk(0, 0, 0, 0)
        after = (
            line_map.hunks[at + 1]
            if at + 1 < len(line_map.hunks)
            else Hunk(len(old[0]), 0, len(new[0]), 0)
        )
        if hunk.new_start == hunk.new_end:
            slide = _best(sides[0], hunk.old_start, hunk.old_end, before.old_end, after.old_start)
            _slide_removed(to_new, hunk, slide)
        elif hunk.old_start == hunk.old_end:
            slide = _best(sides[1], hunk.new_start, hunk.new_end, before.new_end, after.new_start)
            _slide_added(to_new, hunk, slide)
    if tuple(to_new) == line_map.to_new:
        return line_map
    return LineMap(tuple(to_new), tuple(find_hunks(to_new, len(new[0]))))


def _best(side: _Side, start: int, end: int, first: int, last: int) -> int:
    slides = side.slides(start, end, first, last)
    if len(slides) == 1 or not any(side.lines[start + slides[0] : end + slides[-1]]):
        return 0
    return min(slides, key=lambda it: side.score(start, end, it))


def _slide_removed(to_new: list[int], hunk: Hunk, slide: int) -> None:
    start, end = hunk.old_start, hunk.old_end
    if slide < 0:
        moved = to_new[start + slide : start]
        to_new[end + slide : end] = moved
    else:
        moved = to_new[end : end + slide]
        to_new[start : start + slide] = moved
    for line in range(start + slide, end + slide):
        to_new[line] = -1


def _slide_added(to_new: list[int], hunk: Hunk, slide: int) -> None:
    size = hunk.new_end - hunk.new_start
    at = hunk.old_start
    for line in range(at + slide, at) if slide < 0 else range(at, at + slide):
        to_new[line] += size if slide < 0 else -size
