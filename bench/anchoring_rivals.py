"""What others do with a line when its file changes, as far as their sources and papers tell.

Gerrit carries a comment over a diff, and to the whole file when its line was changed. CodeStream
looks in the change, and then in all changes of the file, for the line most alike by pairs of
letters; both figures that it asks for are one half.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from benchpin.comments.anchoring import Layer, Placement, TrackedText
from benchpin.comments.anchoring._anchor import Orphan, Outcome
from benchpin.workspace.diffs import Hunk, map_lines

Rival = Callable[[str, TrackedText, TrackedText | None, Sequence[int]], Sequence[Outcome]]

_GONE = Orphan("gone")
_MIN_LINE = 0.5
_MIN_CHANGE = 0.5


def by_number(
    path: str, _old: TrackedText, new: TrackedText | None, lines: Sequence[int]
) -> list[Outcome]:
    """Keep the number."""
    count = 0 if new is None else len(new.lines)
    return [
        Placement(path, line, Layer.DIFF) if line <= count and new is not None else _GONE
        for line in lines
    ]


def like_gerrit(
    path: str, old: TrackedText, new: TrackedText | None, lines: Sequence[int]
) -> list[Outcome]:
    """Carry lines over a diff that sees white space; a changed line is lost."""
    if new is None:
        return [_GONE] * len(lines)
    to_new = map_lines(_exact(old), _exact(new)).to_new
    targets = [to_new[line - 1] for line in lines]
    return [Placement(path, it + 1, Layer.DIFF) if it >= 0 else _GONE for it in targets]


def like_codestream(
    path: str, old: TrackedText, new: TrackedText | None, lines: Sequence[int]
) -> list[Outcome]:
    """Carry lines over a diff, and look for changed ones in all changes of the file."""
    if new is None:
        return [_GONE] * len(lines)
    line_map = map_lines(_exact(old), _exact(new))
    found: list[Outcome] = []
    for line in lines:
        target = line_map.to_new[line - 1]
        if target < 0:
            hunk = line_map.hunk_of(line - 1)
            target = _most_alike(old.lines[line - 1], new, hunk)
            if target < 0:
                target = _moved(old, new, line - 1, hunk, line_map.hunks)
        found.append(Placement(path, target + 1, Layer.DIFF) if target >= 0 else _GONE)
    return found


def _exact(document: TrackedText) -> list[int]:
    return [hash(line) for line in document.lines]


def _moved(old: TrackedText, new: TrackedText, line: int, hunk: Hunk, hunks: Sequence[Hunk]) -> int:
    deleted = _pairs("\n".join(old.lines[hunk.old_start : hunk.old_end]))
    rated = [
        (_dice(deleted, _pairs("\n".join(new.lines[it.new_start : it.new_end]))), it)
        for it in hunks
        if it.new_start < it.new_end
    ]
    for rating, candidate in sorted(rated, key=lambda it: -it[0]):
        if rating >= _MIN_CHANGE:
            target = _most_alike(old.lines[line], new, candidate)
            if target >= 0:
                return target
    return -1


def _most_alike(text: str, new: TrackedText, hunk: Hunk) -> int:
    pairs = _pairs(text)
    rated = [
        (_dice(pairs, _pairs(new.lines[it])), -it) for it in range(hunk.new_start, hunk.new_end)
    ]
    best = max(rated, default=(0.0, 1))
    return -best[1] if best[0] >= _MIN_LINE else -1


def _pairs(text: str) -> Counter[str]:
    squeezed = "".join(text.split())
    return Counter(squeezed[it : it + 2] for it in range(len(squeezed) - 1))


def _dice(first: Counter[str], second: Counter[str]) -> float:
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


RIVALS: dict[str, Rival] = {
    "line number": by_number,
    "Gerrit-like diff porting": like_gerrit,
    "CodeStream-like": like_codestream,
}
