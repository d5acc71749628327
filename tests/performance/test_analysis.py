from typing import Literal

import pytest

from benchpin.performance.findings import Analysis, PerformanceFinding, analyze
from benchpin.performance.findings._findings import Exceeded, query_findings
from benchpin.performance.findings._ranked import thresholds_from
from benchpin.performance.slowlog import RepeatedQuery
from benchpin.performance.snapshots import build_snapshot
from benchpin.performance.values import Profile
from profile_values import (
    log_reading,
    profile,
    profile_reading,
    query_class,
    sample,
    slow_log,
    timings_reading,
)

MS = 1_000_000


def of_profile(content: Profile) -> Analysis:
    return analyze(build_snapshot([profile_reading(1, content)]))


def test_numbers_of_a_class_are_worked_out_exactly() -> None:
    times = [2, 4, 4, 4, 5, 5, 7, 9]
    log = slow_log([query_class("A", times, rows=250), query_class("B", [60])])
    found = analyze(build_snapshot([log_reading(1, log)])).aggregates.queries
    assert [row.query_id for row in found] == ["B", "A"]
    row = found[1]
    assert (row.count, row.total_time_us, row.mean_us, row.max_us) == (8, 40, 5, 9)
    assert (row.p50_us, row.p95_us, row.p95_range_us) == (4, 9, (9, 9))
    assert row.variance_to_mean_us == 0, "32/7 over 5 is 0.91, cut to whole microseconds"
    assert row.share == 0.4
    assert row.rows_examined_per_row_sent == 250.0
    assert found[0].variance_to_mean_us is None
    assert (row.evidence[0].line, row.evidence[0].byte, row.evidence[0].time_us) == (7, 210, 9)


def test_variance_to_mean_of_spread_times() -> None:
    log = slow_log([query_class("A", [1000, 3000])])
    (row,) = analyze(build_snapshot([log_reading(1, log)])).aggregates.queries
    assert row.variance_to_mean_us == 1000, "variance 2,000,000 over mean 2000"


def test_a_snapshot_without_findings_has_all_fields() -> None:
    found = analyze(build_snapshot([]))
    assert found.findings == []
    assert found.findings_by_severity == {"P0": [], "P1": [], "P2": []}
    assert found.summary.finding_count == 0
    assert len(found.open_questions) == 5


@pytest.mark.parametrize(("asked", "used"), [(0, 1), (-3, 1), (21, 20), (1, 1), (20, 20)])
def test_top_n_is_clamped_with_a_notice(asked: int, used: int) -> None:
    found = analyze(build_snapshot([]), top_n=asked)
    assert found.summary.top_n == used
    assert bool(found.notices) == (asked != used)


def test_no_more_than_top_n_findings_of_a_kind_and_the_rest_is_counted() -> None:
    classes = [query_class(f"Q{number}", [1_900_000 - 100_000 * number]) for number in range(4)]
    found = analyze(build_snapshot([log_reading(1, slow_log(classes))]), top_n=3)
    assert [each.subject for each in found.findings] == ["Q0", "Q1", "Q2"]
    assert found.summary.p2_count == 4
    assert found.notices == ["1 more finding about queries; top_n is 3."]


def test_counts_do_not_depend_on_how_many_findings_are_shown() -> None:
    classes = [query_class(f"Q{number}", [1_900_000 - 100_000 * number]) for number in range(9)]
    snapshot = build_snapshot([log_reading(1, slow_log(classes))])
    few, many = analyze(snapshot, top_n=2), analyze(snapshot, top_n=20)
    assert (len(few.findings), len(many.findings)) == (2, 9)
    assert few.summary.finding_count == many.summary.finding_count == 9
    assert (few.summary.p0_count, few.summary.p1_count) == (
        many.summary.p0_count,
        many.summary.p1_count,
    )


def test_a_class_over_its_limit_is_a_finding_with_evidence_and_a_first_step() -> None:
    log = slow_log([query_class("A", [2_000_000] * 5, full_scans=5, rows=900)])
    (found,) = analyze(build_snapshot([log_reading(3, log)])).findings
    assert (found.severity, found.kind, found.subject) == ("P0", "query", "A")
    assert found.exceeded == (Exceeded("query_total_time_ms", 10_000_000, 10_000, "P0"),)
    assert "5 events scanned a whole table" in found.why
    assert "900.0 rows were examined per row sent" in found.why
    assert "index" in found.first_step
    (place,) = found.evidence
    assert (place.source[-1], place.line, place.byte) == ("3", 7, 210)


def repeated(kind: Literal["n_plus_one", "repetition"], time_us: int) -> RepeatedQuery:
    return RepeatedQuery(
        query_id="A",
        fingerprint="select A",
        kind=kind,
        reason="8 in a row, after a query that returns 9 rows on average",
        connections=2,
        events=30,
        time_us=time_us,
        connections_time_us=1000,
        worst_connection=9,
        most=20,
        longest_run=8,
        parent_id="B",
    )


def findings_of(loop: RepeatedQuery) -> list[PerformanceFinding]:
    log = slow_log([query_class("A", [10] * 30), query_class("B", [10])])
    rows = analyze(build_snapshot([log_reading(1, log)])).aggregates.queries
    return query_findings(rows, [loop], thresholds_from(None))


def test_n_plus_one_is_a_finding_however_little_it_takes() -> None:
    (finding,) = findings_of(repeated("n_plus_one", 1))
    assert (finding.severity, finding.kind, finding.subject) == ("P2", "n_plus_one", "A")
    assert (
        "2 connections ran it 30 times, connection 9 alone 20 times: 8 in a row, after"
    ) in finding.why
    assert (finding.exceeded, finding.title.split(",")[0]) == ((), "N+1")


def test_mere_repetition_is_a_finding_when_it_takes_a_tenth_of_its_connections() -> None:
    assert findings_of(repeated("repetition", 99)) == []
    (finding,) = findings_of(repeated("repetition", 100))
    assert finding.kind == "repetition"


def test_an_endpoint_is_judged_by_its_95th_percentile() -> None:
    fast, slow = [sample("/a", 1000)] * 18, [sample("/a", 2_500_000, ttfb_us=100)]
    snapshot = build_snapshot([timings_reading(1, fast + slow)])
    (found,) = analyze(snapshot).findings
    assert (found.severity, found.kind, found.subject) == ("P0", "endpoint", "/a")
    assert [limit.metric for limit in found.exceeded] == ["endpoint_wall_ms"]
    assert analyze(build_snapshot([timings_reading(1, fast * 2 + slow)])).findings == []


def test_time_after_the_first_byte_is_separate_from_time_on_the_server() -> None:
    for ttfb_us, word in ((100, "compress"), (490_000, "profile")):
        snapshot = build_snapshot([timings_reading(1, [sample("/a", 500_000, ttfb_us=ttfb_us)])])
        (found,) = analyze(snapshot).findings
        assert word in found.first_step


def test_a_route_that_was_only_profiled_is_judged_by_that_and_says_so() -> None:
    content = profile("/a", [("main", 1)], wall_time_ns=1_200 * MS)
    (found,) = of_profile(content).findings
    assert (found.severity, found.kind) == ("P1", "endpoint")
    assert "Under the profiler" in found.why


def test_a_function_is_judged_in_its_worst_profile_not_by_the_sum() -> None:
    readings = [
        profile_reading(number, profile(None, [("main", 1), ("work", 60 * MS)]))
        for number in range(1, 6)
    ]
    (below,) = analyze(build_snapshot(readings)).findings
    assert below.exceeded == (), "it is reported for its share alone"
    readings.append(profile_reading(9, profile(None, [("main", 1), ("work", 900 * MS)])))
    (found,) = analyze(build_snapshot(readings)).findings
    assert (found.severity, found.subject) == ("P0", "work")
    assert [(each.metric, each.severity) for each in found.exceeded] == [
        ("span_self_ms", "P0"),
        ("span_total_ms", "P1"),
    ]
    (place,) = found.evidence
    assert (place.source[-1], place.function, place.callers[0].function) == ("9", "work", "main")


def test_no_share_exceeds_all_where_costs_are_below_zero() -> None:
    freed = profile(None, [("main", 1), ("allocate", 60 * MS), ("free", -50 * MS)])
    spans = analyze(build_snapshot([profile_reading(1, freed)])).aggregates.spans
    assert max(span.share or 0 for span in spans) <= 1
    assert min(span.share or 0 for span in spans) >= 0


def test_functions_that_only_pass_time_on_are_no_findings() -> None:
    chain = [("main", 1), ("run", 1), ("handle", 200 * MS), ("query", 90 * MS)]
    found = of_profile(profile(None, chain))
    assert [each.subject for each in found.findings] == ["handle", "query"]
    assert not found.findings[1].exceeded, "it is reported for its share alone"


def test_findings_are_ordered_by_severity_then_by_excess() -> None:
    log = slow_log([query_class("A", [1_500_000]), query_class("B", [40_000_000])])
    readings = [
        log_reading(1, log),
        profile_reading(2, profile(None, [("work", 350 * MS)])),
        timings_reading(3, [sample("/a", 5_000_000)]),
    ]
    found = analyze(build_snapshot(readings))
    assert [(each.severity, each.subject) for each in found.findings] == [
        ("P0", "B"),
        ("P0", "/a"),
        ("P1", "work"),
        ("P2", "A"),
    ]
    assert found.findings_by_severity["P1"] == found.findings[2:3]
    assert (found.summary.p0_count, found.summary.p1_count, found.summary.p2_count) == (2, 1, 1)
