"""Real logs against pt-query-digest and plain counts; where they come from: see the fixtures."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchpin.performance.slowlog import find_repeated
from benchpin.performance.values import SlowLog
from slow_logs import MORE, REAL, digest, expected, real_log


def check_totals(log: SlowLog, wanted: dict[str, Any]) -> None:
    events = wanted.get("true_events", wanted["raw_query_time_lines"])
    time_us = wanted.get("true_query_time_sum_us", wanted["raw_query_time_sum_us"])
    assert (log.events, log.total_time_us) == (events, time_us)
    assert sum(it.count for it in log.classes) == events


def check_stable_classes(log: SlowLog, wanted: dict[str, Any]) -> int:
    found = {it.query_id: it for it in log.classes}
    stable = [it for it in wanted.get("classes", []) if it["stable"]]
    for theirs in stable:
        ours, times = found[theirs["checksum"]], theirs["query_time_us"]
        assert (
            ours.fingerprint,
            ours.count,
            ours.total_time_us,
            ours.min_us,
            ours.max_us,
            ours.lock_time_us,
            ours.rows_sent,
            ours.rows_examined,
        ) == (
            theirs["fingerprint"],
            theirs["count"],
            times["sum"],
            times["min"],
            times["max"],
            theirs.get("lock_time_sum_us", 0),
            theirs.get("rows_sent_sum", 0),
            theirs.get("rows_examined_sum", 0),
        )
        assert times["pct_95"] == pytest.approx(ours.p95_us, rel=0.05, abs=1)
        if has_middle(ours.count):
            assert times["median"] == pytest.approx(ours.p50_us, rel=0.05, abs=1)
    return len(stable)


def has_middle(count: int) -> bool:
    """Whether pt-query-digest takes the event in the middle for the median.

    Of an even number, reckoned without the slowest 5 %, it takes the mean of the upper one of the
    middle and the next slower: 238 for 4 times of which the third is 166 and the fourth 324.
    """
    reckoned = count * 95 // 100 if count >= 10 else count
    return count <= 2 or (count % 2 == 1 and reckoned % 2 == 1)


@pytest.mark.parametrize("name", REAL)
def test_all_events_and_all_time_are_counted(name: str) -> None:
    check_totals(digest(real_log(name)), expected()[name])


@pytest.mark.parametrize("name", REAL)
def test_stable_classes_are_those_of_pt_query_digest(name: str) -> None:
    wanted = expected()[name]
    assert check_stable_classes(digest(real_log(name)), wanted) == wanted["stable_classes"]


@pytest.mark.parametrize("name", REAL)
def test_evidence_points_to_the_first_line_of_an_event(name: str) -> None:
    log = real_log(name)
    lines = log.split(b"\n")
    for found in digest(log, 10_000).classes:
        assert found.evidence[0].time_us == found.max_us
        for event in found.evidence:
            assert event.line is not None
            line = lines[event.line - 1]
            assert line.startswith((b"# Time: ", b"# User@Host: "))
            assert log[event.byte :].startswith(line + b"\n")


def test_connections_of_a_session_are_separated() -> None:
    log = digest(real_log("bundle.log"))
    facts = expected()["bundle_facts"]
    assert {str(it.id): it.events for it in log.connections} == facts["events_per_thread"]
    assert {str(it.id): it.query_time_us for it in log.connections} == (
        facts["query_time_us_per_thread"]
    )
    texts = {it.query_id: it.fingerprint for it in log.classes}
    repeated = {
        (it.id, texts[again.query_id], again.count)
        for it in log.connections
        for again in it.repetitions
    }
    for fact in facts["most_repeated_in_one_connection"]:
        assert (fact["thread_id"], fact["fingerprint"], fact["count"]) in repeated


def test_most_repeated_query_of_a_session_is_found() -> None:
    log = digest(real_log("bundle.log"))
    (found,) = find_repeated(log.connections, log.classes)
    assert found.fingerprint == "select option_value from wp_options where option_name = ? limit ?"
    assert (found.worst_connection, found.most, found.connections) == (157, 13, 21)
    assert found.kind == "repetition"
    assert found.reason == "at most 5 of 11 are in a row"


def more_logs() -> list[str]:
    if MORE is None:
        return []
    return sorted(json.loads((Path(MORE) / "expected.json").read_text("utf-8"))["slow_logs"])


@pytest.mark.skipif(MORE is None, reason="BENCHPIN_PERFORMANCE_DATA names no folder")
@pytest.mark.parametrize("path", more_logs())
def test_further_logs_are_read_as_expected(path: str) -> None:
    folder = Path(str(MORE))
    wanted = json.loads((folder / "expected.json").read_text("utf-8"))["slow_logs"][path]
    for chunk_bytes in (1 << 20, 1000):
        log = digest((folder / path).read_bytes(), chunk_bytes)
        check_totals(log, wanted)
        assert check_stable_classes(log, wanted) == wanted.get("stable_classes", 0)
