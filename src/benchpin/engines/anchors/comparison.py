"""Find lines of one text in another, in layers, surest first.

A wrong place is worse than none: a layer that is not sure leaves the line to the next one, and
what none is sure of is an orphan, with the places that came nearest.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

from .diffing import Hunk, LineMap, map_lines
from .document import Base, Document, weigh
from .edits import NEARLY_SAME, Pair, narrow, pair_lines, similar_lines
from .moves import (
    MIN_WEIGHT,
    ChangedFile,
    Destination,
    Removed,
    choose_destination,
)
from .placement import Layer, Orphan, Outcome, Placement, Suggestion

_MAX_SUGGESTIONS = 5


class Comparison:
    """One file then and now; all lines that are looked for share what is worked out here."""

    def __init__(
        self,
        path: str,
        base: Base,
        new: Document | None,
        elsewhere: Iterable[ChangedFile] = (),
    ) -> None:
        """Take the text in which lines are known, and what became of it.

        Args:
            path: Where the file is now; where it was, when it is gone.
            base: The text in which lines are known.
            new: The text of the file now; None when it is gone.
            elsewhere: The other files that changed meanwhile.
        """
        self._path = path
        self._base = base
        self._new = new
        self._paired: dict[Hunk, dict[int, Pair]] = {}
        self._files = [it for it in elsewhere if it.path != path]
        if new is not None:
            self._files.insert(0, ChangedFile(path, lambda: new, lambda: base))

    def find(self, line: int) -> Outcome:
        """Return where a line is now, counted from 1."""
        if self._new is None:
            return self._find_moved(line, ())
        if self._new.blob_id == self._base.blob_id:
            return Placement(self._path, line, Layer.SAME)
        target = self._line_map.to_new[line - 1]
        if target < 0:
            found = self._find_edited(line, self._new)
            return self._find_left_at_home(line, found, self._new) or found
        if not self._is_held(line - 1, self._new) and self._is_away(line, target, self._new):
            return self._find_at_home(line, target, self._new)
        return Placement(self._path, target + 1, Layer.DIFF)

    def find_restored(self, line: int) -> Placement | None:
        """Return where a line stands with so many others around it that it must be the same."""
        if self._new is None or self._line_map.to_new[line - 1] < 0:
            return None
        run = self._run(line - 1)
        weight = sum(weigh(self._base.lines[it]) for it in run)
        if weight < MIN_WEIGHT or not self._is_held(line - 1, self._new):
            return None
        target = self._line_map.to_new[line - 1]
        return Placement(self._path, target + 1, Layer.DIFF, "removed and restored meanwhile")

    @cached_property
    def _line_map(self) -> LineMap:
        return map_lines(self._base.keys, () if self._new is None else self._new.keys)

    @cached_property
    def _removed(self) -> Removed:
        gone = (line for line, target in enumerate(self._line_map.to_new) if target < 0)
        return Removed(self._base, frozenset(gone))

    def _is_held(self, line: int, new: Document) -> bool:
        """Whether a line, counted from 0, can be nowhere else.

        One that stands more than once is held in place by lines that do not: one above and one
        below it, or the end of both texts, with nothing changed between.
        """
        return all(self._is_held_from(line, step, new) for step in (-1, 1))

    def _is_held_from(self, line: int, step: int, new: Document) -> bool:
        to_new, base = self._line_map.to_new, self._base
        offset = to_new[line] - line
        while 0 <= line < len(to_new) and to_new[line] == line + offset >= 0:
            key = base.keys[line]
            if len(base.places[key]) == len(new.places[key]) == 1:
                return True
            line += step
        return line in {-1, len(to_new)} and line + offset in {-1, len(new.keys)}

    def _run(self, line: int) -> range:
        """Return the lines around one that are around its counterpart too, without a gap."""
        to_new = self._line_map.to_new
        offset = to_new[line] - line
        first, end = line, line + 1
        while first > 0 and to_new[first - 1] == first - 1 + offset >= 0:
            first -= 1
        while end < len(to_new) and to_new[end] == end + offset:
            end += 1
        return range(first, end)

    def _is_away(self, line: int, target: int, new: Document) -> bool:
        """Whether a line is in another symbol than it was, and its own is still there."""
        home = self._base.symbol_path(line)
        return bool(home) and new.symbol_path(target + 1) != home and bool(new.symbols_named(home))

    def _find_at_home(self, line: int, target: int, new: Document) -> Outcome:
        """Return the line in its own symbol, when there is only one such."""
        home = self._base.symbol_path(line)
        places = self._places_at_home(line, new)
        if len(places) == 1:
            return Placement(self._path, places[0], Layer.TWIN, f"the only such line in {home}")
        return Orphan(
            f"it was in {home}, and is there " + ("no more" if not places else "several times"),
            tuple(
                Suggestion(self._path, place, 0.5, "the same text")
                for place in (*places, target + 1)[:_MAX_SUGGESTIONS]
            ),
            self._path,
        )

    def _places_at_home(self, line: int, new: Document) -> list[int]:
        """Return where the text of a line stands in its own symbol, counted from 1."""
        named = new.symbols_named(self._base.symbol_path(line))
        spans = [range(it.line, it.end_line + 1) for it in named]
        places = (place + 1 for place in new.places.get(self._base.keys[line - 1], ()))
        return [place for place in places if any(place in span for span in spans)]

    def _find_left_at_home(self, line: int, found: Outcome, new: Document) -> Outcome | None:
        """Return the line in its own symbol, when what was found is a twin in another."""
        if not isinstance(found, Placement) or found.path != self._path:
            return None
        if not self._is_away(line, found.line - 1, new) or not self._places_at_home(line, new):
            return None
        home, key = self._base.symbol_path(line), self._base.keys[line - 1]
        others = (it + 1 for it in self._base.places[key] if it + 1 != line)
        if any(self._base.symbol_path(it) == home for it in others):
            return None
        return self._find_at_home(line, found.line - 1, new)

    def _find_edited(self, line: int, new: Document) -> Outcome:
        """Look among the lines that replaced it, then elsewhere."""
        old_line = line - 1
        hunk = self._line_map.hunk_of(old_line)
        pair = self._pairs(hunk, old_line, new).get(old_line)
        if pair is None:
            alike = similar_lines(self._base.lines, new.lines, hunk, old_line)
            return self._find_moved(line, alike)
        if pair.ratio < NEARLY_SAME:
            own = self._files[:1]
            chosen, _ = choose_destination(self._removed, old_line, self._path, own)
            if chosen is not None:
                return _moved(chosen)
        reason = f"{pair.ratio:.0%} alike, where the line was"
        return Placement(self._path, pair.new + 1, Layer.EDITED, reason)

    def _pairs(self, whole: Hunk, old_line: int, new: Document) -> dict[int, Pair]:
        """Return what the lines of a hunk became, or of its part around a line."""
        hunk = narrow(self._base.lines, new.lines, whole, old_line)
        if hunk not in self._paired:
            pairs = pair_lines(self._base.lines, new.lines, hunk)
            self._paired[hunk] = {pair.old: pair for pair in pairs}
        return self._paired[hunk]

    def _find_moved(self, line: int, alike: Sequence[Pair]) -> Outcome:
        """Look among all lines that were added."""
        chosen, found = choose_destination(self._removed, line - 1, self._path, self._files)
        if chosen is None:
            reason = "no line is enough like it" if not found else "the same text proves too little"
            return Orphan(reason, self._suggest(alike, found), self._path)
        return _moved(chosen)

    def _suggest(
        self, alike: Sequence[Pair], moved: Sequence[Destination]
    ) -> tuple[Suggestion, ...]:
        near = (
            Suggestion(self._path, it.new + 1, round(it.ratio, 3), "a line like it")
            for it in alike[:_MAX_SUGGESTIONS]
        )
        far = (
            Suggestion(it.path, it.line + 1, _share(it.weight), "the same text")
            for it in moved[:_MAX_SUGGESTIONS]
        )
        ranked = sorted((*near, *far), key=lambda it: (-it.score, it.path, it.line))
        return tuple(ranked[:_MAX_SUGGESTIONS])


def _moved(found: Destination) -> Placement:
    reason = f"{found.weight} letters and digits moved together"
    return Placement(found.path, found.line + 1, Layer.MOVED, reason)


def _share(weight: int) -> float:
    """Return the weight of a moved block as a number from 0 to 1."""
    return round(weight / (weight + MIN_WEIGHT), 3)
