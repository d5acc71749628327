"""Show how two texts differ, as a unified diff.

`difflib` has one, which takes hours for 100,000 lines of which many are equal.
"""

from collections.abc import Iterable, Iterator
from io import StringIO

from ._line_map import Hunk, map_lines

# Lines around a change that are shown.
_CONTEXT = 3


def unified_diff(before: str | None, after: str | None, path: str) -> str:
    """Return what changed in a file, as `git apply` reads it; empty when nothing did.

    None is a file that does not exist.
    """
    # Only at line feeds, as git does: `splitlines` also cuts at form feeds and others.
    old, new = (StringIO(it or "", newline="\n").readlines() for it in (before, after))
    numbers: dict[str, int] = {}
    keys = [[numbers.setdefault(it, len(numbers)) for it in lines] for lines in (old, new)]
    parts: list[str] = []
    for group in _groups(map_lines(keys[0], keys[1]).hunks):
        start = max(0, group[0].old_start - _CONTEXT)
        end = min(len(old), group[-1].old_end + _CONTEXT)
        shift = group[0].new_start - group[0].old_start
        new_end = group[-1].new_end + end - group[-1].old_end
        parts.append(f"@@ -{_range(start, end)} +{_range(start + shift, new_end)} @@\n")
        for hunk in group:
            parts += (f" {line}" for line in old[start : hunk.old_start])
            parts += (f"-{line}" for line in old[hunk.old_start : hunk.old_end])
            parts += (f"+{line}" for line in new[hunk.new_start : hunk.new_end])
            start = hunk.old_end
        parts += (f" {line}" for line in old[start:end])
    names = (
        ("/dev/null" if before is None else f"a/{path}"),
        ("/dev/null" if after is None else f"b/{path}"),
    )
    head = [f"--- {names[0]}\n", f"+++ {names[1]}\n"] if parts else []
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in (*head, *parts)
    ).rstrip("\n")


def _groups(hunks: Iterable[Hunk]) -> Iterator[list[Hunk]]:
    """Put hunks together whose context would overlap."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.old_start - group[-1].old_end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _range(start: int, end: int) -> str:
    """Return lines as a unified diff names them: from 1, and an empty range by the line before."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + bool(count)},{count}"


def count_lines(before: bytes, after: bytes) -> tuple[int, int]:
    """Return how many lines are added and deleted; a binary file has none."""
    if b"\0" in before or b"\0" in after:
        return 0, 0
    hunks = changed_hunks(before, after)
    added = sum(it.new_end - it.new_start for it in hunks)
    return added, sum(it.old_end - it.old_start for it in hunks)


def changed_hunks(before: bytes, after: bytes) -> tuple[Hunk, ...]:
    """Return the lines that differ; the line ends themselves, which git may convert, do not."""
    numbers: dict[bytes, int] = {}
    return map_lines(line_numbers(before, numbers), line_numbers(after, numbers)).hunks


def line_numbers(content: bytes, numbers: dict[bytes, int]) -> list[int]:
    """Return a number for each line; equal lines have the same one."""
    return [numbers.setdefault(line, len(numbers)) for line in lines_of(content)]


def lines_of(content: bytes) -> list[bytes]:
    """Return the lines of a text without their ends."""
    if not content:
        return []
    return [line.rstrip(b"\r") for line in content.removesuffix(b"\n").split(b"\n")]
