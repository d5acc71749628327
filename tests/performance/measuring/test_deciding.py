"""Whether a difference is claimed, from values whose truth is known."""

import random
from collections import Counter
from math import exp

import pytest

from benchpin.performance.measuring._deciding import (
    LOOKS,
    _rank_sum_counts,
    _signed_rank_counts,
    decide,
    is_settled,
)


def test_probabilities_are_those_of_the_printed_tables() -> None:
    # Siegel, Nonparametric Statistics (1956), table G: T <= 3 of 10 pairs has p = 0.01, two-sided,
    assert 2 * sum(_signed_rank_counts(10)[:4]) / 2**10 == pytest.approx(0.0098, abs=0.0001)
    # and table J has P(U <= 2) = 0.016 for two groups of five.
    assert sum(_rank_sum_counts(5)[:3]) / 252 == pytest.approx(0.016, abs=0.0005)


def measured(chance: random.Random, change: float, noise: float) -> str:
    """Measure until it is settled, on a machine that drifts and is disturbed now and then."""
    before: list[float] = []
    after: list[float] = []
    level = 0.0

    def one(shift: float) -> float:
        disturbed = chance.expovariate(5) if chance.random() < 0.1 else 0.0
        return exp(level + shift + chance.gauss(0, noise) + disturbed)

    for look in LOOKS:
        while len(before) < look:
            level += chance.gauss(0, 0.02)
            before.append(one(0))
            after.append(one(change))
        found = decide(before, after, 0.02)
        if is_settled(found, 0.02):
            break
    return found.verdict


def test_two_equal_programs_are_never_called_different() -> None:
    chance = random.Random(1)  # noqa: S311 - not for secrets
    found = Counter(measured(chance, 0.0, 0.05) for _ in range(120))
    assert found["slower"] + found["faster"] == 0


@pytest.mark.parametrize(
    ("change", "verdict", "least"), [(0.1, "slower", 28), (0.3, "slower", 30), (-0.3, "faster", 30)]
)
def test_a_change_is_seen_through_noise(change: float, verdict: str, least: int) -> None:
    chance = random.Random(2)  # noqa: S311 - not for secrets
    found = Counter(measured(chance, change, 0.05) for _ in range(30))
    assert found[verdict] >= least


def test_a_large_change_needs_eight_pairs() -> None:
    before, after = [10.0 + it / 10 for it in range(8)], [14.0 + it / 10 for it in range(8)]
    assert decide(before, after, 0.02).verdict == "slower"
    assert decide(before[:7], after[:7], 0.02).verdict == "unclear"


def test_a_change_smaller_than_is_of_interest_is_not_claimed() -> None:
    before = [100.0 + it / 100 for it in range(20)]
    found = decide(before, [1.01 * it for it in before], 0.02)
    assert found.verdict == "no_difference"
    assert is_settled(found, 0.02)


def test_no_difference_is_not_claimed_of_what_varies_much() -> None:
    chance = random.Random(3)  # noqa: S311 - not for secrets
    before, after = ([exp(chance.gauss(0, 0.5)) for _ in range(20)] for _ in range(2))
    assert decide(before, after, 0.02).verdict == "unclear"


def test_counts_of_instructions_need_three_pairs() -> None:
    before, after = [1e6, 1e6 + 10, 1e6 + 5], [1.03e6, 1.03e6 + 10, 1.03e6 + 7]
    assert decide(before, after, 0.02, is_exact=True).verdict == "slower"
    assert decide(before[:2], after[:2], 0.02, is_exact=True).verdict == "unclear"
    assert decide(before, before, 0.02, is_exact=True).verdict == "no_difference"


def test_a_value_that_was_not_measured_makes_it_unclear() -> None:
    assert decide([0.0] * 8, [1.0] * 8, 0.02).verdict == "unclear"
    assert decide([], [], 0.02).verdict == "unclear"
