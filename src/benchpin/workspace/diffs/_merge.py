"""Merge two changed versions of a text, as `git merge-file` does, to the byte.

Written by hand: merging must work where git is not installed, and the merge libraries on PyPI
choose other lines than git where a text repeats itself.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ._line_map import Hunk
from ._shortest import shortest_edit

# Two conflicts with at most this many common lines between them are shown as one.
_NEAR = 3
_has_word = re.compile(rb"[0-9A-Za-z]").search


class Merged(NamedTuple):
    """The merged text, and how many conflicts are marked in it."""

    content: bytes
    conflicts: int


class _Whose(Enum):
    OURS = "ours"
    THEIRS = "theirs"
    CONFLICT = "conflict"
    SAME = "same"


@dataclass(slots=True)
class _Part:
    """Changed lines, by where they are in our text and in theirs; the ends are excluded."""

    whose: _Whose
    ours: int
    ours_end: int
    theirs: int
    theirs_end: int


def merge_texts(base: bytes, ours: bytes, theirs: bytes, *, labels: tuple[str, str]) -> Merged:
    """Return our text with what changed from `base` to `theirs`.

    Where both changed the same lines, both versions are in the result between marks;
    `labels` follow the first mark and the last.
    """
    return _Merge(base, ours, theirs).run(labels)


class _Merge:
    def __init__(self, base: bytes, ours: bytes, theirs: bytes) -> None:
        self._base, self._ours, self._theirs = map(_lines_of, (base, ours, theirs))
        numbers: dict[bytes, int] = {}
        keys = [
            [numbers.setdefault(line, len(numbers)) for line in lines]
            for lines in (self._base, self._ours, self._theirs)
        ]
        self._base_keys, self._our_keys, self._their_keys = keys

    def run(self, labels: tuple[str, str]) -> Merged:
        our_changes = shortest_edit(self._base_keys, self._our_keys)
        their_changes = shortest_edit(self._base_keys, self._their_keys)
        if not our_changes:
            return Merged(b"".join(self._theirs), 0)
        if not their_changes:
            return Merged(b"".join(self._ours), 0)
        parts: list[_Part] = []
        for part in self._parts(our_changes, their_changes):
            _append(parts, part)
        parts = self._joined([piece for it in parts for piece in self._narrowed(it)])
        content = b"".join(self._written(parts, labels))
        return Merged(content, sum(it.whose is _Whose.CONFLICT for it in parts))

    def _parts(self, ours: Sequence[Hunk], theirs: Sequence[Hunk]) -> Iterator[_Part]:
        """Pair the changes of both sides by the lines of the base that they replace."""
        left = right = our_shift = their_shift = 0
        while left < len(ours) or right < len(theirs):
            mine = ours[left] if left < len(ours) else None
            other = theirs[right] if right < len(theirs) else None
            if mine is not None and (other is None or mine.old_end < other.old_start):
                at = mine.old_start + their_shift
                end = mine.old_end + their_shift
                yield _Part(_Whose.OURS, mine.new_start, mine.new_end, at, end)
                left, our_shift = left + 1, mine.new_end - mine.old_end
            elif other is not None and (mine is None or other.old_end < mine.old_start):
                at = other.old_start + our_shift
                end = other.old_end + our_shift
                yield _Part(_Whose.THEIRS, at, end, other.new_start, other.new_end)
                right, their_shift = right + 1, other.new_end - other.old_end
            elif mine is not None and other is not None:
                if not self._is_same(mine, other):
                    yield _both(mine, other)
                if mine.old_end >= other.old_end:
                    right, their_shift = right + 1, other.new_end - other.old_end
                if other.old_end >= mine.old_end:
                    left, our_shift = left + 1, mine.new_end - mine.old_end

    def _is_same(self, mine: Hunk, other: Hunk) -> bool:
        return (mine.old_start, mine.old_end) == (other.old_start, other.old_end) and (
            self._our_keys[mine.new_start : mine.new_end]
            == self._their_keys[other.new_start : other.new_end]
        )

    def _narrowed(self, part: _Part) -> Iterator[_Part]:
        """Split a conflict where both sides have the same lines."""
        is_empty = part.ours == part.ours_end or part.theirs == part.theirs_end
        if part.whose is not _Whose.CONFLICT or is_empty:
            yield part
            return
        hunks = shortest_edit(
            self._our_keys[part.ours : part.ours_end],
            self._their_keys[part.theirs : part.theirs_end],
        )
        if not hunks:
            part.whose = _Whose.SAME
            yield part
        for hunk in hunks:
            yield _Part(
                _Whose.CONFLICT,
                part.ours + hunk.old_start,
                part.ours + hunk.old_end,
                part.theirs + hunk.new_start,
                part.theirs + hunk.new_end,
            )

    def _joined(self, parts: Sequence[_Part]) -> list[_Part]:
        """Join conflicts that have only a few lines, or no words, between them."""
        joined: list[_Part] = []
        for part in parts:
            last = joined[-1] if joined else None
            if last is not None and last.whose is part.whose is _Whose.CONFLICT:
                between = self._ours[last.ours_end : part.ours]
                if len(between) <= _NEAR or not any(map(_has_word, between)):
                    last.ours_end, last.theirs_end = part.ours_end, part.theirs_end
                    continue
            joined.append(part)
        return joined

    def _written(self, parts: Sequence[_Part], labels: tuple[str, str]) -> Iterator[bytes]:
        done = 0
        for part in parts:
            if part.whose is _Whose.SAME:
                continue  # our lines are theirs
            yield from self._ours[done : part.ours]
            done = part.ours_end
            mine = self._ours[part.ours : part.ours_end]
            other = self._theirs[part.theirs : part.theirs_end]
            if part.whose is _Whose.OURS:
                yield from mine
            elif part.whose is _Whose.THEIRS:
                yield from other
            else:
                end = self._line_end(part)
                yield b"<<<<<<< " + labels[0].encode() + end
                yield from _ended(mine, end)
                yield b"=======" + end
                yield from _ended(other, end)
                yield b">>>>>>> " + labels[1].encode() + end
        yield from self._ours[done:]

    def _line_end(self, part: _Part) -> bytes:
        """Return CRLF if the base has it, and neither side ends the line before otherwise."""
        is_crlf = (
            _uses_crlf(self._ours, max(0, part.ours - 1)) is not False
            and _uses_crlf(self._theirs, max(0, part.theirs - 1)) is not False
            and _uses_crlf(self._base, 0) is True
        )
        return b"\r\n" if is_crlf else b"\n"


def _lines_of(content: bytes) -> list[bytes]:
    """Return the lines with their ends; only a line feed ends one, unlike `splitlines`."""
    *whole, last = content.split(b"\n")
    return [*(it + b"\n" for it in whole), *([last] if last else [])]


def _both(mine: Hunk, other: Hunk) -> _Part:
    """Return the conflict of two changes that touch: each widened to the lines of both."""
    before = mine.old_start - other.old_start
    after = mine.old_end - other.old_end
    return _Part(
        _Whose.CONFLICT,
        mine.new_start - max(0, before),
        mine.new_end + max(0, -after),
        other.new_start - max(0, -before),
        other.new_end + max(0, after),
    )


def _append(parts: list[_Part], part: _Part) -> None:
    """Add a part; one that touches the last becomes part of it."""
    last = parts[-1] if parts else None
    if last is None or (part.ours > last.ours_end and part.theirs > last.theirs_end):
        parts.append(part)
        return
    if last.whose is not part.whose:
        last.whose = _Whose.CONFLICT
    last.ours_end, last.theirs_end = part.ours_end, part.theirs_end


def _ended(lines: Sequence[bytes], end: bytes) -> Iterator[bytes]:
    """Yield lines; a last one without a line end gets one, since a mark follows."""
    yield from lines
    if lines and not lines[-1].endswith(b"\n"):
        yield end


def _uses_crlf(lines: Sequence[bytes], at: int) -> bool | None:
    """Whether a line ends in CRLF; None when there is no line end to judge by."""
    if not lines:
        return None
    if lines[at].endswith(b"\n"):
        return lines[at].endswith(b"\r\n")
    return lines[at - 1].endswith(b"\r\n") if at else None
