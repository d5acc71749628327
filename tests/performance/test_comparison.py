from collections.abc import Sequence
from random import Random

import pytest

from benchpin.performance.comparing import SnapshotComparison, compare, noise
from benchpin.performance.comparing._measured import group_of_sums
from benchpin.performance.snapshots import Snapshot, build_snapshot
from profile_values import (
    Event,
    Recorded,
    connection,
    log_of,
    log_reading,
    profile,
    profile_reading,
    query_class,
    sample,
    slow_log,
    timings_reading,
    wordpress_session,
)

MS = 1_000_000
OPTIONS = "select option_value from wp_options where option_name = ? li"
Asked = Sequence[tuple[Recorded, Sequence[Event]]]


def of_log(asked: Asked) -> Snapshot:
    return build_snapshot([log_reading(1, log_of(asked))])


def resampled(chance: Random, asked: Asked) -> Asked:
    return [chance.choice(asked) for _ in asked]


def session() -> Asked:
    recorded = wordpress_session()
    return recorded.asked(recorded.connections)


def test_resampled_halves_of_a_real_log_show_no_change() -> None:
    asked = session()
    named, comparisons = 0, 0
    for seed in range(30):
        chance = Random(seed)  # noqa: S311 - statistics, not secrets
        found = compare(of_log(resampled(chance, asked)), of_log(resampled(chance, asked)))
        comparisons += found.comparisons
        named += len(found.regressions) + len(found.improvements)
    assert comparisons > 1500
    assert named == 0


def slower(asked: Asked, query: str, factor: float) -> Asked:
    return [
        (each, [(name, round(time * factor) if name == query else time) for name, time in events])
        for each, events in asked
    ]


def test_a_query_of_a_real_log_that_became_slower_is_named_and_nothing_else() -> None:
    asked = session()
    assert OPTIONS in {name for _, events in asked for name, _ in events}
    found = compare(of_log(asked), of_log(slower(asked, OPTIONS, 1.5)))
    assert found.verdict == "regressed"
    (change,) = found.regressions
    assert (change.kind, change.subject, change.metric) == ("query", OPTIONS, "mean_us")
    assert change.after / change.before == pytest.approx(1.5, rel=0.01)
    assert change.noise < change.delta
    back = compare(of_log(slower(asked, OPTIONS, 1.5)), of_log(asked))
    assert (back.verdict, back.improvements[0].subject) == ("improved", OPTIONS)


def test_a_query_that_connections_ask_for_more_often_is_named() -> None:
    asked = session()
    doubled = [
        (each, [event for event in events for _ in range(1 + (event[0] == OPTIONS))])
        for each, events in asked
    ]
    found = compare(of_log(asked), of_log(doubled))
    assert [(it.subject, it.metric) for it in found.regressions] == [
        (OPTIONS, "events_per_connection")
    ]


def test_a_longer_log_of_the_same_is_no_regression() -> None:
    asked = session()
    assert compare(of_log(asked), of_log([*asked, *asked, *asked])).verdict == "unchanged"


def of_samples(*walls: int, route: str = "/", failed: int = 0) -> Snapshot:
    samples = [sample(route, wall) for wall in walls]
    samples += [sample(route, 5, status=503)] * failed
    return build_snapshot([timings_reading(1, samples)])


def test_endpoints_are_compared_with_their_spread() -> None:
    calm, later = of_samples(100, 101, 99, 100, 102), of_samples(150, 151, 149, 150, 152)
    assert {it.metric for it in compare(calm, later).regressions} == {
        "ttfb_us",
        "wall_us",
    }
    wild, wilder = of_samples(40, 160, 90, 110, 100), of_samples(80, 300, 90, 200, 80)
    assert compare(wild, wilder).regressions == []


def test_a_change_of_less_than_a_tenth_is_not_worth_telling() -> None:
    found = compare(of_samples(*[1000] * 50), of_samples(*[1090] * 50))
    assert (found.verdict, found.unchanged) == ("unchanged", 3)


def test_errors_that_come_up_are_a_regression() -> None:
    found = compare(of_samples(*[100] * 20), of_samples(*[100] * 10, failed=10))
    (change,) = found.regressions
    assert (change.metric, change.before, change.after) == ("error_rate", 0.0, 0.5)
    assert change.impact_us is None


def test_errors_come_first_and_then_what_costs_most() -> None:
    def measured(quick: int, slow: int, failed: int) -> Snapshot:
        samples = [sample("/quick", quick)] * 20 + [sample("/slow", slow)] * 20
        samples += [sample("/broken", 1, status=200 + failed)] * 20
        return build_snapshot([timings_reading(1, samples)])

    found = compare(measured(100, 10_000, 0), measured(200, 20_000, 300))
    order = [(it.subject, it.impact_us) for it in found.regressions if it.metric != "ttfb_us"]
    assert order == [("/broken", None), ("/slow", 200_000), ("/quick", 2000)]


def of_profiles(*selves_ms: int, route: str = "/") -> Snapshot:
    return build_snapshot(
        [
            profile_reading(number, profile(route, [("main", 10), ("work", each * MS)]))
            for number, each in enumerate(selves_ms, 1)
        ]
    )


def test_functions_are_compared_within_a_route_over_profiles() -> None:
    before = of_profiles(10, 11, 10, 9, 10)
    found = compare(before, of_profiles(20, 21, 20, 19, 20))
    (change,) = found.regressions
    assert (change.subject, change.before, change.after) == ("/ work", 10_000.0, 20_000.0)
    assert change.basis == "welch"
    elsewhere = compare(before, of_profiles(20, 21, 20, 19, 20, route="/other"))
    assert elsewhere.verdict == "not_comparable"


def test_one_profile_a_side_shows_a_large_change_as_unclear_only() -> None:
    found = compare(of_profiles(10), of_profiles(30))
    assert (found.verdict, found.regressions) == ("unchanged", [])
    (change,) = found.unclear
    assert (change.title, change.delta, change.basis) == ("work", 20_000.0, "rule_of_thumb")
    assert compare(of_profiles(10), of_profiles(12)).unclear == []


def _with(names: str) -> SnapshotComparison:
    def made(query_ids: str) -> Snapshot:
        classes = [query_class(name, [5000]) for name in query_ids]
        connections = [connection(1, [(name, 5000) for name in query_ids])]
        return build_snapshot([log_reading(1, slow_log(classes, connections))])

    before, after = names.split()
    return compare(made(before), made(after))


def test_what_came_and_what_went_is_named() -> None:
    found = _with("AB BC")
    assert [(it.kind, it.subject, it.time_us) for it in found.appeared] == [("query", "C", 5000)]
    assert [it.subject for it in found.disappeared] == ["A"]


def test_what_only_one_side_measured_did_not_appear() -> None:
    found = compare(of_samples(100), of_log(session()))
    assert (found.verdict, found.appeared, found.disappeared) == ("not_comparable", [], [])


def test_noise_is_student_t_times_the_standard_error() -> None:
    """Five values each, variance 2.5: t(0.995, 8 degrees) is 3.355 in printed tables."""
    values = group_of_sums(5, 1500, sum(each * each for each in (298, 299, 300, 301, 302)))
    rounded = 2.5 + 1 / 12
    expected = 3.355 * (2 * rounded / 5) ** 0.5
    assert noise(values, values, comparisons=1) == pytest.approx(expected, rel=0.002)
    assert noise(values, values, comparisons=100) > 1.5 * expected
