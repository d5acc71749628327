"""Count the lines that a change adds and deletes, as `git diff --numstat` does."""

from ._line_map import Hunk, map_lines


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
