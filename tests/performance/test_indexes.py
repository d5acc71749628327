import pytest

from benchpin.performance.findings._advice import create_index, index_advice

pytest.importorskip("sqlglot")


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT * FROM t WHERE a = 0", ["a"]),
        ("SELECT * FROM t WHERE 0 = a", ["a"]),
        ("SELECT * FROM t WHERE c > 0 AND a = 0", ["a", "c"]),
        ("SELECT * FROM t WHERE a = 0 AND c BETWEEN 0 AND 0 ORDER BY d", ["a", "c"]),
        ("SELECT * FROM t WHERE a = 0 ORDER BY d DESC, e DESC LIMIT 0", ["a", "d", "e"]),
        ("SELECT * FROM t WHERE a = 0 ORDER BY d DESC, e", ["a"]),
        ("SELECT * FROM t WHERE a IN (0, 0) AND b = 0 ORDER BY d", ["b", "a"]),
        ("SELECT * FROM t WHERE 0=0 AND (a = '?' OR a = '?')", ["a"]),
        ("SELECT * FROM t WHERE a IS NULL", ["a"]),
        ("SELECT * FROM t WHERE a = 0 AND b LIKE '?'", ["a"]),
        ("SELECT * FROM t WHERE a = 0 AND NOT b = 0", ["a"]),
        ("UPDATE t SET x = 0 WHERE a = 0", ["a"]),
        ("DELETE FROM t WHERE a < 0", ["a"]),
    ],
)
def test_columns_are_those_that_an_index_can_search_in_their_order(
    sql: str, columns: list[str]
) -> None:
    found = index_advice(sql, "mysql")
    assert found is not None
    assert list(found.columns) == columns
    assert found.statement == create_index("t", columns, "mysql")


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT * FROM t WHERE a LIKE '?' OR b LIKE '?'", "OR"),
        ("SELECT * FROM t WHERE a = 0 OR b = 0", "OR"),
        ("SELECT * FROM t WHERE a LIKE '?'", "LIKE"),
        ("SELECT * FROM t WHERE DATE(a) = '?'", "function"),
        ("SELECT * FROM t WHERE a + 0 > 0", "calculation"),
        ("SELECT * FROM t WHERE a <> 0", "excludes"),
        ("SELECT * FROM t WHERE a = b", "function"),
    ],
)
def test_no_index_is_suggested_where_none_helps(sql: str, why: str) -> None:
    found = index_advice(sql, "mysql")
    assert found is not None
    assert (found.columns, found.statement) == ((), None)
    assert why in found.why


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "INSERT INTO t VALUES (0)",
        "SELECT * FROM t",
        "SELECT * FROM a JOIN b ON a.id = b.id WHERE a.x = 0",
        "SELECT * FROM t WHERE a IN (SELECT b FROM u)",
        "no statement ((",
        "SELECT " + "(" * 2000,
        "",
    ],
)
def test_nothing_is_said_about_what_the_server_decides(sql: str) -> None:
    assert index_advice(sql, "mysql") is None


def test_it_is_only_possible_where_the_log_hides_how_many_rows_match() -> None:
    sure = index_advice("SELECT x FROM t WHERE a = 0", "mysql")
    counted = index_advice("SELECT COUNT(*) FROM t WHERE a = 0", "mysql")
    assert sure is not None
    assert counted is not None
    assert (sure.certainty, counted.certainty) == ("likely", "possible")


def test_names_are_quoted_as_the_dialect_does() -> None:
    mysql = create_index("shop.t`x", ["order"], "mysql")
    assert mysql == "CREATE INDEX `idx_t``x_order` ON `shop`.`t``x` (`order`);"
    found = index_advice('SELECT * FROM "Orders" WHERE id = $1', "postgres")
    assert found is not None
    assert found.statement == 'CREATE INDEX "idx_Orders_id" ON "Orders" ("id");'
