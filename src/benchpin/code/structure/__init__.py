"""Search and rewrite code by its structure: patterns of code with metavariables."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._match_worker import FileMatches
    from ._matcher import check_pattern, open_matcher
    from ._pattern import MAX_CHARS

__all__ = ["MAX_CHARS", "FileMatches", "check_pattern", "open_matcher"]

__getattr__ = lazy(__name__)
