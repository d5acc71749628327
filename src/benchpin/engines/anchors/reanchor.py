"""Find the lines of comments again after their file changed, in layers, surest first.

A wrong place is worse than none: a layer that is not sure leaves the line to the next one, and
what none is sure of is an orphan, with the places that came nearest.
"""

from collections.abc import Sequence
from functools import cached_property

from .anchor import Anchor
from .diffing import LineMap, map_lines
from .document import Document
from .edits import Candidate, choose_edited, edited_candidates
from .moves import (
    MIN_WEIGHT,
    ChangedFile,
    Destination,
    Removed,
    choose_destination,
    find_destinations,
)
from .placement import Layer, Orphan, Outcome, Placement, Suggestion

_MAX_SUGGESTIONS = 5


class Reanchoring:
    """One file then and now; all of its comments share what is worked out here."""

    def __init__(
        self,
        path: str,
        base: Document,
        new: Document | None,
        *,
        elsewhere: Sequence[ChangedFile] = (),
    ) -> None:
        """Take the text that the anchors were made in, and what became of it.

        Args:
            path: Where the file is now; where it was, when it is gone.
            base: The text that the anchors were made in.
            new: The text of the file now; None when it is gone.
            elsewhere: The other files that changed since.
        """
        self._path = path
        self._base = base
        self._new = new
        self._files = [it for it in elsewhere if it.path != path]
        if new is not None:
            self._files.insert(0, ChangedFile(path, lambda: new, lambda: base))

    def place(self, anchor: Anchor) -> Outcome:
        """Return where a comment belongs now."""
        if self._new is None:
            return self._moved(anchor, ())
        if self._new.text == self._base.text:
            return Placement(self._path, anchor.line, 1.0, Layer.SAME)
        target = self._line_map.to_new[anchor.line - 1]
        if target < 0:
            return self._changed(anchor, self._new)
        if self._is_in_doubt(anchor, target, self._new):
            return self._twin(anchor, target, self._new)
        return Placement(self._path, target + 1, 0.99, Layer.DIFF)

    @cached_property
    def _line_map(self) -> LineMap:
        return map_lines(self._base.squeezed, () if self._new is None else self._new.squeezed)

    @cached_property
    def _removed(self) -> Removed:
        gone = (line for line, target in enumerate(self._line_map.to_new) if target < 0)
        return Removed(self._base, frozenset(gone))

    def _is_in_doubt(self, anchor: Anchor, target: int, new: Document) -> bool:
        """Whether a line that stands more than once went to a symbol that is not its own."""
        text = new.squeezed[target]
        if not anchor.symbol or len(self._base.places[text]) == len(new.places[text]) == 1:
            return False
        symbol = new.symbol_at(target + 1)
        is_home = symbol is not None and symbol.path == anchor.symbol
        return not is_home and bool(new.symbols_named(anchor.symbol))

    def _twin(self, anchor: Anchor, target: int, new: Document) -> Outcome:
        """Look for the line in its own symbol, which is still there."""
        homes = new.symbols_named(anchor.symbol)
        places = [
            place
            for place in new.places[new.squeezed[target]]
            if any(home.line <= place + 1 <= home.end_line for home in homes)
        ]
        if len(places) == 1:
            reason = f"the only such line in {anchor.symbol}"
            return Placement(self._path, places[0] + 1, 0.95, Layer.TWIN, (reason,))
        return Orphan(
            f"such lines stand elsewhere; which one was in {anchor.symbol} is unclear",
            tuple(
                Suggestion(self._path, place + 1, 0.5, "the same text")
                for place in (*places, target)[:_MAX_SUGGESTIONS]
            ),
        )

    def _changed(self, anchor: Anchor, new: Document) -> Outcome:
        """Look among the lines that replaced it, then elsewhere."""
        line = anchor.line - 1
        hunk = self._line_map.hunk_of(line)
        candidates = edited_candidates(self._base.lines, new.lines, hunk, line)
        chosen = choose_edited(self._base.lines, new.lines, hunk, line, candidates)
        if chosen is None:
            return self._moved(anchor, candidates)
        reason = f"{chosen.ratio:.0%} alike, in the place where the line was"
        return Placement(self._path, chosen.line + 1, chosen.ratio, Layer.EDITED, (reason,))

    def _moved(self, anchor: Anchor, candidates: Sequence[Candidate]) -> Outcome:
        """Look among all lines that were added."""
        found = find_destinations(self._removed, anchor.line - 1, self._path, self._files)
        chosen = choose_destination(found)
        if chosen is None:
            return Orphan("no line is like it", self._suggest(candidates, found))
        reason = f"{chosen.weight} letters and digits of its block moved together"
        return Placement(chosen.path, chosen.line + 1, 0.9, Layer.MOVED, (reason,))

    def _suggest(
        self, candidates: Sequence[Candidate], destinations: Sequence[Destination]
    ) -> tuple[Suggestion, ...]:
        alike = [
            Suggestion(self._path, it.line + 1, round(it.ratio, 3), "a line like it")
            for it in candidates[:_MAX_SUGGESTIONS]
        ]
        moved = [
            Suggestion(
                it.path,
                it.line + 1,
                round(it.weight / (it.weight + MIN_WEIGHT), 3),
                "the same text",
            )
            for it in destinations[:_MAX_SUGGESTIONS]
        ]
        ranked = sorted((*alike, *moved), key=lambda it: (-it.score, it.path, it.line))
        return tuple(ranked[:_MAX_SUGGESTIONS])
