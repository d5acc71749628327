from collections.abc import Sequence
from random import Random
from statistics import fmean

from benchpin.performance.comparing._series import find_steps
from profile_values import wordpress_session


def noisy(seed: int, *levels: tuple[float, int], noise: float = 0.05) -> list[float]:
    chance = Random(seed)  # noqa: S311 - statistics, not secrets
    return [chance.gauss(level, noise * level) for level, count in levels for _ in range(count)]


def starts(values: Sequence[float], comparisons: int = 1) -> list[int]:
    return [step.after.start for step in find_steps(values, comparisons)]


def test_a_step_is_found_where_it_is() -> None:
    found = [starts(noisy(seed, (1000, 12), (1400, 8))) for seed in range(50)]
    assert sum(it == [12] for it in found) >= 48


def test_a_step_is_found_two_runs_after_it_happened() -> None:
    found = [starts(noisy(seed, (1000, 18), (1800, 2))) for seed in range(50)]
    assert sum(it == [18] for it in found) >= 48


def test_a_level_that_comes_and_goes_has_two_steps() -> None:
    found = [starts(noisy(seed, (1000, 8), (1500, 6), (1000, 8))) for seed in range(50)]
    assert sum(it == [8, 14] for it in found) >= 48


def test_noise_has_hardly_any_steps() -> None:
    found = [starts(noisy(seed, (1000, 30), noise=0.2), comparisons=1) for seed in range(500)]
    assert sum(map(len, found)) <= 5


def test_one_outlier_is_no_step() -> None:
    values = noisy(3, (1000, 20))
    values[7] = 5000
    assert starts(values) == []


def test_counts_that_never_vary_show_every_real_step() -> None:
    assert starts([10] * 6 + [12] * 2) == [6]
    assert starts([100] * 6 + [105] * 6) == []


def test_a_short_series_has_none() -> None:
    assert starts([1, 1, 1, 9, 9, 9]) == []


def test_a_step_names_both_levels_and_the_noise() -> None:
    (step,) = find_steps([100, 102, 98, 100, 201, 199, 200, 200])
    assert (step.before.mean, step.after.mean) == (100, 200)
    assert (step.before.start, step.before.end, step.after.end) == (0, 4, 8)
    assert 0 < step.noise < 100


def test_times_of_a_real_query_show_the_step_that_is_put_into_them_and_no_other() -> None:
    session = wordpress_session()
    query = session.classes.index("select option_value from wp_options where option_name = ? li")
    times = [[time for name, time in it.events if name == query] for it in session.connections]
    series = [fmean(each) for each in times if each]
    assert len(series) == 21
    assert starts(series) == []
    assert starts([*series[:10], *(2 * it for it in series[10:])]) == [10]
