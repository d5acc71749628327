"""Recognise files that were renamed: one is gone, and a similar one is new."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from benchpin.workspace.diffs import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._deltas import FileDelta

# Deleted files that a new one is compared with.
MAX_COMPARED_FILES = 50
# The share of equal lines from which a file counts as renamed: git's own limit.
MIN_SIMILARITY = 0.5


def similarity(one: bytes, other: bytes) -> float:
    """Return the share of equal lines of two texts."""
    lines = [Counter(lines_of(it)) for it in (one, other)]
    most = max(it.total() for it in lines)
    return (lines[0] & lines[1]).total() / most if most else 0.0


def pair_renames(deltas: Iterable[FileDelta]) -> tuple[FileDelta, ...]:
    """Return the deltas with each pair of a deleted file and a similar new one as one rename."""
    found = {it.path: it for it in deltas}
    gone = {path: it for path, it in found.items() if it.after is None and it.before is not None}
    for path, new in list(found.items()):
        if new.before is not None or new.after is None:
            continue
        place = PurePosixPath(path)
        candidates = [it for it in gone if PurePosixPath(it).suffix == place.suffix]
        candidates.sort(key=lambda it: (PurePosixPath(it).name != place.name, it))
        after = new.after
        scored = [
            (similarity(gone[it].before or b"", after), it)
            for it in candidates[:MAX_COMPARED_FILES]
        ]
        score, old = max(scored, default=(0.0, ""))
        if score >= MIN_SIMILARITY:
            found[path] = replace(new, before=gone.pop(old).before, old_path=old)
            del found[old]
    return tuple(found[path] for path in sorted(found))
