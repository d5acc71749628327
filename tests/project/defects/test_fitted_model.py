from datetime import timedelta

import numpy as np
import pytest

from benchpin.project.defects import COLUMNS
from benchpin.project.defects._features import YEAR, FeatureRow
from benchpin.project.defects._model import Period, chances, fit_own, shipped_weights
from repositories import START

FILES = 200


def year(number: int, fixed: int, base: float) -> Period:
    since = START + timedelta(days=365 * number)
    rows = [FeatureRow(f"{at}.py", dict.fromkeys(COLUMNS, 1.0)) for at in range(FILES)]
    return Period(since, since + YEAR, rows, [at < fixed for at in range(FILES)], base)


def test_two_years_do_not_teach_that_fewer_fixes_mean_more_of_them() -> None:
    """A year of many fixes after a calm one, as in a history that once misled the model."""
    shipped = shipped_weights()
    stormy, calm = year(1, fixed=150, base=-4.0), year(2, fixed=20, base=0.5)
    own = fit_own([calm, stormy], shipped)
    assert own.base == pytest.approx(shipped.history.base, abs=0.01)
    quiet = float(np.mean(chances(own, year(3, fixed=0, base=-5.0), shipped)))
    busy = float(np.mean(chances(own, year(3, fixed=0, base=0.5), shipped)))
    assert quiet < busy


def test_the_level_of_a_repository_moves_towards_what_happened_there() -> None:
    shipped = shipped_weights()
    before = [year(2, fixed=120, base=-2.0), year(1, fixed=120, base=-2.0)]
    own = fit_own(before, shipped)
    expected, told = (
        float(np.mean(chances(weights, before[0], shipped))) for weights in (shipped.history, own)
    )
    assert expected < told < 120 / FILES


def test_the_rate_of_one_half_year_is_drawn_towards_that_of_all_histories() -> None:
    assert 0.2 < shipped_weights().history.base < 0.6


def test_less_is_known_without_a_history_and_more_with_an_own_one() -> None:
    shipped = shipped_weights()
    assert shipped.own_spread < shipped.history.spread < shipped.static.spread
