"""Find a line by its anchor alone, when nothing else is known of the text that it was made in.

A line of the file must be the line itself or like it, and its neighbours and its symbol must speak
for it. Seven lines are little: what is in doubt stays an orphan.
"""

from collections.abc import Iterator, Sequence

from .anchor import Anchor
from .document import BLANK, Document, key_of, weigh
from .edits import MIN_RATIO
from .placement import Layer, Orphan, Outcome, Placement, Suggestion
from .similarity import LineProbe

GONE = "the file is gone"
_MIN_SAME = 0.65
_MIN_ALIKE = 0.75
"""What the same text, and a text that is only like it, must reach."""
_MIN_LEAD = 0.02
_TEXT_SHARE, _CONTEXT_SHARE, _SYMBOL_SHARE = 0.4, 0.4, 0.2
_SLACK = 3
"""A neighbour is looked for so far away."""
_LINE_WEIGHT = 20
"""A neighbour counts for no more than this; one long line is no context."""
_TELLING_WEIGHT = 4
_MAX_PLACES = 50
_MAX_SUGGESTIONS = 5


def place_by_context(
    anchor: Anchor, path: str, new: Document | None, *, least_ratio: float = MIN_RATIO
) -> Outcome:
    """Return where a comment belongs now, from what its anchor remembers.

    A line that is less like the anchor's than `least_ratio`, where 1 is the same, is only
    suggested.
    """
    if new is None:
        return Orphan(GONE)
    if new.blob_id == anchor.blob_id and 1 <= anchor.line <= len(new.lines):
        return Placement(path, anchor.line, Layer.SAME)
    scored = [
        (_score(anchor, new, line, ratio), line, ratio) for line, ratio in _alike(anchor, new)
    ]
    scored.sort(key=lambda it: (-it[0], abs(it[1] + 1 - anchor.line), it[1]))
    if scored and scored[0][2] >= least_ratio and _is_sure(scored):
        return Placement(path, scored[0][1] + 1, Layer.CONTEXT, "by the lines around it")
    return Orphan(
        "its text is not known, and no line stands in the same surroundings",
        tuple(
            Suggestion(path, line + 1, round(score, 3), "a line like it")
            for score, line, _ in scored[:_MAX_SUGGESTIONS]
        ),
    )


def line_by_name(name: str, line: int, new: Document) -> int:
    """Return a line, or where the symbol of that name begins when the line is not in it."""
    named = [it for it in new.symbols if name in {it.path, it.path.rpartition(".")[2]}]
    if len(named) != 1 or named[0].line <= line <= named[0].end_line:
        return line
    return named[0].line


def _is_sure(scored: Sequence[tuple[float, int, float]]) -> bool:
    """Whether the first one is good enough, and better than the next."""
    score, _, ratio = scored[0]
    is_ahead = len(scored) == 1 or score - scored[1][0] >= _MIN_LEAD
    return is_ahead and score >= (_MIN_SAME if ratio == 1 else _MIN_ALIKE)


def _alike(anchor: Anchor, new: Document) -> Iterator[tuple[int, float]]:
    """Give the lines with the same text, and those near the old neighbours that are like it.

    A neighbour that is like it is still the neighbour.
    """
    same = set(new.places.get(key_of(anchor.text), ()))
    yield from ((line, 1.0) for line in same)
    probe = LineProbe(anchor.text)
    neighbours = {key_of(text) for text in (*anchor.before, *anchor.after)}
    for line in sorted(_near_neighbours(anchor, new) - same):
        ratio = probe.ratio(new.lines[line], MIN_RATIO)
        if ratio and new.keys[line] not in neighbours:
            yield line, ratio


def _near_neighbours(anchor: Anchor, new: Document) -> set[int]:
    """Return the lines where the anchor's could be, by the lines that stood around it."""
    found: set[int] = set()
    for step, neighbours in ((1, anchor.before[::-1]), (-1, anchor.after)):
        for distance, text in enumerate(neighbours, 1):
            if weigh(text) >= _TELLING_WEIGHT:
                for place in new.places.get(key_of(text), ())[:_MAX_PLACES]:
                    found.update(place + step * it for it in range(1, distance + _SLACK))
    return {line for line in found if 0 <= line < len(new.lines)}


def _score(anchor: Anchor, new: Document, line: int, ratio: float) -> float:
    """Return how much speaks for a line, from 0 to 1."""
    is_home = new.symbol_path(line + 1) == anchor.symbol
    context = _context(anchor, new, line)
    return _TEXT_SHARE * ratio + _CONTEXT_SHARE * context + _SYMBOL_SHARE * is_home


def _context(anchor: Anchor, new: Document, line: int) -> float:
    """Return the share of the old neighbours, by weight, that stand around a line in order."""
    total = found = 0
    for step, neighbours in ((-1, anchor.before[::-1]), (1, anchor.after)):
        at = line
        for text in neighbours:
            key = key_of(text)
            if key == BLANK:
                continue
            weight = min(weigh(text), _LINE_WEIGHT) + 1
            total += weight
            reach = (at + step * it for it in range(1, _SLACK + 1))
            place = next((it for it in reach if _has(new, it, key)), None)
            if place is not None:
                at = place
                found += weight
    return found / total if total else 0.0


def _has(new: Document, line: int, key: int) -> bool:
    return 0 <= line < len(new.keys) and new.keys[line] == key
