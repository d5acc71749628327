"""The shortest edit between two texts, chosen as git chooses among equally short ones.

Merging needs it: which of equal lines count as kept decides what conflicts, and users compare with
git. Lines are numbers here; equal lines have the same one. The method is Myers' divide and
conquer, on the lines that occur in both texts.
"""

from collections import Counter
from collections.abc import Sequence

from ._line_map import Hunk, map_lines

# Edits in half a region; beyond, a region is mapped by its rare lines, which takes no square.
_MAX_STEPS = 2_000
_FEW_MATCHES = 1_024
# Lines before and after a common line that decide whether it is worth matching.
_WINDOW = 100
_NONE, _SOME, _MANY = range(3)
_FAR = 1 << 60


def shortest_edit(old: Sequence[int], new: Sequence[int]) -> list[Hunk]:
    """Return what to replace in the old text, in order."""
    marks = ([False] * len(old), [False] * len(new))
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    tail = 0
    while tail < min(len(old), len(new)) - start and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    first = _worth_matching(old, new, start, tail, marks[0])
    second = _worth_matching(new, old, start, tail, marks[1])
    _Search(old, new, first, second, marks).run()
    _slide(old, *marks)
    _slide(new, marks[1], marks[0])
    return _hunks(*marks)


def _worth_matching(
    own: Sequence[int], other: Sequence[int], start: int, tail: int, marks: list[bool]
) -> list[int]:
    """Return the places of lines to match; lines without a counterpart are marked as changed.

    A very common line among lines without a counterpart would match at random: it is marked too.
    """
    end = len(own) - tail
    counts = Counter(other)
    many = min(_root(len(own)), _FEW_MATCHES)
    kinds = [
        _MANY if counts[own[at]] >= many else _SOME if counts[own[at]] else _NONE
        for at in range(start, end)
    ]
    kept = []
    for at, kind in enumerate(kinds):
        if kind == _SOME or (kind == _MANY and not _is_stray(kinds, at)):
            kept.append(start + at)
        else:
            marks[start + at] = True
    return kept


def _root(count: int) -> int:
    """Return a power of two near the square root, as git rounds it."""
    root = 1
    while count > 0:
        root <<= 1
        count >>= 2
    return root


def _is_stray(kinds: Sequence[int], at: int) -> bool:
    """Whether a common line is on both sides among lines of which most have no counterpart."""
    missing, common = 0, 2
    for step in (-1, 1):
        found, place = 0, at + step
        while 0 <= place < len(kinds) and abs(place - at) <= _WINDOW and kinds[place] != _SOME:
            found += kinds[place] == _NONE
            common += kinds[place] == _MANY
            place += step
        if not found:
            return False
        missing += found
    return common * 4 < common + missing


class _Search:
    """Marks the lines of the two texts that change."""

    def __init__(
        self,
        old: Sequence[int],
        new: Sequence[int],
        first: Sequence[int],
        second: Sequence[int],
        marks: tuple[list[bool], list[bool]],
    ) -> None:
        self._places = (first, second)
        self._lines = ([old[at] for at in first], [new[at] for at in second])
        self._marks = marks
        self._ahead: dict[int, int] = {}
        self._behind: dict[int, int] = {}

    def run(self) -> None:
        old, new = self._lines
        regions = [(0, len(old), 0, len(new))]
        while regions:
            top, bottom, left, right = regions.pop()
            while top < bottom and left < right and old[top] == new[left]:
                top, left = top + 1, left + 1
            while top < bottom and left < right and old[bottom - 1] == new[right - 1]:
                bottom, right = bottom - 1, right - 1
            if top == bottom:
                self._mark(1, range(left, right))
            elif left == right:
                self._mark(0, range(top, bottom))
            elif (middle := self._middle(top, bottom, left, right)) is not None:
                regions.append((top, middle[0], left, middle[1]))
                regions.append((middle[0], bottom, middle[1], right))
            else:
                self._map(top, bottom, left, right)

    def _mark(self, side: int, lines: range) -> None:
        for at in lines:
            self._marks[side][self._places[side][at]] = True

    def _map(self, top: int, bottom: int, left: int, right: int) -> None:
        for hunk in map_lines(self._lines[0][top:bottom], self._lines[1][left:right]).hunks:
            self._mark(0, range(top + hunk.old_start, top + hunk.old_end))
            self._mark(1, range(left + hunk.new_start, left + hunk.new_end))

    def _middle(self, top: int, bottom: int, left: int, right: int) -> tuple[int, int] | None:
        """Return where the paths from both ends meet; None after too many steps.

        A diagonal is named by old line minus new line; `ahead` and `behind` have the farthest old
        line that was reached on each from the start and from the end.
        """
        old, new = self._lines
        lowest, highest = top - right, bottom - left
        start, end = top - left, bottom - right
        is_odd = bool((start - end) & 1)
        ahead, behind = self._ahead, self._behind
        ahead[start], behind[end] = top, bottom
        first, last, back_first, back_last = start, start, end, end
        for _ in range(_MAX_STEPS):
            first, last = _widened(ahead, first, last, lowest, highest, -1)
            for diagonal in range(last, first - 1, -2):
                at = max(ahead[diagonal - 1] + 1, ahead[diagonal + 1])
                while at < bottom and at - diagonal < right and old[at] == new[at - diagonal]:
                    at += 1
                ahead[diagonal] = at
                if is_odd and back_first <= diagonal <= back_last and behind[diagonal] <= at:
                    return at, at - diagonal
            back_first, back_last = _widened(behind, back_first, back_last, lowest, highest, _FAR)
            for diagonal in range(back_last, back_first - 1, -2):
                at = min(behind[diagonal - 1], behind[diagonal + 1] - 1)
                while at > top and at - diagonal > left and old[at - 1] == new[at - diagonal - 1]:
                    at -= 1
                behind[diagonal] = at
                if not is_odd and first <= diagonal <= last and at <= ahead[diagonal]:
                    return at, at - diagonal
        return None


def _widened(
    reached: dict[int, int], first: int, last: int, lowest: int, highest: int, nowhere: int
) -> tuple[int, int]:
    """Return the diagonals of the next step; those at the border of the region are left."""
    if first > lowest:
        first -= 1
        reached[first - 1] = nowhere
    else:
        first += 1
    if last < highest:
        last += 1
        reached[last + 1] = nowhere
    else:
        last -= 1
    return first, last


class _Block:
    """A run of changed lines of one text, possibly empty; `end` is excluded."""

    def __init__(self, marks: list[bool]) -> None:
        self.marks = marks
        self.start = self.end = 0
        while self.end < len(marks) and marks[self.end]:
            self.end += 1

    def next(self) -> bool:
        if self.end == len(self.marks):
            return False
        self.start = self.end = self.end + 1
        while self.end < len(self.marks) and self.marks[self.end]:
            self.end += 1
        return True

    def previous(self) -> None:
        self.end = self.start = self.start - 1
        while self.start > 0 and self.marks[self.start - 1]:
            self.start -= 1

    def slide_up(self, lines: Sequence[int]) -> bool:
        if self.start == 0 or lines[self.start - 1] != lines[self.end - 1]:
            return False
        self.start, self.end = self.start - 1, self.end - 1
        self.marks[self.start], self.marks[self.end] = True, False
        while self.start > 0 and self.marks[self.start - 1]:
            self.start -= 1
        return True

    def slide_down(self, lines: Sequence[int]) -> bool:
        if self.end == len(lines) or lines[self.start] != lines[self.end]:
            return False
        self.marks[self.start], self.marks[self.end] = False, True
        self.start, self.end = self.start + 1, self.end + 1
        while self.end < len(lines) and self.marks[self.end]:
            self.end += 1
        return True


def _slide(lines: Sequence[int], marks: list[bool], other_marks: list[bool]) -> None:
    """Move each block of changed lines down, or to where the other text has one too."""
    block, other = _Block(marks), _Block(other_marks)
    while True:
        if block.end > block.start:
            _slide_block(lines, block, other)
        if not block.next():
            return
        other.next()


def _slide_block(lines: Sequence[int], block: _Block, other: _Block) -> None:
    while True:
        size = block.end - block.start
        while block.slide_up(lines):
            other.previous()
        highest = block.end
        has_partner = other.end > other.start
        while block.slide_down(lines):
            other.next()
            has_partner |= other.end > other.start
        if size == block.end - block.start:  # else it has met another block: both move together
            break
    if block.end > highest and has_partner:
        while other.end == other.start:
            block.slide_up(lines)
            other.previous()


def _hunks(old_marks: Sequence[bool], new_marks: Sequence[bool]) -> list[Hunk]:
    found = []
    old_at = new_at = 0
    while old_at < len(old_marks) or new_at < len(new_marks):
        old_end, new_end = old_at, new_at
        while old_end < len(old_marks) and old_marks[old_end]:
            old_end += 1
        while new_end < len(new_marks) and new_marks[new_end]:
            new_end += 1
        if old_end > old_at or new_end > new_at:
            found.append(Hunk(old_at, old_end, new_at, new_end))
        old_at, new_at = old_end + 1, new_end + 1
    return found
