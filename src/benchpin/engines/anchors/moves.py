"""Find a line that went elsewhere: among the lines that were added, with the block around it.

A line alone proves little: `return True` stands everywhere. What counts is how much text went with
it, in the same order. The measure and its least amount, letters and digits of the block, are those
by which `git blame -C` tells moved code from chance.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from .diffing import LineMap, map_lines
from .document import Document, weigh

MIN_WEIGHT = 40
"""Letters and digits that must have moved together; git-blame(1) has the same default for -C."""
MIN_LEAD = 2.0
"""By how many times the best block must outweigh the next one."""
_MIN_PROBE_WEIGHT = 8
_MAX_REACH = 200
_MAX_SKIP = 2
_MAX_PLACES = 500


class ChangedFile:
    """A file that is not what it was; its texts are read when they are needed."""

    def __init__(
        self,
        path: str,
        read_new: Callable[[], Document],
        read_old: Callable[[], Document | None],
    ) -> None:
        """Say where it is now, what it says, and what it said; None for a file that is new."""
        self.path = path
        self._read_new = read_new
        self._read_old = read_old

    @cached_property
    def new(self) -> Document:
        """Return the text that it has now."""
        return self._read_new()

    @cached_property
    def added(self) -> frozenset[int]:
        """Return the lines that it did not have, from 0."""
        old = self._read_old()
        if old is None:
            return frozenset(range(len(self.new.lines)))
        return added_lines(map_lines(old.squeezed, self.new.squeezed))


def added_lines(line_map: LineMap) -> frozenset[int]:
    """Return the new lines that have no counterpart, from 0."""
    return frozenset(
        line for hunk in line_map.hunks for line in range(hunk.new_start, hunk.new_end)
    )


@dataclass(frozen=True, slots=True)
class Destination:
    """A line, counted from 0, to which an old one may have moved."""

    path: str
    line: int
    weight: int
    """Letters and digits of the lines that are there too, in order."""


@dataclass(frozen=True)
class Removed:
    """Lines of a document that are not in its place any more."""

    document: Document
    lines: frozenset[int]

    def probe(self, line: int) -> int:
        """Return the line by which another one is looked for: itself, or a telling neighbour."""
        squeezed = self.document.squeezed
        near = [it for it in range(line - _MAX_SKIP, line + _MAX_SKIP + 1) if it in self.lines]
        return max(near, key=lambda it: (min(weigh(squeezed[it]), _MIN_PROBE_WEIGHT), it == line))


def find_destinations(
    removed: Removed, line: int, path: str, files: Sequence[ChangedFile]
) -> list[Destination]:
    """Return where a removed line may have gone, the heaviest block first."""
    squeezed = removed.document.squeezed
    probe = removed.probe(line)
    if weigh(squeezed[probe]) < _MIN_PROBE_WEIGHT:
        return []
    needle = removed.document.lines[probe].strip().encode()
    suffix = PurePosixPath(path).suffix
    found = []
    for file in files:
        if PurePosixPath(file.path).suffix != suffix or needle not in file.new.text:
            continue
        for place in file.new.places.get(squeezed[probe], ())[:_MAX_PLACES]:
            target = place + line - probe
            if target in file.added and file.new.squeezed[target] == squeezed[line]:
                weight = _block_weight(removed, file, line, target)
                found.append(Destination(file.path, target, weight))
    return sorted(found, key=lambda it: (-it.weight, it.path, it.line))


def choose_destination(found: Sequence[Destination]) -> Destination | None:
    """Return the best destination when it is heavy enough and clearly ahead."""
    if not found or found[0].weight < MIN_WEIGHT:
        return None
    if len(found) > 1 and found[0].weight < MIN_LEAD * found[1].weight:
        return None
    return found[0]


def _block_weight(removed: Removed, file: ChangedFile, line: int, target: int) -> int:
    squeezed = removed.document.squeezed
    return weigh(squeezed[line]) + sum(
        weigh(squeezed[place])
        for step in (-1, 1)
        for place in _together(removed, file, line, target, step)
    )


def _together(
    removed: Removed, file: ChangedFile, line: int, target: int, step: int
) -> Iterator[int]:
    """Give the removed lines beside one that are added beside the other, in order."""
    old, new = removed.document.squeezed, file.new.squeezed
    old_rest = _beside(old, removed.lines, line, step)
    new_rest = _beside(new, file.added, target, step)
    old_at = new_at = 0
    while old_at < len(old_rest) and new_at < len(new_rest):
        skip = _next_match(
            [old[it] for it in old_rest[old_at : old_at + _MAX_SKIP + 1]],
            [new[it] for it in new_rest[new_at : new_at + _MAX_SKIP + 1]],
        )
        if skip is None:
            return
        old_at, new_at = old_at + skip[0], new_at + skip[1]
        yield old_rest[old_at]
        old_at, new_at = old_at + 1, new_at + 1


def _beside(squeezed: Sequence[str], among: frozenset[int], line: int, step: int) -> list[int]:
    """Return the lines that say something, from a line on, as far as all are among others."""
    found = []
    at = line + step
    while 0 <= at < len(squeezed) and len(found) < _MAX_REACH and (at in among or not squeezed[at]):
        if squeezed[at]:
            found.append(at)
        at += step
    return found


def _next_match(old: Sequence[str], new: Sequence[str]) -> tuple[int, int] | None:
    """Return how many lines to skip on either side until both agree, the fewest first."""
    skips = ((a, b) for a in range(len(old)) for b in range(len(new)) if old[a] == new[b])
    return min(skips, key=lambda it: (it[0] + it[1], it), default=None)
