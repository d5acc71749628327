"""Decide from pairs of runs whether the second program is slower, faster or neither.

The logarithms of the values are compared by two rank tests, which need no assumption about the
noise and which a few disturbed runs cannot turn:

- Wilcoxon's signed-rank test of the differences within pairs. The order in a pair is drawn, so
  without a difference each sign is a fair coin whatever the machine does. It needs 13 pairs.
- Mann and Whitney's test of the two groups. It is weaker where the machine drifts, but sees a
  large difference in 8 pairs.

Each yields a confidence interval (Hodges and Lehmann); the result is where both overlap. After each
of `LOOKS` pairs the interval is computed, and measuring ends when it is clear. Looking up to seven
times would find something by chance more often, so each look uses `ALPHA` (Bonferroni): without a
difference a wrong claim has a probability of at most 2 tests x 7 looks x 0.0003 = 0.4 %, and less
because looks share their runs.

This file is also sent into the sandbox as text, and runs there without Benchpin.
"""

from math import comb, exp, log
from statistics import median
from typing import NamedTuple

# Pairs after which to look; the last is the most that are measured.
LOOKS = (8, 13, 20, 30, 45, 60)
# Two-sided, for each test at each look.
ALPHA = 0.0003
# The widest interval, as a factor, that still counts as "no difference"; wider ones are unclear.
_WIDE = log(1.05)
# Counts of instructions: how many times its noise a difference has to be.
_NOISE_FACTOR = 5
_MIN_EXACT_PAIRS = 3


class RankedChange(NamedTuple):
    """How the second program differs from the first, as a share: 0.05 is 5 % more."""

    verdict: str
    """`slower`, `faster`, `no_difference` or `unclear`."""
    estimate: float
    low: "float | None"
    """With `high` an interval; None where there are too few pairs for one."""
    high: "float | None"

    @property
    def is_clear(self) -> bool:
        return self.verdict in {"slower", "faster"}


def decide(
    before: "list[float]", after: "list[float]", min_share: float, *, is_exact: bool = False
) -> RankedChange:
    """Compare as many values of each side, in pairs; `is_exact` for counts of instructions.

    A change below `min_share` is never claimed.
    """
    if not before or min(*before, *after) <= 0:
        return RankedChange("unclear", 0.0, None, None)
    first, second = [log(it) for it in before], [log(it) for it in after]
    within = [there - here for here, there in zip(first, second)]  # noqa: B905 - of equal length
    found = _counted(first, second, within) if is_exact else _interval(first, second, within)
    limit = log(1 + min_share)
    if found is None:
        return RankedChange("unclear", exp(median(within)) - 1, None, None)
    low, estimate, high = found
    if low > 0 and estimate >= limit:
        verdict = "slower"
    elif high < 0 and estimate <= -limit:
        verdict = "faster"
    else:
        wide = max(limit, _WIDE)
        verdict = "no_difference" if -wide < low and high < wide else "unclear"
    return RankedChange(verdict, exp(estimate) - 1, exp(low) - 1, exp(high) - 1)


def is_settled(change: RankedChange, min_share: float) -> bool:
    """Whether more runs would tell nothing: it is clear, or smaller than what is of interest."""
    if change.low is None or change.high is None:
        return False
    limit = log(1 + min_share)
    return change.is_clear or (log(1 + change.low) > -limit and log(1 + change.high) < limit)


def _interval(
    first: "list[float]", second: "list[float]", within: "list[float]"
) -> "tuple[float, float, float] | None":
    """Return low, estimate and high of the shift, or None where there are too few pairs."""
    count = len(within)
    averages = sorted(
        (within[one] + within[other]) / 2 for one in range(count) for other in range(one, count)
    )
    shifts = sorted(there - here for here in first for there in second)
    ends = [
        (ordered[place - 1], ordered[-place])
        for ordered, place in (
            (averages, _place(_signed_rank_counts(count), 2**count)),
            (shifts, _place(_rank_sum_counts(count), comb(2 * count, count))),
        )
        if place
    ]
    if not ends:
        return None
    low, high = max(it for it, _ in ends), min(it for _, it in ends)
    if low > high:  # the tests disagree: the machine drifted
        low, high = min(it for it, _ in ends), max(it for _, it in ends)
    return low, min(max(median(averages), low), high), high


def _counted(
    first: "list[float]", second: "list[float]", within: "list[float]"
) -> "tuple[float, float, float] | None":
    """Return the same for counts, which hardly vary: their range, and several times their noise."""
    if len(within) < _MIN_EXACT_PAIRS:
        return None
    noise = _NOISE_FACTOR * max(max(it) - min(it) for it in (first, second))
    middle = median(within)
    return middle - noise, middle, middle + noise


def _place(counts: "list[int]", total: int) -> int:
    """Return how many values to leave out at each end so that an interval has its level."""
    seen = 0
    for place, ways in enumerate(counts):
        seen += ways
        if seen > total * ALPHA / 2:
            return place
    return 0


def _signed_rank_counts(count: int) -> "list[int]":
    """Return in how many ways of 2^count the ranks with a plus have each sum, up to the middle."""
    size = count * (count + 1) // 4 + 1
    ways = [1] + [0] * (size - 1)
    for rank in range(1, count + 1):
        for total in range(size - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    return ways


def _rank_sum_counts(count: int) -> "list[int]":
    """Return in how many ways of (2 count over count) each U of two equal groups comes about.

    They are the coefficients of the Gaussian binomial, up to the middle.
    """
    size = count * count // 2 + 1
    ways = [1] + [0] * (size - 1)
    for factor in range(1, count + 1):
        for total in range(size - 1, count + factor - 1, -1):
            ways[total] -= ways[total - count - factor]
        for total in range(factor, size):
            ways[total] += ways[total - factor]
    return ways
