"""The passages of code that pages show, bounded."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchpin.code import SourceText
from benchpin.present import Excerpt, ExcerptGroup

# The limit of one page; the tables have the rest.
_MAX_GROUPS = 30
_MAX_LINES = 40
# The limit of one line: minified code is no use to a reader.
_MAX_CHARS = 240


class Passage(NamedTuple):
    """Lines of a file, and which of them to mark."""

    file: str
    line: int
    end_line: int
    marked: Iterable[int]


def excerpt_groups(
    root: Path, groups: Iterable[tuple[str, Iterable[Passage]]]
) -> list[ExcerptGroup]:
    """Return titles with lines of files as they are now; none of those that cannot be read."""
    source = SourceText(root)
    return [
        ExcerptGroup(title, [_excerpt(source, it) for it in passages])
        for title, passages in islice(groups, _MAX_GROUPS)
    ]


def _excerpt(source: SourceText, passage: Passage) -> Excerpt:
    first = max(passage.line, 1)
    last = min(passage.end_line, first + _MAX_LINES - 1)
    lines = [it[:_MAX_CHARS] for it in source.lines(passage.file)[first - 1 : last]]
    if passage.end_line > last and lines:
        lines.append(f"… {passage.end_line - last:,} more lines")
    return Excerpt(passage.file, first, lines, frozenset(passage.marked))
