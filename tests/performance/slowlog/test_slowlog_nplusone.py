import pytest

from benchpin.performance.slowlog import RepeatedQuery, find_repeated
from benchpin.performance.values import SlowLog
from slow_logs import digest, mariadb_event


def read(*statements: str, rows: int = 20) -> SlowLog:
    return digest(
        b"".join(
            mariadb_event(it).replace(b"Rows_sent: 1 ", b"Rows_sent: %d " % rows)
            for it in statements
        )
    )


def found_in(log: SlowLog) -> RepeatedQuery:
    (found,) = find_repeated(log.connections, log.classes)
    return found


def test_query_for_each_row_of_another_is_n_plus_one() -> None:
    each = [f"SELECT name FROM authors WHERE id = {number}" for number in range(20)]
    log = read("SELECT * FROM posts LIMIT 20", *each, "COMMIT")
    found = found_in(log)
    assert found.kind == "n_plus_one"
    assert found.reason == "20 in a row, after a query that returns 20 rows on average"
    assert (found.most, found.longest_run, found.worst_connection) == (20, 20, 7)
    assert (found.time_us, found.connections_time_us) == (2000, 2200)
    parents = {it.query_id: it.fingerprint for it in log.classes}
    assert found.parent_id is not None
    assert parents[found.parent_id] == "select * from posts limit ?"


@pytest.mark.parametrize(
    ("before", "rows", "reason"),
    [
        ([], 20, "12 in a row, with no query before them in the log"),
        (
            ["SELECT * FROM posts"],
            1,
            "12 in a row, after a query that does not return several rows",
        ),
        (
            ["UPDATE posts SET a = 1"],
            20,
            "12 in a row, after a query that does not return several rows",
        ),
    ],
)
def test_repetition_without_a_list_before_it_is_no_more(
    before: list[str], rows: int, reason: str
) -> None:
    each = [f"SELECT name FROM authors WHERE id = {number}" for number in range(12)]
    found = found_in(read(*before, *each, rows=rows))
    assert (found.kind, found.reason) == ("repetition", reason)


def test_scattered_repetition_is_no_more() -> None:
    each = [f"SELECT a FROM t WHERE id = {number}" for number in range(12)]
    mixed = [sql for pair in zip(each, ["SELECT NOW()"] * 12, strict=True) for sql in pair]
    assert found_in(read(*mixed)).reason == "at most 1 of 12 are in a row"


def test_of_runs_of_the_same_length_the_first_counts() -> None:
    each = ["SELECT a FROM t WHERE id = 1"] * 6
    assert found_in(read(*each, "SELECT * FROM posts", *each)).parent_id is None


def test_fewer_than_asked_for_and_what_has_no_values_are_left_out() -> None:
    log = read(*["SELECT a FROM t WHERE id = 1"] * 9, *["COMMIT"] * 20, *["SET a = 1"] * 20)
    assert find_repeated(log.connections, log.classes) == []
    assert [it.most for it in find_repeated(log.connections, log.classes, least=9)] == [9]
