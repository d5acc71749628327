"""Find lines of an old text in a new one, by several methods, most reliable first.

A wrong place is worse than none: a method that is not certain leaves the line to the next one. A
line that none of them finds is an orphan, with the best candidates as suggestions.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

from benchpin.workspace.diffs import Hunk, LineMap, map_lines, slide_blocks

from ._edits import NEARLY_SAME, Pair, narrow, pair_lines, similar_lines
from ._moves import MIN_WEIGHT, Destination, MoveTarget, Removed, choose_destination
from ._placement import Layer, Orphan, Outcome, Placement, Suggestion
from ._source_text import TrackedText, weigh

_MAX_SUGGESTIONS = 5


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
        return all(self._is_fixed_from(line, step, new) for step in (-1, 1))

    def _is_fixed_from(self, line: int, step: int, new: TrackedText) -> bool:
        to_new, base = self._line_map.to_new, self._base
        offset = to_new[line] - line
        while 0 <= line < len(to_new) and to_new[line] == line + offset >= 0:
            key = base.keys[line]
            if len(base.places[key]) == len(new.places[key]) == 1:
                return True
            line += step
        return line in {-1, len(to_new)} and line + offset in {-1, len(new.keys)}

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
