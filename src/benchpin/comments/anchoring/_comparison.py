"""Find lines of an old text in a new one, by several methods, most reliable first.

A wrong place is worse than none: a method that is not certain leaves the line to the next one. A
line that none of them finds is an orphan, with the best candidates as suggestions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchpin.workspace.diffs import Hunk, LineMap, map_lines, slide_blocks

from ._anchor import Layer, Orphan, Outcome, Placement, Suggestion
from ._moves import MIN_WEIGHT, Destination, MoveTarget, Removed, choose_destination
from ._tracked_text import TrackedText, weigh

# Only the start of a longer line is compared; such lines are generated.
_MAX_CHARS = 512
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
_MAX_SUGGESTIONS = 5


class LineProbe:
    """A line that is compared with many others; white space at the ends does not count.

    How alike two are is twice the longest common subsequence of characters over both lengths. It is
    counted with one addition of integers per character (Hyyrö, 2004), some microseconds a line. A
    library would be faster, but is not worth a dependency for a dozen lines.
    """

    def __init__(self, line: str) -> None:
        self._text = line.strip()[:_MAX_CHARS]
        self._masks: dict[str, int] = {}
        for place, char in enumerate(self._text):
            self._masks[char] = self._masks.get(char, 0) | 1 << place

    def ratio(self, other: str, at_least: float = 0.0) -> float:
        """Return a number from 0 to 1; 0 also when it is below `at_least`."""
        other = other.strip()[:_MAX_CHARS]
        total = len(self._text) + len(other)
        # The lengths alone rule out most lines before characters are compared.
        if not total or 2 * min(len(self._text), len(other)) < at_least * total:
            return 0.0
        found = 2 * self._common(other) / total
        return found if found >= at_least else 0.0

    def _common(self, other: str) -> int:
        """Return the length of the longest common subsequence."""
        unmatched = whole = (1 << len(self._text)) - 1
        masks = self._masks
        for char in other:  # bit-parallel: a set bit is a character without a partner
            mask = masks.get(char)
            if mask is not None:
                hit = unmatched & mask
                unmatched = (unmatched + hit) | (unmatched - hit)
        return len(self._text) - (unmatched & whole).bit_count()


# Find edited lines among the lines that replaced them.
#
# The old and the new lines of a hunk are paired together, because a line alone would take the place
# of its neighbour. Lines that are nearly the same, with no other candidate as close, are paired
# wherever they are in the hunk. The others are paired in their order.


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


class TextComparison:
    """The old and the new text of a file; one diff serves all lines."""

    def __init__(
        self,
        path: str,
        base: TrackedText,
        new: TrackedText | None,
        elsewhere: Iterable[MoveTarget] = (),
    ) -> None:
        """Take both texts.

        Args:
            path: The present path of the file; its last path when it is gone.
            base: The old text.
            new: The present text; None when the file is gone.
            elsewhere: The other files that changed since.
        """
        self._path = path
        self._base = base
        self._new = new
        self._paired: dict[Hunk, dict[int, Pair]] = {}
        self._files = [it for it in elsewhere if it.path != path]
        if new is not None:
            self._files.insert(0, MoveTarget(path, lambda: new, lambda: base))

    def find(self, line: int) -> Outcome:
        """Return the present place of an old line, counted from 1."""
        if self._new is None:
            return self._find_moved(line, ())
        if self._new.blob_id == self._base.blob_id:
            return Placement(self._path, line, Layer.SAME)
        target = self._line_map.to_new[line - 1]
        if target < 0:
            found = self._find_edited(line, self._new)
            return self._find_left_behind(line, found, self._new) or found
        if not self._is_fixed(line - 1, self._new) and self._left_symbol(line, target, self._new):
            return self._find_in_symbol(line, target, self._new)
        return Placement(self._path, target + 1, Layer.DIFF)

    def find_restored(self, line: int) -> Placement | None:
        """Return the place of a line that was removed and restored, if its neighbours prove it."""
        if self._new is None or self._line_map.to_new[line - 1] < 0:
            return None
        run = self._run(line - 1)
        weight = sum(weigh(self._base.lines[it]) for it in run)
        if weight < MIN_WEIGHT or not self._is_fixed(line - 1, self._new):
            return None
        target = self._line_map.to_new[line - 1]
        return Placement(self._path, target + 1, Layer.DIFF, "removed and restored since")

    @cached_property
    def _line_map(self) -> LineMap:
        base, new = self._base, self._new
        if new is None:
            return map_lines(base.keys, ())
        found = map_lines(base.keys, new.keys)
        return slide_blocks(found, (base.lines, base.keys), (new.lines, new.keys))

    @cached_property
    def _removed(self) -> Removed:
        gone = (line for line, target in enumerate(self._line_map.to_new) if target < 0)
        return Removed(self._base, frozenset(gone))

    def _is_fixed(self, line: int, new: TrackedText) -> bool:
        """Whether a line, counted from 0, cannot be anywhere else.

        A repeated line is fixed if only unchanged lines separate it, above and below, from a unique
        line or from the end of both texts.
        """
        to_new, base = self._line_map.to_new, self._base
        offset = to_new[line] - line
        for step in (-1, 1):
            at = line
            while 0 <= at < len(to_new) and to_new[at] == at + offset >= 0:
                key = base.keys[at]
                if len(base.places[key]) == len(new.places[key]) == 1:
                    break
                at += step
            else:  # no unique line on this side
                if at not in {-1, len(to_new)} or at + offset not in {-1, len(new.keys)}:
                    return False
        return True

    def _run(self, line: int) -> range:
        """Return the unbroken run of unchanged lines that contains a line."""
        to_new = self._line_map.to_new
        offset = to_new[line] - line
        first, end = line, line + 1
        while first > 0 and to_new[first - 1] == first - 1 + offset >= 0:
            first -= 1
        while end < len(to_new) and to_new[end] == end + offset:
            end += 1
        return range(first, end)

    def _left_symbol(self, line: int, target: int, new: TrackedText) -> bool:
        """Whether the target is in another symbol, while the symbol of the line still exists."""
        own = self._base.symbol_path(line)
        return bool(own) and new.symbol_path(target + 1) != own and bool(new.symbols_named(own))

    def _find_in_symbol(self, line: int, target: int, new: TrackedText) -> Outcome:
        """Return the line with the same text in the same symbol, when there is exactly one."""
        own = self._base.symbol_path(line)
        places = self._places_in_symbol(line, new)
        if len(places) == 1:
            return Placement(self._path, places[0], Layer.TWIN, f"the only such line in {own}")
        return Orphan(
            f"it was in {own}, which has "
            + ("several such lines" if places else "no such line any more"),
            tuple(
                Suggestion(self._path, place, 0.5, "the same text")
                for place in (*places, target + 1)[:_MAX_SUGGESTIONS]
            ),
            self._path,
        )

    def _places_in_symbol(self, line: int, new: TrackedText) -> list[int]:
        """Return the lines with the same text in the same symbol, counted from 1."""
        named = new.symbols_named(self._base.symbol_path(line))
        spans = [range(it.line, it.end_line + 1) for it in named]
        places = (place + 1 for place in new.places.get(self._base.keys[line - 1], ()))
        return [place for place in places if any(place in span for span in spans)]

    def _find_left_behind(self, line: int, found: Outcome, new: TrackedText) -> Outcome | None:
        """Return the line in its own symbol, when the one found is a twin in another symbol."""
        if not isinstance(found, Placement) or found.path != self._path:
            return None
        if not self._left_symbol(line, found.line - 1, new):
            return None
        if not self._places_in_symbol(line, new):
            return None
        own, key = self._base.symbol_path(line), self._base.keys[line - 1]
        others = (it + 1 for it in self._base.places[key] if it + 1 != line)
        if any(self._base.symbol_path(it) == own for it in others):
            return None
        return self._find_in_symbol(line, found.line - 1, new)

    def _find_edited(self, line: int, new: TrackedText) -> Outcome:
        """Search the lines that replaced it, then the added lines everywhere."""
        old_line = line - 1
        hunk = self._line_map.hunk_of(old_line)
        pair = self._pairs(hunk, old_line, new).get(old_line)
        if pair is None:
            alike = similar_lines(self._base.lines, new.lines, hunk, old_line)
            return self._find_moved(line, alike)
        if pair.ratio < NEARLY_SAME:  # the same line may have moved within the file instead
            chosen, _ = choose_destination(self._removed, old_line, self._path, self._files[:1])
            if chosen is not None:
                return _moved(chosen)
        reason = f"{pair.ratio:.0%} alike, in the same place"
        return Placement(self._path, pair.new + 1, Layer.EDITED, reason)

    def _pairs(self, whole: Hunk, old_line: int, new: TrackedText) -> dict[int, Pair]:
        """Return the edited lines of a hunk; in a large one, only the part around `old_line`."""
        hunk = narrow(self._base.lines, new.lines, whole, old_line)
        if hunk not in self._paired:
            pairs = pair_lines(self._base.lines, new.lines, hunk)
            self._paired[hunk] = {pair.old: pair for pair in pairs}
        return self._paired[hunk]

    def _find_moved(self, line: int, alike: Sequence[Pair]) -> Outcome:
        """Search the added lines of all changed files."""
        chosen, found = choose_destination(self._removed, line - 1, self._path, self._files)
        if chosen is None:
            reason = "no line is similar enough" if not found else "the same text is too common"
            return Orphan(reason, self._suggest(alike, found), self._path)
        return _moved(chosen)

    def _suggest(
        self, alike: Sequence[Pair], moved: Sequence[Destination]
    ) -> tuple[Suggestion, ...]:
        near = (
            Suggestion(self._path, it.new + 1, round(it.ratio, 3), "a similar line")
            for it in alike[:_MAX_SUGGESTIONS]
        )
        far = (
            Suggestion(it.path, it.line + 1, _share(it.weight), "the same text")
            for it in moved[:_MAX_SUGGESTIONS]
        )
        ranked = sorted((*near, *far), key=lambda it: (-it.score, it.file_path, it.line))
        return tuple(ranked[:_MAX_SUGGESTIONS])


def _moved(found: Destination) -> Placement:
    reason = f"{found.weight} letters and digits moved together"
    return Placement(found.path, found.line + 1, Layer.MOVED, reason)


def _share(weight: int) -> float:
    """Return the weight of a moved block as a score from 0 to 1."""
    return round(weight / (weight + MIN_WEIGHT), 3)
