"""The forms that servers gave their logs, each written for this test after what they print."""

import re

import pytest

from slow_logs import classes, digest, mariadb_event, mysql_event

MYSQL_41 = b"""\
/usr/sbin/mysqld, Version: 4.1.22-log. started with:
Tcp port: 3306  Unix socket: /tmp/mysql.sock
Time                 Id Command    Argument
# Time: 060102  3:04:05
# User@Host: web[web] @ app1 [10.0.0.5]
# Query_time: 3  Lock_time: 1  Rows_sent: 10  Rows_examined: 5000
use shop;
SELECT * FROM stock WHERE bin = 17;
# User@Host: web[web] @ app1 [10.0.0.5]
# Query_time: 2  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
SELECT * FROM stock WHERE bin = 18;
"""
PERCONA_51 = b"""\
# Time: 110712 14:15:16
# User@Host: [SQL_SLAVE] @  []
# Thread_id: 44  Schema: shop  Last_errno: 0  Killed: 0
# Query_time: 0.726052  Lock_time: 0.000091  Rows_sent: 0  Rows_examined: 62951  Rows_affected: 9
# Bytes_sent: 0  Tmp_tables: 0  Tmp_disk_tables: 0  Tmp_table_sizes: 0
# QC_Hit: No  Full_scan: Yes  Full_join: No  Tmp_table: No  Tmp_table_on_disk: No
# Filesort: No  Filesort_on_disk: No  Merge_passes: 0
#   InnoDB_IO_r_ops: 1  InnoDB_IO_r_bytes: 2  InnoDB_IO_r_wait: 3.000003
#   InnoDB_pages_distinct: 24
SET timestamp=1310480116;
UPDATE stock SET sold = 1
  WHERE bin IN (1, 2, 3);
# User@Host: web[web] @  [10.0.0.5]
# Thread_id: 45  Schema: shop  Last_errno: 1146  Killed: 0
# Query_time: 0.000172  Lock_time: 0.000048  Rows_sent: 0  Rows_examined: 0  Rows_affected: 0
# No InnoDB statistics available for this query
SET timestamp=1310480117;
SELECT * FROM nowhere;
"""
MYSQL_57 = b"""\
# Time: 2016-07-20T18:13:25.698433Z
# User@Host: root[root] @ localhost [127.0.0.1]  Id:     3
# Query_time: 0.003464  Lock_time: 0.000324 Rows_sent: 1000  Rows_examined: 2000
use shop;
SET timestamp=1469038405;
SELECT * FROM stock LIMIT 0, 1000;
# Time: 2016-07-20T20:13:26.698433+02:00
# User@Host: root[root] @ localhost []  Id:     3
# Query_time: 0.000003  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 4
SET timestamp=1469038406;
# administrator command: Quit;
"""


def test_mysql_4_counts_whole_seconds_and_tells_the_time_now_and_then() -> None:
    log = digest(MYSQL_41)
    assert (log.server, log.events, log.total_time_us) == ("4.1.22-log", 2, 5_000_000)
    (found,) = log.classes
    assert found.fingerprint == "select * from stock where bin = ?"
    assert (found.lock_time_us, found.rows_examined) == (1_000_000, 5000)
    assert found.first_seen_us == found.last_seen_us == 1_136_171_045_000_000
    assert (found.databases, found.users) == (("shop",), ("web",))
    assert (found.full_scans, found.errors, log.connections) == (None, None, ())
    assert log.is_complete


def test_percona_tells_of_scans_errors_and_connections() -> None:
    log = digest(PERCONA_51)
    found = classes(log)
    update = found["update stock set sold = ? where bin in(?+)"]
    assert (update.full_scans, update.errors, update.users) == (1, 0, ("SQL_SLAVE",))
    select = found["select * from nowhere"]
    assert (select.full_scans, select.errors) == (None, 1)
    assert [it.id for it in log.connections] == [44, 45]


def test_mysql_5_tells_microseconds_and_zones() -> None:
    log = digest(MYSQL_57)
    assert (log.first_seen_us, log.last_seen_us) == (1_469_038_405_698_433, 1_469_038_406_698_433)
    found = classes(log)
    assert found["select * from stock limit ?"].databases == ("shop",)
    assert found["administrator command: Quit"].rows_examined == 0
    assert [(it.id, it.events) for it in log.connections] == [(3, 2)]


def test_time_and_user_may_share_a_line() -> None:
    log = digest(
        b"# Time: 071218 11:48:27 # User@Host: [SQL_SLAVE] @  []\n# Thread_id: 10\n"
        b"# Query_time: 0.000012  Lock_time: 0.000000  Rows_sent: 0  Rows_examined: 0\nBEGIN;\n"
    )
    assert (log.events, log.first_seen_us) == (1, 1_197_978_507_000_000)
    assert log.classes[0].users == ("SQL_SLAVE",)


@pytest.mark.parametrize(
    ("line", "time_us", "lock_us"),
    [
        (b"# Query_time: 2", 2_000_000, 0),
        (b"# Query_time: 0.5  Rows_sent: 1", 500_000, 0),
        (b"# Query_time: 10  Lock_time: 0.000003", 10_000_000, 3),
        (b"# Query_time: 1.0000019  Lock_time: 0", 1_000_001, 0),
        (b"# Query_time:   0.25  Lock_time: 0", 250_000, 0),
    ],
)
def test_times_are_exact_in_any_form(line: bytes, time_us: int, lock_us: int) -> None:
    log = digest(line + b"\nSELECT 1;\n")
    assert (log.events, log.total_time_us, log.lock_time_us) == (1, time_us, lock_us)
    assert log.is_complete


@pytest.mark.parametrize(
    "time", [b"18446744073708.796870.000036", b"18446744073709.551615", b"1.5e3"]
)
def test_time_of_a_clock_that_went_backwards_is_a_fault(time: bytes) -> None:
    log = digest(
        b"# Time: 081116 15:07:11 # User@Host: a[a] @ b [10.1.65.120]\n"
        b"# Query_time: " + time + b"  Lock_time: 0.000036  Rows_sent: 1\n"
        b"SELECT 1;\n"
    )
    assert (log.events, log.total_time_us, log.lock_time_us) == (1, 0, 36)
    assert [(it.place, it.problem) for it in log.faults] == [
        ("line 1, byte 0", "an impossible time, counted as 0")
    ]
    assert not log.is_complete


def test_plan_of_mariadb_tells_of_full_scans() -> None:
    plan = (
        "#\n# explain: id\tselect_type\ttable\ttype\tpossible_keys\n"
        "# explain: 1\t{kind}\tstock\t{how}\tNULL\n#\n"
    )
    log = digest(
        mariadb_event("SELECT 1 FROM a", notes=plan.format(kind="SIMPLE", how="ALL"))
        + mariadb_event("SELECT 1 FROM b", notes=plan.format(kind="SIMPLE", how="ref"))
        + mariadb_event("INSERT INTO c VALUES (1)", notes=plan.format(kind="INSERT", how="ALL"))
    )
    scans = {it.fingerprint: it.full_scans for it in log.classes}
    assert scans == {
        "select ? from a": 1,
        "select ? from b": 0,
        "insert into c values(?+)": 0,
    }


def test_warnings_in_the_header_do_not_belong_to_the_statement() -> None:
    notes = "# Warnings\n# Warning   1292 Truncated incorrect DOUBLE value: 'x'\n"
    assert list(classes(digest(mariadb_event("SELECT 1", notes=notes)))) == ["select ?"]


def test_windows_line_ends_change_nothing() -> None:
    log = mysql_event("SELECT 1\n  FROM t") + MYSQL_57 + PERCONA_51
    unix, windows = digest(log), digest(log.replace(b"\n", b"\r\n"))
    assert windows.is_complete
    assert [(it.query_id, it.count, it.total_time_us, it.users) for it in windows.classes] == [
        (it.query_id, it.count, it.total_time_us, it.users) for it in unix.classes
    ]
    assert windows.first_seen_us == unix.first_seen_us


def test_banner_in_the_middle_swallows_nothing() -> None:
    banner = (
        b"mariadbd, Version: 11.4.2-MariaDB-log (MariaDB Server). started with:\n"
        b"Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\n"
        b"Time\t\t    Id Command\tArgument\n"
    )
    log = digest(
        banner * 2 + mariadb_event("SELECT 1") + banner * 3 + mariadb_event("SELECT 2") + banner
    )
    assert [(it.fingerprint, it.count) for it in log.classes] == [("select ?", 2)]
    assert (log.server, log.is_complete) == ("11.4.2-MariaDB-log (MariaDB Server)", True)


def test_statement_that_begins_with_a_comment_is_one() -> None:
    log = digest(mariadb_event("# from the shop\nSELECT 1") + mysql_event("-- again\nSELECT 2"))
    assert [(it.fingerprint, it.count) for it in log.classes] == [("select ?", 2)]


def test_event_without_a_statement_is_counted() -> None:
    log = digest(
        b"# User@Host: a[a] @ b []\n# Query_time: 1  Lock_time: 0  Rows_sent: 0\n"
        b"# User@Host: a[a] @ b []\n# Query_time: 2  Lock_time: 0  Rows_sent: 0\nSELECT 1;\n"
    )
    assert [(it.fingerprint, it.total_time_us) for it in log.classes] == [
        ("select ?", 2_000_000),
        ("", 1_000_000),
    ]


def test_settings_before_a_statement_may_be_several() -> None:
    log = digest(
        b"# User@Host: a[a] @ b []\n# Query_time: 0.000530  Lock_time: 0.000027\n"
        b"SET last_insert_id=4,insert_id=34484549,timestamp=1197996507;\n"
        b"INSERT INTO t VALUES (1);\n"
    )
    assert list(classes(log)) == ["insert into t values(?+)"]
    assert log.first_seen_us == 1_197_996_507_000_000


def test_an_empty_comment_ends_where_it_ends() -> None:
    events = [mysql_event(f"select /**/ id from t where a={n}") for n in range(3)]
    events.append(mysql_event("select/**/a/**/from/**/t"))
    log = digest(b"".join(events))
    assert log.events == 4
    assert classes(log)["select id from t where a=?"].count == 3


@pytest.mark.parametrize(
    "name", [b"Id", b"Query_time", b"Lock_time", b"Rows_sent", b"Rows_examined"]
)
def test_a_number_of_thousands_of_digits_costs_one_event_at_most(name: bytes) -> None:
    good = mysql_event("SELECT 1 FROM a")
    bad = re.sub(name + rb": +", name + b": " + b"9" * 6_000, good)
    assert bad != good
    [found] = digest(good + bad + good).classes
    assert found.count >= 2
