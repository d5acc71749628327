import csv
import io
import json
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from artifact_kit import read_artifact_as
from benchpin.performance.comparing import compare
from benchpin.performance.findings import rank_query
from benchpin.performance.findings._advice import explain_of
from benchpin.performance.reading import validate
from benchpin.performance.snapshots import Snapshot, build_snapshot
from benchpin.performance.values import Dialect, Reading, SlowLog, Source

FIXTURES = Path(__file__).parents[2] / "fixtures/performance/digests"
POSTGRES = (FIXTURES / "pg_stat_statements_1_10.csv").read_bytes()
MARIADB = (FIXTURES / "mariadb1011.tsv").read_bytes()
MYSQL = json.dumps(
    [
        {
            "SCHEMA_NAME": "shop",
            "DIGEST_TEXT": "SELECT `id` FROM `orders` WHERE `customer` IN (...) LIMIT ?, ...",
            "COUNT_STAR": 4,
            "SUM_TIMER_WAIT": 8_000_400_000,
            "MIN_TIMER_WAIT": 1_000_000_000,
            "MAX_TIMER_WAIT": 5_000_000_000,
            "SUM_LOCK_TIME": 400_000_000,
            "SUM_SELECT_SCAN": 8,
            "SUM_SELECT_FULL_JOIN": 0,
            "QUANTILE_95": 5_011_872_336,
            "QUERY_SAMPLE_TEXT": "SELECT id FROM orders WHERE customer IN (47, 'hunter2') LIMIT 2",
        },
        {
            "SCHEMA_NAME": None,
            "DIGEST_TEXT": None,
            "COUNT_STAR": 2,
            "SUM_TIMER_WAIT": 2_000_000,
            "MIN_TIMER_WAIT": 1_000_000,
            "MAX_TIMER_WAIT": 1_000_000,
        },
    ]
).encode()


def read(content: bytes) -> SlowLog:
    found = read_artifact_as(validate(BytesIO(content), "a").detected_version or "", content)
    assert isinstance(found, SlowLog)
    return found


def snapshot_of(log: SlowLog, name: str) -> Snapshot:
    source = Source(name * 64, 1, "mysql_digests", log.version)
    return build_snapshot([Reading((source,), log)])


def counts(log: SlowLog) -> tuple[int, int]:
    return log.events, log.total_time_us


def test_pg_stat_statements_become_classes_with_the_sums_of_their_rows() -> None:
    log = read(POSTGRES)
    rows = list(csv.DictReader(io.StringIO(POSTGRES.decode())))
    assert log.events == sum(int(row["calls"]) for row in rows)
    exact = sum(float(row["total_exec_time"]) for row in rows) * 1_000
    assert abs(log.total_time_us - exact) < len(rows) / 2
    loop = next(it for it in log.classes if it.fingerprint.startswith("select sum(price)"))
    assert loop.fingerprint == "select sum(price) from items where order_id = ?"
    assert (loop.count, loop.max_us, loop.rows_sent, loop.databases) == (20, 4_869, 20, ("shop",))
    assert (loop.lock_time_us, loop.rows_examined, loop.p95_us) == (None, None, None)
    assert "hunter2" not in str(log)


def test_the_variance_is_that_of_the_server() -> None:
    loop = next(it for it in read(POSTGRES).classes if it.count == 20)
    row = next(it for it in csv.DictReader(io.StringIO(POSTGRES.decode())) if it["calls"] == "20")
    mean = loop.total_time_us / loop.count
    assert loop.squares_us2 is not None
    deviation = (loop.squares_us2 / loop.count - mean**2) ** 0.5
    assert deviation == pytest.approx(float(row["stddev_exec_time"]) * 1_000, abs=1)


def test_digests_of_mariadb_are_read_as_its_client_prints_them() -> None:
    log = read(MARIADB)
    loop = log.classes[0]
    assert loop.fingerprint == "select sum(`price`) from `items` where `order_id` = ?"
    assert (loop.count, loop.total_time_us, loop.rows_examined) == (20, 489_137, 2_000_000)
    assert (loop.full_scans, loop.lock_time_us, loop.squares_us2) == (20, 7_349, None)
    assert counts(log) == (26, 543_196)


def test_digests_of_mysql_keep_quantiles_and_no_value() -> None:
    log = read(MYSQL)
    found, other = log.classes
    assert found.fingerprint == "select `id` from `orders` where `customer` in(?+) limit ?"
    assert (found.total_time_us, found.p95_us, found.full_scans) == (8_000, 5_012, 4)
    assert found.example == "SELECT id FROM orders WHERE customer IN (0, '?') LIMIT 0"
    assert (other.fingerprint, other.count, other.lock_time_us) == ("(other)", 2, None)


@pytest.mark.parametrize("renamed", ["1.7", "1.11"])
def test_columns_of_other_versions_are_read(renamed: str) -> None:
    head, _, rest = POSTGRES.partition(b"\n")
    if renamed == "1.7":
        head = head.replace(b"_exec_time", b"_time")
    else:
        head = head.replace(b",blk_read_time", b",shared_blk_read_time")
    assert counts(read(head + b"\n" + rest)) == counts(read(POSTGRES))


def test_an_export_without_the_needed_columns_is_refused_by_name() -> None:
    found = validate(BytesIO(b"digest_text,count_star,sum_timer_wait\nSELECT ?,1,2000\n"), "a")
    assert found.detected_type is None
    assert "min_timer_wait, max_timer_wait" in found.errors[0]


def test_statements_without_extremes_are_read_with_their_mean() -> None:
    [found] = read(b"query,calls,total_exec_time\nSELECT 1,4,8.0\n").classes
    assert (found.count, found.total_time_us) == (4, 8_000)
    assert (found.min_us, found.max_us) == (2_000, 2_000)


def test_several_forms_of_json_are_the_same() -> None:
    rows = json.loads(MYSQL)
    lines = "\n".join(map(json.dumps, rows)).encode()
    pretty = "\n".join(json.dumps(it, indent=2) for it in rows).encode()
    assert counts(read(lines)) == counts(read(pretty)) == counts(read(MYSQL)) == (6, 8_002)


@pytest.mark.parametrize("content", [POSTGRES, MARIADB, MYSQL])
def test_a_cut_export_is_read_up_to_the_cut_and_says_so(content: bytes) -> None:
    whole = read(content)
    log = read(content[: len(content) * 4 // 5])
    assert 0 < log.events <= whole.events
    assert not log.is_complete
    assert log.faults


def test_numbers_that_nothing_can_have_counted_are_faults() -> None:
    for number in (b"1e999999999", b"-5", b"NaN", b"Infinity", b"9" * 5_000, b'"x"', b"[]"):
        log = read(MYSQL.replace(b"8000400000", number))
        assert {it.fingerprint for it in log.classes} <= {"(other)"}
        assert not log.is_complete


def test_rows_of_one_class_are_added_up() -> None:
    row = b"1,shop,SELECT %d,2,4.0,1.0,3.0\n"
    head = b"queryid,datname,query,calls,total_exec_time,min_exec_time,max_exec_time\n"
    (found,) = read(head + row % 1 + (row % 2).replace(b"shop", b"blog")).classes
    assert (found.count, found.total_time_us, found.databases) == (4, 8_000, ("blog", "shop"))


def test_statistics_without_a_variance_are_compared_with_the_largest_that_is_possible() -> None:
    def log(total: int) -> SlowLog:
        rows = json.loads(MYSQL)[:1]
        rows[0] |= {"COUNT_STAR": 100, "SUM_TIMER_WAIT": total * 10**9}
        return read(json.dumps(rows).encode())

    before, little, much = (
        snapshot_of(log(total), name) for total, name in ((200, "a"), (225, "b"), (400, "c"))
    )
    assert compare(before, little).verdict == "unchanged"
    assert compare(before, much).verdict == "regressed"


def test_an_explain_of_a_parameter_can_be_pasted() -> None:
    log = read(POSTGRES)
    snapshot = snapshot_of(log, "a")
    rows = [rank_query(it, snapshot.totals.query_time_us) for it in snapshot.queries]
    loop = next(it for it in rows if it.fingerprint.startswith("select sum(price)"))
    assert explain_of(loop, "postgres") == (
        "SET plan_cache_mode = force_generic_plan; PREPARE example AS "
        "SELECT sum(price) FROM items WHERE order_id = $1; "
        "EXPLAIN EXECUTE example(NULL); DEALLOCATE example;"
    )
    (first, *_) = snapshot_of(read(MARIADB), "b").queries
    assert explain_of(rank_query(first, 1), "mysql") == (
        "USE `shop`; EXPLAIN SELECT SUM(`price`) FROM `items` WHERE `order_id` = 1;"
    )


FORCED = "SET plan_cache_mode = force_generic_plan; PREPARE example AS "
ENDING = "; EXPLAIN EXECUTE example({}); DEALLOCATE example;"


@pytest.mark.parametrize(
    ("example", "dialect", "explained"),
    [
        (
            "SELECT a FROM t WHERE b = '?' AND c > date '?' AND d = $1",
            "postgres",
            FORCED
            + "SELECT a FROM t WHERE b = $2 AND c > $3::date AND d = $1"
            + ENDING.format("NULL, NULL, NULL"),
        ),
        ("SELECT a FROM t WHERE b = 0", "postgres", "EXPLAIN SELECT a FROM t WHERE b = 0;"),
        (
            "SELECT a FROM t GROUP BY 0, 0 ORDER BY 0 DESC LIMIT 0",
            "postgres",
            "EXPLAIN SELECT a FROM t GROUP BY 1, 1 ORDER BY 1 DESC LIMIT 20;",
        ),
        (
            "SELECT a FROM t WHERE b = '?' AND c = 0 LIMIT 0, 0",
            "mysql",
            "EXPLAIN SELECT a FROM t WHERE b = '2000-01-01' AND c = 0 LIMIT 0, 20;",
        ),
    ],
)
def test_an_explain_has_no_placeholder(example: str, dialect: Dialect, explained: str) -> None:
    (first, *_) = snapshot_of(read(MARIADB), "b").queries
    row = msgspec.structs.replace(
        rank_query(first, 1), fingerprint="select a from t", example=example, databases=()
    )
    assert explain_of(row, dialect) == explained


@pytest.mark.slow
@pytest.mark.parametrize("version", ["1.8", "1.9", "1.10"])
def test_totals_are_those_of_postgresql(postgres_exports: Path, version: str) -> None:
    calls, time_us = (postgres_exports / f"sums-{version}").read_text("utf-8").strip().split("|")
    for suffix in ("csv", "json"):
        log = read((postgres_exports / f"statements-{version}.{suffix}").read_bytes())
        assert log.events == int(calls)
        assert abs(log.total_time_us - int(time_us)) <= len(log.classes)
        assert "hunter2" not in str(log)


@pytest.mark.slow
def test_totals_are_those_of_mariadb(mariadb_exports: Path) -> None:
    calls, time_us = (mariadb_exports / "sums").read_text("utf-8").split()
    for name in ("digests.tsv", "digests.json"):
        log = read((mariadb_exports / name).read_bytes())
        assert log.events == int(calls)
        assert abs(log.total_time_us - int(time_us)) <= len(log.classes)


@pytest.mark.slow
def test_a_generic_plan_can_be_explained_as_advised(postgres_exports: Path) -> None:
    assert "Seq Scan on items" in (postgres_exports / "generic.txt").read_text("utf-8")
