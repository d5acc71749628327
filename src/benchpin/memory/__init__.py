"""What is remembered above files: results of measures, by the content they were computed from."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._file_values import FileValues, values_of_files
    from ._reductions import (
        Reduction,
        engines_version,
        key_digest,
        newest_result,
        open_reductions,
        remember,
        was_kept,
    )

__all__ = [
    "FileValues",
    "Reduction",
    "engines_version",
    "key_digest",
    "newest_result",
    "open_reductions",
    "remember",
    "values_of_files",
    "was_kept",
]

__getattr__ = lazy(
    __name__,
    """
    _file_values: FileValues values_of_files
    _reductions: Reduction engines_version key_digest newest_result open_reductions remember
        was_kept
    """,
)
