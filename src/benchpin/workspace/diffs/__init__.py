"""Differences between texts: which lines correspond, and the diffs that programs exchange."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._line_map import Hunk, LineMap, map_lines, slide_blocks
    from ._patch import MAX_CHARS, FilePatch, apply_patch, is_applied, read_patch
    from ._unified import changed_hunks, count_lines, line_numbers, lines_of, unified_diff

__all__ = [
    "MAX_CHARS",
    "FilePatch",
    "Hunk",
    "LineMap",
    "apply_patch",
    "changed_hunks",
    "count_lines",
    "is_applied",
    "line_numbers",
    "lines_of",
    "map_lines",
    "read_patch",
    "slide_blocks",
    "unified_diff",
]

__getattr__ = lazy(__name__)
