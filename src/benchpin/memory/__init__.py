"""What is remembered above files: results of measures, by the content they were computed from."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._measures import Inputs, Measure
    from ._reductions import (
        Reduction,
        key_digest,
        newest_result,
        open_reductions,
        remember,
        was_kept,
    )

__all__ = [
    "Inputs",
    "Measure",
    "Reduction",
    "key_digest",
    "newest_result",
    "open_reductions",
    "remember",
    "was_kept",
]

__getattr__ = lazy(__name__)
