"""Separate changes from noise.

Welch's t-test: by chance, the means of two groups differ by up to t times the standard error, which
needs only counts, sums and sums of squares. With many comparisons each one gets a smaller error
rate, so that the rate of all together stays the same (Bonferroni). Of few values that are known one
by one, the means are trimmed (Yuen, 1974): a busy machine makes one run in five slow.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, median
from typing import Literal

Verdict = Literal["regressed", "improved", "unchanged", "unclear"]

# The probability that two snapshots of the same system show any change at all.
ERROR_RATE = 0.01
# Smaller changes, relative to the larger value, are not reported.
MIN_CHANGE_SHARE = 0.1
# With fewer values the variance is a guess.
MIN_COUNT = 5
# Noise relative to the larger value, where there are fewer values.
RULE_OF_THUMB = 0.3
# Fewer values have too little left when they are trimmed; of more, single ones matter little, and
# rare slow ones are part of what is measured.
_TRIMMED_COUNTS = range(10, 30)
# One value in this many is trimmed at each end.
_TRIMMED_SHARE = 5
# This factor leads from the median deviation to the standard deviation of a normal distribution.
_SIGMAS_PER_DEVIATION = 1.4826
# The variance that rounding to whole numbers adds.
_ROUNDING_VARIANCE = 1 / 12


@dataclass(frozen=True, slots=True)
class Group:
    """Repeated measurements of one thing, as the test needs them."""

    count: int
    mean: float
    centre: float
    """What is compared: the mean, trimmed where there are few values."""
    variance: float
    """Of the centre: the squared standard error."""
    freedom: int
    """Degrees of freedom; 0 where the variance is not known."""

    def divided_by(self, factor: float) -> "Group":
        """Return what the group would be with all values smaller by this factor."""
        return Group(
            self.count,
            self.mean / factor,
            self.centre / factor,
            self.variance / factor**2,
            self.freedom,
        )


def group_of_sums(count: int, total: int, squares: int) -> Group:
    """Return values of which only the sum and the sum of squares are known."""
    mean = total / count
    if count == 1:
        return Group(count, mean, mean, 0, 0)
    # Not below zero: a damaged log can have a sum of squares that does not fit its sum.
    variance = max(0, count * squares - total * total) / (count * (count - 1))
    return Group(count, mean, mean, (variance + _ROUNDING_VARIANCE) / count, count - 1)


def group_of(values: Sequence[int]) -> Group:
    """Return values that are known one by one."""
    count = len(values)
    if count not in _TRIMMED_COUNTS:
        return group_of_sums(count, sum(values), sum(each * each for each in values))
    cut = count // _TRIMMED_SHARE
    ordered = sorted(values)
    inner = ordered[cut : count - cut]
    winsorised = [*[inner[0]] * cut, *inner, *[inner[-1]] * cut]
    middle = fmean(winsorised)
    squares = sum((each - middle) ** 2 for each in winsorised)
    kept = len(inner)
    return Group(
        count=count,
        mean=fmean(values),
        centre=fmean(inner),
        variance=squares / (kept * (kept - 1)) + _ROUNDING_VARIANCE / kept,
        freedom=kept - 1,
    )


@dataclass(frozen=True, slots=True)
class Drift:
    """What changed for everything alike, such as the machine, and how unevenly."""

    factor: float = 1.0
    """How many times as long everything took."""
    spread: float = 0.0
    """How much single things differ from the factor, relative to it, without a reason."""


NO_DRIFT = Drift()


def drift_of(pairs: Iterable[tuple[Group, Group]]) -> Drift:
    """Estimate the drift from things that should not have changed, by medians.

    A few of them may have changed after all; with fewer than five there is no estimate.
    """
    ratios = sorted(after.centre / before.centre for before, after in pairs if before.centre > 0)
    if len(ratios) < MIN_COUNT:
        return NO_DRIFT
    factor = median(ratios)
    if not factor:
        return NO_DRIFT
    spread = _SIGMAS_PER_DEVIATION * median(abs(ratio - factor) for ratio in ratios) / factor
    return Drift(factor, spread)


def noise(before: Group, after: Group, comparisons: int) -> float:
    """Return the difference of the centres that chance explains."""
    if min(before.count, after.count) < MIN_COUNT:
        return RULE_OF_THUMB * max(before.centre, after.centre)
    one, other = before.variance, after.variance
    freedom = (one + other) ** 2 / (one**2 / before.freedom + other**2 / after.freedom)
    return student(1 - ERROR_RATE / comparisons / 2, freedom) * sqrt(one + other)


def judge(before: Group, after: Group, bound: float) -> Verdict:
    """Classify a change of something that should be small; with few values it is only unclear."""
    change = after.centre - before.centre
    if abs(change) <= max(bound, MIN_CHANGE_SHARE * max(before.centre, after.centre)):
        return "unchanged"
    if min(before.count, after.count) < MIN_COUNT:
        return "unclear"
    return "regressed" if change > 0 else "improved"


def student(probability: float, freedom: float) -> float:
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
