"""The bounds of reading: time, classes, connections."""

import io

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, TimeLimitExceeded
from benchpin.performance.slowlog import _connections as connections
from benchpin.performance.slowlog import _totals as totals
from benchpin.performance.slowlog import digest_chunks, query_id, read_slow_log
from slow_logs import classes, digest, mariadb_event, mysql_event


def test_log_without_a_file_beneath_is_read_all_the_same() -> None:
    log = mysql_event("SELECT 1")
    assert read_slow_log(io.BytesIO(log), len(log), Job(), workers=2) == digest(log)


def test_a_log_that_is_not_read_in_time_ends() -> None:
    clock = iter(range(100))
    job = Job(time_limit_s=3, monotonic=lambda: next(clock))
    chunks = [mysql_event("SELECT 1")] * 10
    with pytest.raises(TimeLimitExceeded):
        digest_chunks(chunks, job)


def test_cancelled_reading_stops() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        digest_chunks([mysql_event("SELECT 1")], job)


def test_classes_beyond_the_limit_are_one() -> None:
    names = ["a", "b", "c", "d", "b"]
    log = digest(b"".join(mysql_event(f"SELECT {it} FROM t") for it in names), most_classes=2)
    assert {it.fingerprint: it.count for it in log.classes} == {
        "select a from t": 1,
        "select b from t": 2,
        "(other)": 2,
    }
    assert (log.events, log.is_complete) == (5, False)
    assert log.faults[-1].problem == "more than 2 classes; the rest is in `(other)`"


def test_classes_are_ranked_by_time_then_by_text() -> None:
    log = digest(
        mysql_event("SELECT b")
        + mysql_event("SELECT a")
        + mysql_event("SELECT c", time="0.000150")
        + mysql_event("SELECT d", time="1.000000")
    )
    assert [it.fingerprint for it in log.classes] == [
        "select d",
        "select c",
        "select a",
        "select b",
    ]


def test_statistics_of_a_class_are_exact() -> None:
    times = [7, 1, 5, 3, 2000, 11]
    log = digest(b"".join(mysql_event("SELECT 1", time=f"0.{it:06d}") for it in times))
    (found,) = log.classes
    assert (found.count, found.total_time_us, found.min_us, found.max_us) == (6, 2027, 1, 2000)
    assert (found.p50_us, found.p95_us) == (6, 2000)
    assert found.squares_us2 == sum(it * it for it in times)
    assert [it.time_us for it in found.evidence] == [2000, 11, 7]


def test_percentiles_of_many_different_times_are_near_and_do_not_hang_on_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(totals, "_MAX_EXACT_VALUES", 100)
    times = [(number * 7919) % 50_000 + 1000 for number in range(2000)]
    events = [mysql_event("SELECT 1", time=f"0.{it:06d}") for it in times]
    (found,) = digest(b"".join(events)).classes
    (other,) = digest(b"".join(sorted(events))).classes
    assert (found.p50_us, found.p95_us) == (other.p50_us, other.p95_us)
    assert found.p50_us == pytest.approx(sorted(times)[1000], rel=1 / 256)
    assert found.p95_us == pytest.approx(sorted(times)[1899], rel=1 / 256)
    assert (found.min_us, found.max_us) == (min(times), max(times))


def test_connections_that_took_or_repeated_most_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_MAX_KEPT", 2)
    quick = b"".join(mariadb_event("SELECT 1", thread=it, time="0.000001") for it in range(50))
    slow = mariadb_event("SELECT 1", thread=90, time="1.000000")
    repeating = mariadb_event("SELECT 1", thread=91, time="0.000002") * 5
    log = digest(quick + slow + repeating)
    assert log.connection_count == 52
    assert [it.id for it in log.connections] == [90, 91, 0]
    assert "52 connections, of which 3 are kept" in log.faults[-1].problem
    assert log.is_complete


def test_number_that_comes_again_much_later_is_another_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "GAP", 5)
    monkeypatch.setattr("benchpin.performance.slowlog._digest.GAP", 5)
    others = b"".join(mariadb_event("SELECT 1", thread=it) for it in range(10, 20))
    log = digest(mariadb_event("SELECT 1") + others + mariadb_event("SELECT 1") * 2)
    assert sorted(it.events for it in log.connections if it.id == 7) == [1, 2]


def test_names_of_users_and_databases_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "_MAX_CONTEXTS", 60)
    event = mariadb_event("SELECT 1")
    events = [event.replace(b"Schema: shop", b"Schema: shop%03d" % it) for it in range(99, -1, -1)]
    (found,) = digest(b"".join(events)).classes
    assert found.databases == tuple(f"shop{it:03d}" for it in range(50))
    assert found.users == ("shop",)


def test_long_text_of_a_class_is_cut_and_its_id_is_that_of_the_whole() -> None:
    columns = ", ".join(f"col_{'x' * number}" for number in range(100))
    (found,) = digest(mysql_event(f"SELECT {columns} FROM t WHERE a = 5")).classes
    whole = f"select {columns} from t where a = ?"
    assert len(whole) > 5000
    assert (found.fingerprint, found.query_id) == (whole[:5000], query_id(whole.encode()))


def test_errors_are_counted_where_the_log_tells_them() -> None:
    ok, failed = (
        mysql_event("SELECT 1").replace(b"ined: 10", b"ined: 10 Thread_id: 7 Errno: " + number)
        for number in (b"0", b"1064")
    )
    assert classes(digest(ok + failed + failed))["select ?"].errors == 2
    assert classes(digest(mysql_event("SELECT 1")))["select ?"].errors is None
