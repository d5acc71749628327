import msgspec
import pytest

from benchpin.performance.findings import RequestCorrelation
from benchpin.performance.findings._correlation import correlate
from benchpin.performance.snapshots import build_snapshot
from benchpin.performance.values import Connection, Reading
from profile_values import (
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

SECOND = 1_000_000


def session(*, with_timings: bool = True) -> RequestCorrelation:
    recorded = wordpress_session()
    readings = [log_reading(1, log_of(recorded.asked(recorded.connections)))]
    if with_timings:
        samples = [
            sample(route, wall, started_at_us=started, ttfb_us=ttfb)
            for route, started, ttfb, wall in recorded.samples
        ]
        readings.append(timings_reading(2, samples))
    readings += [
        profile_reading(number, profile(route, started_at_us=started, wall_time_ns=wall))
        for number, (route, started, wall) in enumerate(recorded.profiles, 3)
    ]
    return correlate(build_snapshot(readings))


def test_of_a_real_session_no_link_is_wrong() -> None:
    """The prober warmed each route up once: connections 157, 163 and 169 have no sample."""
    found = session()
    truth = {
        **{place: 158 + place for place in range(5)},
        **{place: 164 + place - 5 for place in range(5, 10)},
        **{place: 170 + place - 10 for place in range(10, 15)},
    }
    linked = {link.sample[1]: link.connection for link in found.links if link.sample}
    assert linked == {place: truth[place] for place in (0, 1, 2, 3, 4, 6, 7, 8, 9)}
    assert found.unlinked_samples == 6, "a warm-up fits these as well"
    profiles = {link.route: link.connection for link in found.links if link.profile}
    assert profiles == {"/": 175, "/?p": 176, "/?s": 177}
    assert found.unlinked_profiles == 0
    assert {link.confidence for link in found.links} == {"medium"}, "the log has whole seconds"
    assert all(len(link.reasons) > 1 for link in found.links)


def test_of_a_real_session_the_queries_of_each_route_are_known() -> None:
    routes = {each.route: each for each in session().routes}
    assert {route: each.events for route, each in routes.items()} == {
        "/": 34,
        "/?p": 38,
        "/?s": 32,
    }
    assert routes["/"].query_time_us == (6594 + 4825 + 4723 + 4836 + 4783) // 5
    assert routes["/?s"].connections == (169, 170, 171, 172, 173, 174)


def test_without_samples_three_profiles_of_one_second_are_not_linked() -> None:
    found = session(with_timings=False)
    assert found.links == ()
    assert found.unlinked_profiles == 3


def log_with(*connections: Connection) -> Reading:
    classes = [query_class("A", [1] * len(connections))] if connections else []
    return log_reading(1, slow_log(classes, connections))


def at(number: int, moment_us: int, time_us: int = 500) -> Connection:
    made = connection(number, [("A", time_us)])
    return msgspec.structs.replace(made, first_seen_us=moment_us, last_seen_us=moment_us)


def one_sample(*connections: Connection) -> RequestCorrelation:
    timed = timings_reading(2, [sample("/", 2000, started_at_us=SECOND + 5000)])
    return correlate(build_snapshot([log_with(*connections), timed]))


def test_the_only_connection_within_a_sample_in_exact_time_is_linked_with_confidence() -> None:
    (link,) = one_sample(at(7, SECOND + 6000), at(8, SECOND + 9000)).links
    assert (link.connection, link.confidence) == (7, "high")
    assert (link.query_time_us, link.wall_time_us) == (500, 2000)


@pytest.mark.parametrize(
    "connections",
    [
        [at(7, SECOND + 6000), at(8, SECOND + 6500)],
        [at(7, SECOND + 4000)],
        [at(7, SECOND + 7001)],
        [at(7, SECOND + 6000, time_us=2001)],
        [],
    ],
    ids=["two fit", "before", "after", "queries longer than the request", "none"],
)
def test_there_is_no_link_rather_than_a_wrong_one(connections: list[Connection]) -> None:
    assert one_sample(*connections).links == ()


def test_a_log_that_lost_connections_links_nothing() -> None:
    log = slow_log([query_class("A", [1] * 9)], [at(7, SECOND + 6000)])
    timed = timings_reading(2, [sample("/", 2000, started_at_us=SECOND + 5000)])
    found = correlate(build_snapshot([log_reading(1, log), timed]))
    assert found.links == ()
    assert "not known" in found.notes[0]


def test_a_profile_is_linked_with_the_sample_that_timed_it_and_shares_its_connection() -> None:
    timed = timings_reading(
        2,
        [
            sample("/", 3000, started_at_us=SECOND + 5000),
            sample("/other", 3000, started_at_us=SECOND + 9000),
            sample("/", 3000, started_at_us=9 * SECOND),
        ],
    )
    profiled = profile_reading(3, profile("/", started_at_us=SECOND, wall_time_ns=2_000_000))
    log = log_with(at(7, SECOND + 6000), at(8, SECOND + 10_000))
    found = correlate(build_snapshot([log, timed, profiled]))
    both = [link for link in found.links if link.sample and link.profile]
    assert [link.sample[1] for link in both if link.sample] == [0]
    assert {link.route: link.connection for link in found.links if link.connection} == {
        "/": 7,
        "/other": 8,
    }
    assert [link.connection for link in found.links if link.profile and not link.sample] == [7]
