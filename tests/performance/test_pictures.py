from collections.abc import Sequence

import msgspec

from benchpin.performance.exports._pictures import REQUESTS, query_picture
from benchpin.performance.findings import Analysis, RankedQuery, analyze
from benchpin.performance.snapshots import build_snapshot
from profile_values import log_reading, query_class, sample, slow_log, timings_reading


def queries_of(found: Analysis) -> Sequence[RankedQuery]:
    return found.aggregates.queries


def test_a_query_is_a_point_by_how_often_it_ran_and_how_long_it_took() -> None:
    log = slow_log([query_class("A", [1_000, 3_000]), query_class("B", [9_000_000])])
    analysis = analyze(build_snapshot([log_reading(1, log)]))
    found = analysis.aggregates.queries
    picture = query_picture(queries_of).drawn(analysis)
    assert picture is not None
    assert [(row["events"], row["mean"], row["total"]) for row in picture.rows] == [
        (1, 9000.0, 9000.0),
        (2, 2.0, 4.0),
    ]
    assert picture.rows[0]["link"] == f"#query-{found[0].query_id}"
    assert "2 query classes" in picture.alt


def test_the_phases_of_the_slowest_request_follow_one_another() -> None:
    slow = msgspec.structs.replace(
        sample("/a", 450_000, ttfb_us=440_000), dns_us=20_000, connect_us=30_000
    )
    content = build_snapshot([timings_reading(3, [sample("/a", 90_000), slow])])
    picture = REQUESTS.drawn((content, analyze(content).aggregates.correlation))
    assert picture is not None
    assert [(row["phase"], row["start"], row["end"]) for row in picture.rows] == [
        ("name lookup", 0.0, 20.0),
        ("connecting", 20.0, 50.0),
        ("server, not queries", 50.0, 440.0),
        ("receiving", 440.0, 450.0),
    ]
    assert "server, not queries of /a: 390 ms" in picture.alt


def test_requests_that_failed_are_not_drawn() -> None:
    failed = msgspec.structs.replace(sample("/a", 450_000), status=500)
    content = build_snapshot([timings_reading(3, [failed])])
    assert REQUESTS.drawn((content, analyze(content).aggregates.correlation)) is None
