"""Find a line that moved, among the added lines of all changed files.

A line alone proves little: `return True` is everywhere. What counts is how much text moved with it,
without a gap, in letters and digits; `git blame -M -C` uses the same measure to tell moved code
from chance. We require half as much again, because a wrong place is worse than none, unless the
function around the line has the same name.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import PurePosixPath

from benchpin.facts.languages import is_candidate
from benchpin.workspace.diffs import LineMap, map_lines

from ._tracked_text import BLANK, TrackedText, weigh

# Letters and digits that must have moved together from one file to another.
MIN_WEIGHT = 60
# The same where the old text of the other file is not known: all of it may have been there.
_MIN_WEIGHT_UNSEEN = 140
# The same within a file.
_MIN_WEIGHT_WITHIN = 30
# This share of either is enough where the function around the line has the same name.
_SHARE_IN_SAME_FUNCTION = 2 / 3
# How many times the best block must outweigh the next one.
MIN_LEAD = 2.0
# The share of its lines that a renamed file must still have.
_MIN_INHERITED = 0.7
_MAX_REACH = 200
# Lighter lines are too common to choose files by.
_TELLING_WEIGHT = 12
_MAX_PLACES = 500
_MAX_FILES = 500


def _kind(path: str) -> str:
    """Return the kind of a file by its name; all code is one kind: it moves from `.c` to `.h`."""
    place = PurePosixPath(path)
    return "code" if place.suffix and is_candidate(place.name) else place.suffix


class MoveTarget:
    """A file that changed; its texts are read when they are needed."""

    def __init__(
        self,
        path: str,
        read_new: Callable[[], TrackedText | None],
        read_old: Callable[[], TrackedText | None] | None,
    ) -> None:
        """Take its present path and readers of both texts; a new file has no old text.

        Without a reader of the old text, any line may have been added.
        """
        self.path = path
        self._read_new = read_new
        self._read_old = read_old

    @cached_property
    def new(self) -> TrackedText:
        """The present text; an empty one when it cannot be read."""
        return self._read_new() or TrackedText(b"")

    @cached_property
    def added(self) -> frozenset[int]:
        """The added lines, counted from 0."""
        old = None if self._read_old is None else self._read_old()
        if old is None:
            return frozenset(range(len(self.new.lines)))
        return added_lines(map_lines(old.keys, self.new.keys))

    @property
    def least_weight(self) -> int:
        """How many letters and digits must have moved here together."""
        return _MIN_WEIGHT_UNSEEN if self._read_old is None else MIN_WEIGHT

    @cached_property
    def added_keys(self) -> frozenset[int]:
        """The keys of the added lines."""
        return frozenset(self.new.keys[line] for line in self.added)


def added_lines(line_map: LineMap) -> frozenset[int]:
    """Return the new lines without a counterpart, counted from 0."""
    return frozenset(
        line for hunk in line_map.hunks for line in range(hunk.new_start, hunk.new_end)
    )


@dataclass(frozen=True, slots=True)
class Destination:
    """A line, counted from 0, to which an old one may have moved."""

    path: str
    line: int
    weight: int
    """Letters and digits of the block that is in both places."""


@dataclass(frozen=True, slots=True)
class Removed:
    """Lines of a text, counted from 0, that are no longer in their place."""

    base: TrackedText
    lines: frozenset[int]

    def needles(self, line: int) -> list[str]:
        """Return texts of which the target has one: the line, or the neighbours of a light line.

        Searching for them in the bytes of a file is much cheaper than splitting it into lines.
        """
        text = self.base.lines[line]
        if weigh(text) >= _TELLING_WEIGHT:
            return [text.strip()]
        beside = (next(_beside(self.base.keys, self.lines, line, step), None) for step in (-1, 1))
        return [self.base.lines[it].strip() for it in beside if it is not None]


def find_destinations(
    removed: Removed, line: int, path: str, files: Sequence[MoveTarget]
) -> list[Destination]:
    """Return where a removed line may have gone, the heaviest block first."""
    key = removed.base.keys[line]
    needles = [it.encode() for it in removed.needles(line)]
    found = [
        Destination(file.path, place, _block_weight(removed, file, line, place))
        for file in nearest_files(path, files)
        if any(needle in file.new.text for needle in needles)
        for place in file.new.places.get(key, ())[:_MAX_PLACES]
        if place in file.added
    ]
    return sorted(found, key=lambda it: (-it.weight, it.path, it.line))


def nearest_files(
    path: str, files: Iterable[MoveTarget], most: int = _MAX_FILES
) -> list[MoveTarget]:
    """Return the files of the same kind; of too many, those with the longest common path."""
    kind = _kind(path)
    alike = [it for it in files if _kind(it.path) == kind]
    if len(alike) <= most:
        return alike

    def distance(file: MoveTarget) -> tuple[int, int, str]:
        return -len(posixpath.commonpath((path, file.path))), file.path.count("/"), file.path

    return sorted(alike, key=distance)[:most]


def find_renamed(base: TrackedText, path: str, files: Iterable[MoveTarget]) -> MoveTarget | None:
    """Return the file that shares enough lines with a deleted one to be that file."""
    keys = [key for key in base.keys if key != BLANK]
    shares = [
        (sum(key in file.added_keys for key in keys), file) for file in nearest_files(path, files)
    ]
    share, renamed = max(shares, key=lambda it: it[0], default=(0, None))
    return renamed if share >= _MIN_INHERITED * len(keys) and share else None


def choose_destination(
    removed: Removed, line: int, path: str, files: Sequence[MoveTarget]
) -> tuple[Destination | None, list[Destination]]:
    """Return where a line moved, None when that is not certain, and all candidates."""
    found = find_destinations(removed, line, path, files)
    if not found or (len(found) > 1 and found[0].weight < MIN_LEAD * found[1].weight):
        return None, found
    best = found[0]
    file = next(it for it in files if it.path == best.path)
    least = _MIN_WEIGHT_WITHIN if best.path == path else file.least_weight
    is_moved = best.weight >= least or (
        best.weight >= least * _SHARE_IN_SAME_FUNCTION
        and _is_in_same_function(removed, line, best, file.new)
    )
    return (best if is_moved else None), found


def _is_in_same_function(removed: Removed, line: int, found: Destination, new: TrackedText) -> bool:
    """Whether the functions around both lines have the same name."""
    name = removed.base.symbol_path(line + 1).rpartition(".")[2]
    return bool(name) and new.symbol_path(found.line + 1).rpartition(".")[2] == name


def _block_weight(removed: Removed, file: MoveTarget, line: int, target: int) -> int:
    beside = (_together(removed, file, line, target, step) for step in (-1, 1))
    return sum(weigh(file.new.lines[it]) for it in (target, *chain.from_iterable(beside)))


def _together(
    removed: Removed, file: MoveTarget, line: int, target: int, step: int
) -> Iterator[int]:
    """Yield the added lines beside one that were removed beside the other, without a gap."""
    old, new = removed.base.keys, file.new.keys
    old_rest = _beside(old, removed.lines, line, step)
    new_rest = _beside(new, file.added, target, step)
    for old_at, new_at in zip(old_rest, new_rest, strict=False):
        if old[old_at] != new[new_at]:
            return
        yield new_at


def _beside(keys: Sequence[int], among: frozenset[int], line: int, step: int) -> Iterator[int]:
    """Yield the non-blank lines next to a line, up to the first that is not in `among`."""
    end = line + step * _MAX_REACH
    for at in range(line + step, max(-1, min(end, len(keys))), step):
        if keys[at] != BLANK:
            if at not in among:
                return
            yield at
