"""Find the present places of the comments of a file.

With git history, lines are traced commit by commit; without it, the old and the present text are
compared directly. Without the old text, only the lines stored in the anchor are left to go by.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from ._anchor import Anchor
from ._commit_range import CommitRange, TracedLine
from ._comparison import TextComparison
from ._context import place_by_context
from ._moves import MoveTarget, find_renamed, nearest_files
from ._placement import Orphan, Outcome, Suggestion
from ._source_text import TrackedText

# How many of the files committed since are searched for suggestions.
_MAX_SUGGESTED_FILES = 50

# It takes a path and returns its present text; None when there is none, or it may not be read.
ReadNow = Callable[[str], TrackedText | None]


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
    return Orphan(lost.reason, tuple(it for it in places if _is_there(it, read_now)), lost.path)


def _is_there(place: Suggestion, read_now: ReadNow) -> bool:
    """Whether a suggested line exists in the present files."""
    now = read_now(place.file_path)
    return now is not None and place.line <= len(now.lines)
