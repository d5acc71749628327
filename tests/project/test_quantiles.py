"""Scores that compare a project with public ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.project.scores._quantiles import (
    PROJECTS,
    QUANTILES,
    PartName,
    standing,
    usual_range,
)

PARTS = sorted(QUANTILES)
GOOD_IF_HIGH = {"complexity", "maintainability"}


def test_the_table_has_a_hundred_projects_and_every_part_in_ascending_steps() -> None:
    assert PROJECTS >= 100
    for values in QUANTILES.values():
        assert len(values) == 21
        assert list(values) == sorted(values)


@pytest.mark.parametrize("part", PARTS)
def test_the_best_has_all_and_the_worst_next_to_nothing_and_parts_discriminate(
    part: PartName,
) -> None:
    values = QUANTILES[part]
    best, worst = (values[-1], values[0]) if part in GOOD_IF_HIGH else (values[0], values[-1])
    assert (standing(part, best), standing(part, worst)) == (100, 1)
    worse = worst / 2 if part in GOOD_IF_HIGH else worst * 2
    assert standing(part, worse) == (0.5 if worst else 1)
    scores = [standing(part, it) for it in values]
    # The middle half of the projects is spread over half of the scale, but where they are alike.
    if len(set(values)) == len(values):
        assert abs(scores[15] - scores[5]) == pytest.approx(49.5)


@pytest.mark.parametrize("part", PARTS)
@given(share=st.floats(0, 1), size=st.integers(100, 100_000))
def test_one_file_more_changes_a_score_little(part: PartName, share: float, size: int) -> None:
    """A project of so many files gets one that is like the worst project."""
    low, high = QUANTILES[part][1], QUANTILES[part][-2]
    value = low + share * (high - low)
    worst = QUANTILES[part][0 if part in GOOD_IF_HIGH else -1]
    after = value + (worst - value) / size
    # The steepest step of the table is a quarter of the scale.
    steps = [b - a for a, b in zip(QUANTILES[part], QUANTILES[part][1:], strict=False) if b > a]
    moved = abs(standing(part, after) - standing(part, value))
    assert moved <= abs(after - value) * 100 / min(steps) + 1e-6


def test_the_usual_range_is_the_middle_half_with_its_unit() -> None:
    values = QUANTILES["duplication"]
    assert usual_range("duplication") == f"{values[5]:.3g} to {values[15]:.3g} % of the lines"
    assert not usual_range("coverage")


def test_a_part_without_a_table_is_a_share_of_the_code() -> None:
    assert (standing("coverage", 70), standing("defects", 25)) == (70, 75)
