"""Say where the comments of a file belong now.

Where there is a history, lines are followed commit by commit; where there is none, then and now are
compared at once. Without the text of then, there is only what the anchor itself remembers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from .anchor import Anchor
from .comparison import Comparison
from .context import place_by_context
from .document import Base, Document
from .moves import ChangedFile
from .placement import Orphan, Outcome, Placement, Suggestion
from .trail import Sighting, Trail

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
    new = read_now(new_path)
    if base is None:
        return [place_by_context(anchor, new_path, new) for anchor in anchors]
    changed = elsewhere if trail is None else [*trail.changed_files, *elsewhere]
    whole = Comparison(new_path, base, new, changed)
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


def _fits(anchor: Anchor, base: Base) -> bool:
    """Whether an anchor can have been made in a text."""
    return anchor.blob_id == base.blob_id and 1 <= anchor.line <= len(base.keys)


def _look_up(
    seen: Mapping[int, Sighting | Orphan],
    read_now: ReadNow,
    elsewhere: Iterable[ChangedFile],
    whole: Comparison,
) -> dict[int, Outcome]:
    """Bring what was seen in the last commit to the files as they are now."""
    comparisons: dict[str, Comparison] = {}
    found: dict[int, Outcome] = {}
    for line, last in seen.items():
        if isinstance(last, Sighting):
            if last.path not in comparisons:
                now = read_now(last.path)
                comparisons[last.path] = Comparison(last.path, last.text, now, elsewhere)
            outcome = comparisons[last.path].find(last.line)
            if isinstance(outcome, Placement):
                found[line] = last.then(outcome)
                continue
        else:
            outcome = last
        found[line] = whole.find_restored(line) or _orphan(outcome, whole.find(line))
    return found


def _orphan(lost: Orphan, direct: Outcome) -> Orphan:
    """Say why a line is lost, and where a comparison without its history would look."""
    if isinstance(direct, Orphan):
        return Orphan(lost.reason, direct.suggestions)
    place = Suggestion(direct.path, direct.line, direct.confidence, direct.reason)
    return Orphan(lost.reason, (place,))
