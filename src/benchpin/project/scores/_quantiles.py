"""How a value compares with those of public projects.

The table was measured by `bench/health_quantiles.py`; docs/metrics.md shows it.
"""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import groupby
from typing import Literal

PartName = Literal[
    "complexity",
    "maintainability",
    "duplication",
    "coverage",
    "modularity",
    "debt_comments",
    "dead_code",
    "defects",
]


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split()))


# How many projects were measured; their languages are in docs/metrics.md.
PROJECTS = 160
# The lowest value of each part, the values that 5 %, 10 % … 95 % of the projects are below, and the
# highest.
QUANTILES: Mapping[PartName, tuple[float, ...]] = {
    "complexity": _numbers(
        "36.9 50.1 55.12 57.02 59.11 60.98 62.32 63.25 65.56 66.92 67.94 68.84 "
        "69.85 71.01 72.89 74.86 76.4 78.05 80.82 84.07 90.91"
    ),
    "maintainability": _numbers(
        "0 5.756 7.758 9.161 11.28 13.14 14.69 16.98 18.27 19.48 21.53 23.37 "
        "24.64 26.86 28.42 29.93 32.74 35.5 42.9 47.27 61.41"
    ),
    "duplication": _numbers(
        "0 0 1.202 1.479 1.727 2.055 2.377 2.691 2.905 3.336 3.645 4.691 "
        "5.408 5.998 6.737 7.876 9.051 11.74 13.82 16.57 35.15"
    ),
    "modularity": _numbers(
        "0 0 0 0 0 0 0 0 0 0 0 0 0.763 1.485 3.38 5.866 7.559 9.475 10.77 15.84 25.93"
    ),
    "debt_comments": _numbers(
        "0 0 0 0.0167 0.1318 0.2387 0.2864 0.3233 0.4398 0.61 0.7065 0.9044 "
        "1.099 1.391 1.508 1.572 1.773 2.121 2.392 3.008 6.142"
    ),
    "dead_code": _numbers(
        "0 0 0 0 0 0 0 0 0 0 0 0.00045 0.0286 0.09475 0.1836 0.3825 0.899 1.118 1.909 5.379 40.97"
    ),
}
_UNITS: Mapping[PartName, str] = {
    "complexity": "of 100",
    "maintainability": "of 100",
    "duplication": "% of the lines",
    "modularity": "% of the imports between parts",
    "debt_comments": "hours for 1,000 lines",
    "dead_code": "% of the lines",
}
_HIGH_IS_GOOD = frozenset({"complexity", "maintainability", "coverage"})
_STEP = 5  # % of the projects
_MAX = 100.0
# The score of the worst project that was measured; what is worse still nears 0.
_LAST = 1.0


def standing(part: PartName, value: float) -> float:
    """Return a score: the share of projects with a worse value, in percent.

    It changes as little as the value does: where many projects have the same value, such as 0, that
    value has the best score, and those up to the next quantile are between the two. A part without
    a table is a share of the code, and is its own score.
    """
    if part not in QUANTILES:
        return value if part in _HIGH_IS_GOOD else 100 - value
    values, shares = _curve(part)
    is_high = part in _HIGH_IS_GOOD
    if value < values[0] and is_high:
        return _LAST * value / values[0]
    if value > values[-1] and not is_high:
        return _LAST * values[-1] / value
    at = bisect_right(values, value)
    if at == len(values) or at == 0:
        share = shares[at - 1] if at else shares[0]
    else:
        way = (value - values[at - 1]) / (values[at] - values[at - 1])
        share = shares[at - 1] + way * (shares[at] - shares[at - 1])
    return _LAST + (share if is_high else _MAX - share) * (_MAX - _LAST) / _MAX


def _curve(part: PartName) -> tuple[list[float], list[float]]:
    """Return the distinct quantiles, and the share of projects below each."""
    steps = list(enumerate(QUANTILES[part]))
    values, shares = [], []
    for value, run in groupby(steps, key=lambda it: it[1]):
        numbers = [at for at, _ in run]
        # What many projects have in common at an end of the table is the best or the worst.
        at = numbers[-1] if numbers[-1] == len(steps) - 1 else numbers[0]
        values.append(value)
        shares.append(float(_STEP * at))
    return values, shares


def usual_range(part: PartName) -> str:
    """Return the values of the middle half of the projects; empty without a table."""
    if part not in QUANTILES:
        return ""
    known = QUANTILES[part]
    low, high = known[len(known) // 4], known[3 * len(known) // 4]
    return f"{low:.3g} to {high:.3g} {_UNITS[part]}"
