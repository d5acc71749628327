"""Survey a repository, check its documents, rank its symbols and pack it for a model."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._commands import make_targets
    from ._facts import Depth, RepositoryFacts, cut_lists, describe
    from ._kinds import (
        CountedPaths,
        is_binary_name,
        is_documentation,
        is_generated,
        is_licence,
        language_of,
        language_of_script,
    )
    from ._licences import identify
    from ._outline import draw
    from ._ranking import find_focus, rank_symbols
    from ._structure import NOT_THE_PRODUCT
    from ._survey import read_manifests, survey
    from ._tree import MAX_TEXT_BYTES, RepositoryTree

__all__ = [
    "MAX_TEXT_BYTES",
    "NOT_THE_PRODUCT",
    "CountedPaths",
    "Depth",
    "RepositoryFacts",
    "RepositoryTree",
    "cut_lists",
    "describe",
    "draw",
    "find_focus",
    "identify",
    "is_binary_name",
    "is_documentation",
    "is_generated",
    "is_licence",
    "language_of",
    "language_of_script",
    "make_targets",
    "rank_symbols",
    "read_manifests",
    "survey",
]

__getattr__ = lazy(__name__)
