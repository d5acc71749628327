import math

import numpy as np
import pytest

from benchpin.project.defects._model import auc, brier, fit, probabilities

NO_RIDGE = np.full(2, 1e-9)


def test_an_intercept_alone_is_the_share_of_outcomes() -> None:
    outcomes = np.array([1.0, 0, 0, 0])
    found = fit(np.zeros((4, 0)), outcomes, np.zeros(1), np.full(1, 1e-9))
    assert found.weights[0] == pytest.approx(math.log(1 / 3), abs=1e-6)


def test_two_groups_give_the_logarithm_of_their_odds_ratio() -> None:
    """The fit of a saturated model is exact: 1 of 4 against 3 of 4."""
    rows = np.array([[0.0]] * 4 + [[1.0]] * 4)
    outcomes = np.array([1.0, 0, 0, 0, 1, 1, 1, 0])
    found = fit(rows, outcomes, np.zeros(2), NO_RIDGE)
    assert found.weights == pytest.approx([math.log(1 / 3), math.log(9)], abs=1e-6)
    variance = 1 / 4 / (1 / 4 * 3 / 4)
    assert found.covariance[0][0] == pytest.approx(variance, rel=1e-5)
    assert found.covariance[1][1] == pytest.approx(2 * variance, rel=1e-5)


def test_a_firm_ridge_holds_the_weights_where_they_were() -> None:
    rows = np.array([[0.0]] * 4 + [[1.0]] * 4)
    outcomes = np.array([1.0, 0, 0, 0, 1, 1, 1, 0])
    prior = np.array([0.5, -2.0])
    assert fit(rows, outcomes, prior, np.full(2, 1e9)).weights == pytest.approx(prior, abs=1e-6)


def test_perfectly_split_outcomes_do_not_run_away() -> None:
    rows = np.array([[-1.0], [1.0]] * 10)
    found = fit(rows, np.array([0.0, 1.0] * 10), np.zeros(2), np.full(2, 0.1))
    assert np.isfinite(found.weights).all()
    assert 0 < found.weights[1] < 20


def test_auc_counts_pairs_and_halves_ties() -> None:
    scores, outcomes = np.array([0.1, 0.4, 0.4, 0.8]), np.array([0.0, 0, 1, 1])
    assert auc(scores, outcomes) == pytest.approx((1 + 0.5 + 1 + 1) / 4)


def test_auc_is_not_known_when_all_ended_alike() -> None:
    assert auc(np.array([0.1, 0.2]), np.array([1.0, 1])) is None


def test_brier_is_the_mean_squared_error() -> None:
    assert brier(np.array([0.5, 1.0]), np.array([0.0, 1])) == pytest.approx(0.125)


def test_far_log_odds_are_no_error() -> None:
    assert probabilities(np.array([-1e6, 0.0, 1e6])) == pytest.approx([0, 0.5, 1], abs=1e-9)
