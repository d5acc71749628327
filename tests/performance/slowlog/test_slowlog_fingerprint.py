"""Classes as pt-query-digest 3.2.1 and 3.5.7 print them: the right-hand sides are their output."""

import pytest

from benchpin.performance.slowlog import fingerprint, query_id

AS_PT_QUERY_DIGEST = [
    (
        "SELECT c FROM t WHERE id = 5 AND name = 'Ann' LIMIT 10",
        "select c from t where id = ? and name = ? limit ?",
    ),
    (
        "select  a,b\n\tfrom T1 where x in (1,2 , 3) and y not in ('a','b')",
        "select a,b from t? where x in(?+) and y not in(?+)",
    ),
    (
        "SELECT * FROM users_2009 WHERE a=-1.5e-3 OR b=+2 OR c=.5",
        "select * from users_? where a=? or b=? or c=?",
    ),
    (
        "INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y'), (3, NOW())",
        "insert into t (a, b) values(?+)",
    ),
    (
        "INSERT IGNORE INTO t VALUES (1, 'x'), (2, 'y') ON DUPLICATE KEY UPDATE a = 3",
        "insert ignore into t values(?+)",
    ),
    ("REPLACE INTO t VALUES (NULL, TRUE), (1, false)", "replace into t values(?+)"),
    ("insert into t set a = null, b = 7", "insert into t set a = ?, b = ?"),
    (
        "SELECT /* hidden 5 */ a FROM t -- trailing 6\nWHERE b = 1 # more\n AND c = 2",
        "select a from t where b = ? and c = ?",
    ),
    ("SELECT /*!40001 SQL_NO_CACHE */ * FROM `orders`", "mysqldump"),
    ("SELECT /*!80000 x */ 1 FROM t", "select /*!? x */ ? from t"),
    ("REPLACE /*shop.orders:3/7*/ INTO percona.checksums VALUES (1)", "percona-toolkit"),
    ("CALL shop.restock(17, 'abc')", "call shop.restock"),
    ("USE shop", "use ?"),
    ("administrator command: Ping", "administrator command: Ping"),
    ("SELECT 1 UNION SELECT 2 UNION SELECT 3", "select ? /*repeat union*/"),
    (
        "SELECT a FROM t WHERE b = 1 UNION ALL SELECT a FROM t WHERE b = 2",
        "select a from t where b = ? /*repeat union all*/",
    ),
    (
        "SELECT a FROM t ORDER BY a ASC, b DESC, c asc LIMIT 5, 10",
        "select a from t order by a, b desc, c limit ?",
    ),
    ("SELECT a FROM t LIMIT 5 OFFSET 10", "select a from t limit ?"),
    (
        "SELECT a FROM t WHERE b IN (SELECT c FROM d WHERE e IN (1,2)) AND f IN ()",
        "select a from t where b in (select c from d where e in(?+)) and f in(?+)",
    ),
    (
        "UPDATE t SET a = a + 1, b = b-1 WHERE `c d` = 'x'",
        "update t set a = a ? ?, b = ? where `c d` = ?",
    ),
    (
        'SELECT a FROM t WHERE b = \'it\\\'s\' AND c = "say \\"hi\\""',
        "select a from t where b = ? and c = ?",
    ),
    ("SELECT b'101', 0x1f, 0b11, x'ff'", "select ?, ?, ?, ?"),
    ("SELECT * FROM db2.t3 AS t4 WHERE col5 = 6", "select * from d?t? as t? where col? = ?"),
    ("SET NAMES utf8mb4", "set names utf?m?"),
    ("SELECT @@session.sql_mode, @a := 5", "select @@session.sql_mode, @a := ?"),
    (
        "SELECT a FROM t WHERE (b, c) IN ((1,2),(3,4))",
        "select a from t where (b, c) in ((?,?),(?,?))",
    ),
    ("SELECT DATE '2026-01-01', INTERVAL 5 DAY", "select date ?, interval ? day"),
    (
        "SELECT a FROM t FORCE INDEX (idx_1) WHERE b IS NULL",
        "select a from t force index (idx_?) where b is ?",
    ),
    ("select values(a), value (1,2)", "select values(a), value(?+)"),
    ("SELECT 1E5", "select ?e?"),
    (
        "SELECT a FROM (SELECT b FROM t LIMIT 5, 6) x LIMIT 7, 8",
        "select a from (select b from t limit ?) x limit ?, ?",
    ),
    ("SELECT a FROM t WHERE b = 'x'AND c='y'", "select a from t where b = ?and c=?"),
]


@pytest.mark.parametrize(("sql", "text"), AS_PT_QUERY_DIGEST)
def test_classes_are_those_of_pt_query_digest(sql: str, text: str) -> None:
    assert fingerprint(sql.encode()).decode() == text


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT 'it''s', 1", "select ??, ?"),
        ("SELECT 'back\\\\', 'secret'", "select ?, ?"),
        ("SELECT 0xDEADBEEF, 0Xff, -0xAB", "select ?, ?, ?"),
        ("SELECT 'a\"b', 'c\"d'", "select ?, ?"),
        ("SELECT 1 -- it's a secret\n, 2", "select ? , ?"),
        ("SELECT `a'b`, `c#d` FROM t", "select `a'b`, `c#d` from t"),
        ("CALL p('secret',f(1))", "call p"),
        ("SELECT 'C:\\', 'secret'", "select ?"),
        ("SELECT 2 ", "select ?"),
    ],
)
def test_literals_never_show_where_pt_query_digest_lets_them(sql: str, text: str) -> None:
    assert fingerprint(sql.encode()).decode() == text.replace("??", "?")


def test_id_is_the_checksum_of_pt_query_digest() -> None:
    assert query_id(b"select ?") == "1FE1379FE2A31B8D16219655761820A2"


def test_long_statement_takes_no_time_to_speak_of() -> None:
    rows = ",".join(f"({number},'name {number}')" for number in range(50_000))
    assert fingerprint(f"INSERT INTO t VALUES {rows}".encode()) == b"insert into t values(?+)"
    union = " UNION ALL ".join(f"SELECT {number} AS n{'x' * number}" for number in range(500))
    assert fingerprint(union.encode()).startswith(b"select ? as n union all select ? as nx")
