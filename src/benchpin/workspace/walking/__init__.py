"""Find the files of a tree, without what git ignores and without vendored code."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._folder_filter import (
        SCOPES,
        CodeScope,
        FolderFilter,
        PathFilter,
        ScopeChoice,
        WalkOptions,
        is_foreign_path,
        is_product_path,
        is_test_path,
        scope_of_path,
    )
    from ._folder_listings import FolderListings
    from ._ignore import IgnoreRules, byte_key, read_rules
    from ._repository_rules import MAX_BYTES, RepositoryRules, TrackedRules, is_repository
    from ._walk import SourceFile, Tree, WalkResult, walk

__all__ = [
    "MAX_BYTES",
    "SCOPES",
    "CodeScope",
    "FolderFilter",
    "FolderListings",
    "IgnoreRules",
    "PathFilter",
    "RepositoryRules",
    "ScopeChoice",
    "SourceFile",
    "TrackedRules",
    "Tree",
    "WalkOptions",
    "WalkResult",
    "byte_key",
    "is_foreign_path",
    "is_product_path",
    "is_repository",
    "is_test_path",
    "read_rules",
    "scope_of_path",
    "walk",
]

__getattr__ = lazy(__name__)
