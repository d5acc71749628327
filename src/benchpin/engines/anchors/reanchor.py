"""Say where the comments of a file belong now.

Where there is a history, lines are followed commit by commit; where there is none, then and now are
compared at once. Without the text of then, there is only what the anchor itself remembers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from .anchor import Anchor
from .comparison import Comparison
from .context import place_by_context
from .document import Base, Document
from .moves import ChangedFile, find_heir, nearest_files
from .placement import Orphan, Outcome, Suggestion
from .trail import Sighting, Trail

_MAX_SUGGESTED_FILES = 50
"""Of all files that were committed since, so many are searched for what may be suggested."""

ReadNow = Callable[[str], Document | None]
"""From a path to the text that it has now; None when there is none."""


def reanchor(
    path: str,
    anchors: Sequence[Anchor],
    base: Base | None,
    read_now: ReadNow,
    *,
    trail: Trail | None = None,
    elsewhere: Sequence[ChangedFile] = (),
) -> list[Outcome]:
    """Return where the comments of a file belong, one outcome an anchor.

    Args:
        path: Where the file was when the anchors were made.
        anchors: Anchors that were all made in one text.
        base: That text, or a sketch of it; None when neither can be had.
        read_now: The files as they are now.
        trail: What was committed since the anchors were made.
        elsewhere: Other files that changed; with a trail, those that are not committed.
    """
    new_path = path
    if trail is not None and read_now(path) is None:
        new_path = trail.current_path(path)
    new_path, new = _find_file(new_path, base, read_now, elsewhere)
    if base is None:
        return [place_by_context(anchor, new_path, new) for anchor in anchors]
    committed = () if trail is None else trail.changed_files
    near = nearest_files(new_path, committed, _MAX_SUGGESTED_FILES)
    whole = Comparison(new_path, base, new, [*near, *elsewhere])
    lines = sorted({anchor.line for anchor in anchors if _fits(anchor, base)})
    found: dict[int, Outcome]
    if trail is None or (new is not None and new.blob_id == base.blob_id):
        found = {line: whole.find(line) for line in lines}
    else:
        found = _look_up(trail.follow(path, base, lines), read_now, elsewhere, whole)
    return [
        found[anchor.line] if _fits(anchor, base) else place_by_context(anchor, new_path, new)
        for anchor in anchors
    ]


def _find_file(
    path: str, text: Base | None, read_now: ReadNow, elsewhere: Iterable[ChangedFile]
) -> tuple[str, Document | None]:
    """Return a file, or the one that it was renamed to without being committed."""
    new = read_now(path)
    heir = None if new is not None or text is None else find_heir(text, path, elsewhere)
    return (path, new) if heir is None else (heir.path, heir.new)


def _fits(anchor: Anchor, base: Base) -> bool:
    """Whether an anchor can have been made in a text."""
    return anchor.blob_id == base.blob_id and 1 <= anchor.line <= len(base.keys)


def _look_up(
    seen: Mapping[int, Sighting | Orphan],
    read_now: ReadNow,
    elsewhere: Sequence[ChangedFile],
    whole: Comparison,
) -> dict[int, Outcome]:
    """Bring what was seen in the last commit to the files as they are now."""
    comparisons: dict[str, Comparison] = {}
    found: dict[int, Outcome] = {}
    for line, last in seen.items():
        outcome: Outcome
        if isinstance(last, Orphan):
            outcome = last
        else:
            if last.path not in comparisons:
                path, now = _find_file(last.path, last.text, read_now, elsewhere)
                comparisons[last.path] = Comparison(path, last.text, now, elsewhere)
            outcome = last.then(comparisons[last.path].find(last.line))
        if isinstance(outcome, Orphan):
            outcome = whole.find_restored(line) or _orphan(outcome, whole.find(line), read_now)
        found[line] = outcome
    return found


def _orphan(lost: Orphan, direct: Outcome, read_now: ReadNow) -> Orphan:
    """Say why a line is lost, and where a comparison without its history would look."""
    places = (
        direct.suggestions
        if isinstance(direct, Orphan)
        else (Suggestion(direct.path, direct.line, direct.confidence, direct.reason),)
    )
    return Orphan(lost.reason, tuple(it for it in places if _is_there(it, read_now)), lost.path)


def _is_there(place: Suggestion, read_now: ReadNow) -> bool:
    """Whether a line of the last commit can be one of the files as they are now."""
    now = read_now(place.path)
    return now is not None and place.line <= len(now.lines)
