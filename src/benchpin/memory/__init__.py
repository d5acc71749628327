"""What is remembered above files: results of measures, by the content they were computed from."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._file_measures import FileMeasure
    from ._measures import Inputs, Measure
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
    "FileMeasure",
    "Inputs",
    "Measure",
    "Reduction",
    "engines_version",
    "key_digest",
    "newest_result",
    "open_reductions",
    "remember",
    "was_kept",
]

__getattr__ = lazy(
    __name__,
    """
    _file_measures: FileMeasure
    _measures: Inputs Measure
    _reductions: Reduction engines_version key_digest newest_result open_reductions remember
        was_kept
    """,
)
