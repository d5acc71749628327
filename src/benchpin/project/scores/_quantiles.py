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
PROJECTS = 214
# The lowest value of each part, the values that 5 %, 10 % … 95 % of the projects are below, and the
# highest.
QUANTILES: Mapping[PartName, tuple[float, ...]] = {
    "complexity": _numbers(
        "36.9 50.7 55.3 57 59.4 61.1 62.4 64.7 66.1 67 68 68.9 69.9 71.2 72.9 74.9 76.5 "
        "77.9 80.8 83.8 90.9"
    ),
    "maintainability": _numbers(
        "0 6.08 7.92 9.91 12.4 13.4 14.7 17 18.2 19 21 22.9 24.1 26.8 28.2 30 33.4 35.5 "
        "41.4 46.8 61.4"
    ),
    "duplication": _numbers(
        "0 0 0.449 1.15 1.28 1.48 1.82 2.16 2.49 2.73 3.09 4.01 4.46 5.5 6 6.64 8.8 10.3 "
        "13.9 19.4 39.9"
    ),
    "modularity": _numbers("0 0 0 0 0 0 0 0 0 0 0 2.27 6.45 11.8 23 35.2 40 47.7 61.5 67.2 96.5"),
    "debt_comments": _numbers(
        "0 0 0 0.0169 0.15 0.256 0.312 0.363 0.537 0.635 0.728 0.904 1.09 1.34 1.51 1.58 "
        "1.8 2.21 2.45 3.65 15.6"
    ),
    "dead_code": _numbers(
        "0 0 0 0 0 0 0 0 0 0 0 0 0.0274 0.065 0.151 0.374 0.905 1.33 2.25 5.87 41"
    ),
}
_UNITS: Mapping[PartName, str] = {
    "complexity": "of 100",
    "maintainability": "of 100",
    "duplication": "% of the lines",
    "modularity": "% of the files",
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
