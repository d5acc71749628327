"""What functions accept and return, and whether calls fit it."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._accepts import defaults_of, made_of, result_of
    from ._misfits import (
        Misfit,
        callee_at,
        fewest_of,
        find_misfits,
        leaves_out,
        misfit_at,
        misfit_if,
        order_of,
        positional_at,
        takes,
    )
    from ._swapped import moved_at, swapped_at

__all__ = [
    "Misfit",
    "callee_at",
    "defaults_of",
    "fewest_of",
    "find_misfits",
    "leaves_out",
    "made_of",
    "misfit_at",
    "misfit_if",
    "moved_at",
    "order_of",
    "positional_at",
    "result_of",
    "swapped_at",
    "takes",
]

__getattr__ = lazy(__name__)
