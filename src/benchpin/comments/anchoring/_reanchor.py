"""Find the present places of the comments of a file.

With git history, lines are traced commit by commit; without it, the old and the present text are
compared directly. Without the old text, only the lines stored in the anchor are left to go by.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ._anchor import GONE, Anchor, Layer, Orphan, Outcome, Placement, Suggestion
from ._commit_range import CommitRange, TracedLine
from ._comparison import MIN_RATIO, LineProbe, TextComparison
from ._moves import MoveTarget, find_renamed, nearest_files
from ._tracked_text import BLANK, TrackedText, key_of, weigh

_MIN_SAME = 0.65
# The lowest accepted score of a line with the same text, and of a similar one.
_MIN_ALIKE = 0.75
# How far the best score must be ahead of the next.
_MIN_LEAD = 0.02
_TEXT_SHARE, _CONTEXT_SHARE, _SYMBOL_SHARE = 0.4, 0.4, 0.2
# How many lines away from its old distance a neighbour may be.
_SLACK = 3
# A neighbour counts for no more than this; one long line is not enough context.
_LINE_WEIGHT = 20
# Lighter neighbours, such as a brace, are too common to search by.
_TELLING_WEIGHT = 4
_MAX_PLACES = 50
_MAX_SUGGESTIONS = 5
# How many of the files committed since are searched for suggestions.
_MAX_SUGGESTED_FILES = 50
# It takes a path and returns its present text; None when there is none, or it may not be read.
ReadNow = Callable[[str], TrackedText | None]


def place_by_context(
    anchor: Anchor, path: str, new: TrackedText | None, *, least_ratio: float = MIN_RATIO
) -> Outcome:
    """Return the place of a comment by the lines stored in its anchor.

    A line whose similarity is below `least_ratio`, where 1 is identical, is only suggested.
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
        "its old text is not known, and no line has the same surroundings",
        tuple(
            Suggestion(path, line + 1, round(score, 3), "a similar line")
            for score, line, _ in scored[:_MAX_SUGGESTIONS]
        ),
    )


def line_by_name(name: str, line: int, new: TrackedText) -> int:
    """Return a line, or the first line of the symbol of that name when the line is outside it."""
    named = [it for it in new.symbols if name in {it.path, it.path.rpartition(".")[2]}]
    if len(named) != 1 or named[0].line <= line <= named[0].end_line:
        return line
    return named[0].line


def _is_sure(scored: Sequence[tuple[float, int, float]]) -> bool:
    """Whether the first candidate is good enough, and ahead of the next."""
    score, _, ratio = scored[0]
    is_ahead = len(scored) == 1 or score - scored[1][0] >= _MIN_LEAD
    return is_ahead and score >= (_MIN_SAME if ratio == 1 else _MIN_ALIKE)


def _alike(anchor: Anchor, new: TrackedText) -> Iterator[tuple[int, float]]:
    """Yield the lines with the same text, and similar lines near the old neighbours.

    A neighbour that happens to be similar is still the neighbour, and left out.
    """
    same = set(new.places.get(key_of(anchor.text), ()))
    yield from ((line, 1.0) for line in same)
    probe = LineProbe(anchor.text)
    neighbours = {key_of(text) for text in (*anchor.before, *anchor.after)}
    for line in sorted(_near_neighbours(anchor, new) - same):
        ratio = probe.ratio(new.lines[line], MIN_RATIO)
        if ratio and new.keys[line] not in neighbours:
            yield line, ratio


def _near_neighbours(anchor: Anchor, new: TrackedText) -> set[int]:
    """Return the lines where the anchor's line could be, by the lines that were around it."""
    found: set[int] = set()
    for step, neighbours in ((1, anchor.before[::-1]), (-1, anchor.after)):
        for distance, text in enumerate(neighbours, 1):
            if weigh(text) >= _TELLING_WEIGHT:
                for place in new.places.get(key_of(text), ())[:_MAX_PLACES]:
                    found.update(place + step * it for it in range(1, distance + _SLACK))
    return {line for line in found if 0 <= line < len(new.lines)}


def _score(anchor: Anchor, new: TrackedText, line: int, ratio: float) -> float:
    """Return how well a line matches, from 0 to 1."""
    has_symbol = new.symbol_path(line + 1) == anchor.symbol
    context = _context(anchor, new, line)
    return _TEXT_SHARE * ratio + _CONTEXT_SHARE * context + _SYMBOL_SHARE * has_symbol


def _context(anchor: Anchor, new: TrackedText, line: int) -> float:
    """Return the share of the old neighbours, by weight, that are around a line in order."""
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


def _has(new: TrackedText, line: int, key: int) -> bool:
    return 0 <= line < len(new.keys) and new.keys[line] == key


def reanchor(
    path: str,
    anchors: Sequence[Anchor],
    base: TrackedText | None,
    read_now: ReadNow,
    *,
    commits: CommitRange | None = None,
    elsewhere: Sequence[MoveTarget] = (),
) -> list[Outcome]:
    """Return one outcome for each anchor.

    Args:
        path: The path of the file when the anchors were made.
        anchors: Anchors that were all made in one text.
        base: That text, or a sketch of it; None when there is neither.
        read_now: Reads the present text of a file.
        commits: The commits since the anchors were made.
        elsewhere: Other files that changed; with commits, only the uncommitted ones.
    """
    new_path = path
    if commits is not None and read_now(path) is None:
        new_path = commits.current_path(path)
    new_path, new = _find_file(new_path, base, read_now, elsewhere)
    if base is None:
        return [place_by_context(anchor, new_path, new) for anchor in anchors]
    committed = () if commits is None else commits.changed_files
    near = nearest_files(new_path, committed, _MAX_SUGGESTED_FILES)
    whole = TextComparison(new_path, base, new, [*near, *elsewhere])
    lines = sorted({anchor.line for anchor in anchors if _fits(anchor, base)})
    found: dict[int, Outcome]
    if commits is None or (new is not None and new.blob_id == base.blob_id):
        found = {line: whole.find(line) for line in lines}
    else:
        found = _to_present(commits.trace(path, base, lines), read_now, elsewhere, whole)
    return [
        found[anchor.line] if _fits(anchor, base) else place_by_context(anchor, new_path, new)
        for anchor in anchors
    ]


def _find_file(
    path: str, text: TrackedText | None, read_now: ReadNow, elsewhere: Iterable[MoveTarget]
) -> tuple[str, TrackedText | None]:
    """Return a file, or the one that it was renamed to without a commit."""
    new = read_now(path)
    renamed = None if new is not None or text is None else find_renamed(text, path, elsewhere)
    return (path, new) if renamed is None else (renamed.path, renamed.new)


def _fits(anchor: Anchor, base: TrackedText) -> bool:
    """Whether an anchor was made in a text."""
    return anchor.blob_id == base.blob_id and 1 <= anchor.line <= len(base.keys)


def _to_present(
    traced: Mapping[int, TracedLine | Orphan],
    read_now: ReadNow,
    elsewhere: Sequence[MoveTarget],
    whole: TextComparison,
) -> dict[int, Outcome]:
    """Map lines of the last commit to the present files."""
    comparisons: dict[str, TextComparison] = {}
    found: dict[int, Outcome] = {}
    for line, last in traced.items():
        outcome: Outcome
        if isinstance(last, Orphan):
            outcome = last
        else:
            if last.path not in comparisons:
                path, now = _find_file(last.path, last.text, read_now, elsewhere)
                comparisons[last.path] = TextComparison(path, last.text, now, elsewhere)
            outcome = last.outcome(comparisons[last.path].find(last.line))
        if isinstance(outcome, Orphan):
            outcome = whole.find_restored(line) or _orphan(outcome, whole.find(line), read_now)
        found[line] = outcome
    return found


def _orphan(lost: Orphan, direct: Outcome, read_now: ReadNow) -> Orphan:
    """Return why a line is lost, with the places that a direct comparison suggests."""
    places = (
        direct.suggestions
        if isinstance(direct, Orphan)
        else (Suggestion(direct.path, direct.line, direct.confidence, direct.reason),)
    )
    visible = tuple(it for it in places if _is_there(it, read_now))
    return Orphan(lost.reason, visible, lost.path, lost.last)


def _is_there(place: Suggestion, read_now: ReadNow) -> bool:
    """Whether a suggested line exists in the present files."""
    now = read_now(place.file_path)
    return now is not None and place.line <= len(now.lines)
