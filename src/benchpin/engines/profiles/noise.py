"""Separate changes from noise.

Welch's t-test: by chance, the means of two groups differ by up to t times the standard error, which
needs only counts, sums and sums of squares. With many comparisons each one gets a smaller error
rate, so that the rate of all together stays the same (Bonferroni).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal

Verdict = Literal["regressed", "improved", "unchanged", "unclear"]

ERROR_RATE = 0.01
"""The probability that two snapshots of the same system show any change at all."""
LEAST_CHANGE = 0.1
"""Smaller changes, relative to the larger value, are not reported."""
LEAST_COUNT = 5
"""With fewer values the variance is a guess."""
RULE_OF_THUMB = 0.3
"""Noise relative to the larger value, where there are fewer values."""
_ROUNDING_VARIANCE = 1 / 12
"""The variance that rounding to whole numbers adds."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Many values by their count, sum and sum of squares."""

    count: int
    total: int
    squares: int

    @property
    def mean(self) -> float:
        """The average."""
        return self.total / self.count

    @property
    def variance_of_mean(self) -> float:
        """The squared standard error; it needs at least two values."""
        exact = self.count * self.squares - self.total * self.total
        return (exact / (self.count * (self.count - 1)) + _ROUNDING_VARIANCE) / self.count


def moments_of(values: Sequence[int]) -> Moments:
    """Return the moments of values that are known one by one."""
    return Moments(len(values), sum(values), sum(each * each for each in values))


def noise(before: Moments, after: Moments, comparisons: int) -> float:
    """Return the difference of the means that chance explains."""
    if min(before.count, after.count) < LEAST_COUNT:
        return RULE_OF_THUMB * max(before.mean, after.mean)
    one, other = before.variance_of_mean, after.variance_of_mean
    freedom = (one + other) ** 2 / (one**2 / (before.count - 1) + other**2 / (after.count - 1))
    return _student(1 - ERROR_RATE / comparisons / 2, freedom) * sqrt(one + other)


def judge(before: Moments, after: Moments, bound: float) -> Verdict:
    """Classify a change of something that should be small; with few values it is only unclear."""
    change = after.mean - before.mean
    if abs(change) <= max(bound, LEAST_CHANGE * max(before.mean, after.mean)):
        return "unchanged"
    if min(before.count, after.count) < LEAST_COUNT:
        return "unclear"
    return "regressed" if change > 0 else "improved"


def _student(probability: float, freedom: float) -> float:
    """Return a quantile of Student's t-distribution.

    Abramowitz and Stegun 26.7.5: within 1 % for four degrees of freedom and p = 0.995.
    """
    x = NormalDist().inv_cdf(probability)
    return x + sum(
        (
            (x**3 + x) / 4 / freedom,
            (5 * x**5 + 16 * x**3 + 3 * x) / 96 / freedom**2,
            (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384 / freedom**3,
            (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92_160 / freedom**4,
        )
    )
