"""No literal survives redaction, and nothing else is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.performance.slowlog import fingerprint, redact_log, redact_sql
from slow_logs import REAL, digest, mariadb_event, mysql_event, real_log

MARKER = "zq"
"""In every secret, and nowhere else."""
contents = st.text("abz'\"\\;#\n -*/%`é0123", max_size=12).map(lambda it: f"{MARKER}{it}{MARKER}")


def escaped(content: str, quote: str) -> str:
    return quote + content.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


def doubled(content: str, quote: str) -> str:
    return quote + content.replace("\\", "\\\\").replace(quote, quote * 2) + quote


strings = st.builds(
    lambda content, write, quote, before: before + write(content, quote),
    contents,
    st.sampled_from([escaped, doubled]),
    st.sampled_from("'\""),
    st.sampled_from(["", "", "_utf8mb4", "DATE "]),
)
numbers = st.one_of(
    st.integers(70_000, 10**12).map(lambda it: f"{it:X}".replace("B", "7")).map("0x{}".format),
    st.integers(70_000, 10**12).map("{:x}".format).map("X'{}'".format),
    st.integers(70_000, 10**12).map(str),
    st.integers(70_000, 10**12).map("-{}.70007e5".format),
)
comments = st.one_of(
    st.text("ab'\";#", max_size=5).map(lambda it: f"/* {MARKER}{it} */"),
    st.text("ab'\";#", max_size=5).map(lambda it: f"-- {MARKER}{it}\n"),
    st.text("ab'\";", max_size=5).map(lambda it: f"#{MARKER}{it}\n"),
)
code = st.sampled_from(
    [
        "SELECT",
        "a",
        "`b c`",
        "t1.col",
        "=",
        ",",
        "(",
        ")",
        "IN (",
        "FROM",
        "+",
        "NULL",
        "/*!50100 a */",
    ]
)
statements = st.lists(st.one_of(code, strings, numbers, comments), max_size=12).map(" ".join)


@given(statements)
def test_nothing_of_a_literal_or_comment_is_left(sql: str) -> None:
    redacted = redact_sql(sql.encode()).decode()
    assert MARKER not in redacted
    assert MARKER not in fingerprint(sql.encode()).decode()
    assert not re.search(r"[0-9A-Fa-f]{5}", redacted.replace("50100", ""))


@given(statements, st.integers(0, 200))
def test_nothing_of_a_literal_is_left_of_a_statement_that_was_cut(sql: str, length: int) -> None:
    cut = sql.encode()[:length]
    assert MARKER.encode() not in redact_sql(cut)
    assert MARKER.encode() not in fingerprint(cut)


@given(
    st.lists(
        st.lists(st.sampled_from(["\\", "'", '"', " ", ";", "x"]), max_size=5),
        min_size=1,
        max_size=5,
    )
)
def test_nothing_of_a_literal_is_left_where_backslashes_do_not_escape(
    contents: list[list[str]],
) -> None:
    written = [MARKER + "".join(content).replace("'", "''") for content in contents]
    sql = "SELECT " + ", ".join(f"'{content}'" for content in written) + " FROM t"
    assert MARKER.encode() not in redact_sql(sql.encode())
    assert MARKER.encode() not in fingerprint(sql.encode())


@given(statements)
def test_redacted_statement_stays_as_it_is(sql: str) -> None:
    redacted = redact_sql(sql.encode())
    assert redact_sql(redacted) == redacted


@given(statements)
def test_redacted_statement_is_of_the_same_class(sql: str) -> None:
    assert fingerprint(redact_sql(sql.encode())) == fingerprint(sql.encode())


@given(st.binary(max_size=60))
def test_anything_can_be_redacted(sql: bytes) -> None:
    redacted = redact_sql(sql)
    assert redact_sql(redacted) == redacted


@pytest.mark.parametrize(
    ("sql", "redacted"),
    [
        ("SELECT 'it''s', \"say \"\"hi\"\"\", 'q\\'uote'", "SELECT '?', '?', '?'"),
        ("SELECT x'00FF', X'00ff', 0xDEAD, 0Xbeef", "SELECT x'00', X'00', 0x0, 0x0"),
        ("SELECT b'1011', 0b101, N'x', _utf8'y'", "SELECT b'0', 0b0, N'?', _utf8'?'"),
        (
            "SELECT 17, -1.5E-10, .5, 1e3, 2024_orders.c1",
            "SELECT 0, -0.0E-0, .0, 0e0, 2024_orders.c1",
        ),
        ("SELECT 1 /* token=abc */ -- user 5\n# more", "SELECT 0 /* */ -- \n#"),
        ("CREATE USER a IDENTIFIED BY 'pw'", "CREATE USER a IDENTIFIED BY '?'"),
        ("SET PASSWORD FOR a = <secret>", "SET PASSWORD FOR a = <secret>"),
        ("SELECT a FROM t WHERE b = 'never clos", "SELECT a FROM t WHERE b = '?'"),
        ("SELECT a /* never clos", "SELECT a /* */"),
        ("VALUES ('C:\\', 'secret', 'D:\\', 'more')", "VALUES ('?'"),
        ("REPLACE /*shop.t:3/7*/ INTO c VALUES (1)", "REPLACE /*a.b:0/0*/ INTO c VALUES (0)"),
        ("SELECT 'Grüße', `naïve 5`", "SELECT '?', `naïve 5`"),
    ],
)
def test_statements_stay_sql(sql: str, redacted: str) -> None:
    assert redact_sql(sql.encode()).decode() == redacted


@pytest.mark.parametrize("name", REAL)
def test_redacted_log_is_digested_to_the_same(name: str) -> None:
    log = real_log(name)
    copy = b"".join(redact_log([log]))
    assert len(copy) < len(log)
    ours, theirs = digest(log), digest(copy)
    assert [
        (it.query_id, it.count, it.total_time_us, it.lock_time_us, it.full_scans, it.example)
        for it in ours.classes
    ] == [
        (it.query_id, it.count, it.total_time_us, it.lock_time_us, it.full_scans, it.example)
        for it in theirs.classes
    ]
    assert (ours.connections, ours.server, ours.first_seen_us) == (
        theirs.connections,
        theirs.server,
        theirs.first_seen_us,
    )


@given(st.lists(st.tuples(st.sampled_from([mysql_event, mariadb_event]), statements), max_size=5))
def test_no_literal_is_left_in_a_redacted_log(events: list[tuple[object, str]]) -> None:
    log = b"".join(make(f"SELECT {sql}") for make, sql in events if callable(make))
    copy = b"".join(redact_log(log[at : at + 99] for at in range(0, len(log), 99)))
    assert MARKER.encode() not in copy
    assert b"".join(redact_log([copy])) == copy
    assert [(it.query_id, it.count) for it in digest(copy).classes] == [
        (it.query_id, it.count) for it in digest(log).classes
    ]


def test_text_outside_events_and_warnings_are_redacted() -> None:
    notes = "# Warnings\n# Warning   1292 Truncated incorrect DOUBLE value: 'secret'\n"
    log = b"WHERE a = 'secret';\n" + mariadb_event("SELECT 1", notes=notes)
    copy = b"".join(redact_log([log]))
    assert b"secret" not in copy
    assert digest(copy).events == 1
