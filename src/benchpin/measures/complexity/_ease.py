"""How easy functions are to follow, from 0 to 100."""

import math
from collections.abc import Iterable, Sequence

from benchpin.facts import Function

from ._complexity import Thresholds

_THRESHOLDS = Thresholds()


def over_threshold(cyclomatic: int, cognitive: int) -> float:
    """Return how complex a function is, as a multiple of the threshold that is nearer."""
    return max(cyclomatic / _THRESHOLDS.cyclomatic, cognitive / _THRESHOLDS.cognitive)


def falling(value: float, half: float) -> float:
    """Return 100 for 0, 50 for `half`, and less for larger values."""
    return 100 / (1 + value / half)


def weighted_ease(function: Function) -> float:
    """Return how easy a function is to follow, 50 at the thresholds, times its lines of code."""
    return function.code_lines * falling(
        over_threshold(function.cyclomatic, function.cognitive), 1.0
    )


def mean_ease(weighted: Iterable[float], code_lines: int) -> float | None:
    """Return the mean of functions that have so many lines of code; None for none."""
    return math.fsum(weighted) / code_lines if code_lines else None


def simplicity(functions: Sequence[Function]) -> float | None:
    """Return how easy functions are to follow, from 0 to 100; 50 is at the thresholds.

    The mean, weighted by lines of code; None without functions.
    """
    return mean_ease(map(weighted_ease, functions), sum(it.code_lines for it in functions))
