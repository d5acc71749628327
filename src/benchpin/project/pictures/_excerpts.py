"""Read the passages of code that pages show, bounded."""

from collections.abc import Iterable

from benchpin.code import SourceText
from benchpin.present import Excerpt

# The limit of one page; the tables have the rest.
MAX_GROUPS = 30
_MAX_LINES = 40
# The limit of one line: minified code is no use to a reader.
_MAX_CHARS = 240


def excerpt(
    source: SourceText, file: str, line: int, end_line: int, marked: Iterable[int] = ()
) -> Excerpt:
    """Return lines of a file as they are now; none if it cannot be read."""
    first = max(line, 1)
    last = min(end_line, first + _MAX_LINES - 1)
    lines = [it[:_MAX_CHARS] for it in source.lines(file)[first - 1 : last]]
    if end_line > last and lines:
        lines.append(f"… {end_line - last:,} more lines")
    return Excerpt(file, first, lines, frozenset(marked))
