"""Move added and removed blocks to where a person would draw their borders.

Of equal lines at both ends of a block, a diff may keep the first or the last: of two functions with
`/**` above, it keeps the wrong `/**` as often as not. As in git's indent heuristic, a block begins
where the code is indented least, after a blank line if there is one, and not with a closing
bracket.
"""

import re
from collections.abc import Sequence

from ._line_map import Hunk, LineMap, find_hunks

_MAX_SLIDE = 100
_CLOSING = re.compile(r"\s*+(?:[)\]}]|\*/|</|end\b)")
_TAB = 8

_Score = tuple[int, bool, bool, int]


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
