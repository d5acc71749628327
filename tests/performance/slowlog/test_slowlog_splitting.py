"""Text inside literals is no event, and a literal without an end swallows none."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.performance.slowlog import _events as splitting
from benchpin.performance.slowlog import redact_log
from slow_logs import FIXTURES, REAL, classes, digest, mariadb_event, mysql_event, real_log

FAKE = (
    "# Time: 2026-01-01T00:00:00.000000Z\n"
    "# User@Host: evil[evil] @ evil []  Id: 666\n"
    "# Query_time: 99.000000  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1\n"
    "SET timestamp=1;\n"
)
"""A whole header, as a program may store it in a message."""


@pytest.mark.parametrize("make", [mysql_event, mariadb_event])
@pytest.mark.parametrize(
    "statement",
    [
        f"INSERT INTO t VALUES ('x\n{FAKE}SELECT 666')",
        f"INSERT INTO t VALUES ('x;\n{FAKE}SELECT 666;\n{FAKE}SELECT 667;\n')",
        f'INSERT INTO t VALUES ("x;\n{FAKE}SELECT 666")',
        f"INSERT INTO t VALUES ('it''s;\n{FAKE}SELECT ''a'' FROM b;\n')",
        f"INSERT INTO t VALUES ('it\\'s;\n{FAKE}SELECT \\'a\\' FROM b;\n')",
        f"INSERT INTO t VALUES /* ;\n{FAKE}SELECT 666;\n*/ ('a')",
        "INSERT INTO t VALUES ('" + f";\n{FAKE}SELECT 666" * 50 + "')",
    ],
)
def test_headers_in_literals_and_comments_are_no_events(make: object, statement: str) -> None:
    assert callable(make)
    log = digest(make("SELECT 1") + make(statement) + make("SELECT 2") + make("SELECT 3"))
    assert (log.events, log.total_time_us, log.is_complete) == (4, 400, True)
    assert {it.fingerprint: it.count for it in log.classes} == {
        "select ?": 3,
        "insert into t values(?+)": 1,
    }
    assert [it.id for it in log.connections] == [7]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 'oops",
        "SELECT * FROM t WHERE a = 'C:\\' AND b = 'x'",
        "SELECT /* never closed",
        "SELECT \"it's",
    ],
)
def test_literal_without_an_end_swallows_no_event(statement: str) -> None:
    others = [f"SELECT * FROM t WHERE name = 'name{number}'" for number in range(30)]
    events = [statement, *others[:10], statement, *others[10:]]
    log = digest(b"".join(map(mysql_event, events)))
    assert log.events == len(events)
    assert classes(log)["select * from t where name = ?"].count == 30


def test_log_of_a_server_in_many_modes_is_read_whole() -> None:
    content = gzip.decompress((FIXTURES / "mariadb1011_modes.txt.gz").read_bytes())
    assert content.count(b"\n# Query_time: ") == 43
    log = digest(content)
    assert (log.events, log.total_time_us, log.is_complete) == (40, 11_701, True)
    copy = b"".join(redact_log([content]))
    assert b"zq" in content
    assert b"zq" not in copy
    assert not any("zq" in it.fingerprint + it.example for it in log.classes)
    assert [(it.query_id, it.count) for it in digest(copy).classes] == [
        (it.query_id, it.count) for it in log.classes
    ]


def test_text_of_a_literal_without_an_end_is_not_in_its_class() -> None:
    log = digest(mysql_event("SELECT a FROM t WHERE b = 5 AND c = 'my secret, and 17"))
    assert log.classes[0].fingerprint == "select a from t where b = ? and c = ?"
    assert log.classes[0].example == "SELECT a FROM t WHERE b = 0 AND c = '?'"


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("chunk_bytes", [97, 4096])
def test_chunks_make_no_difference(name: str, chunk_bytes: int) -> None:
    log = real_log(name)
    assert digest(log, chunk_bytes) == digest(log)


@given(st.lists(st.sampled_from(["SELECT 'a;\n# Time: x'", "SET a='\"'", FAKE, "SELECT 1"])))
def test_chunks_make_no_difference_to_odd_statements(statements: list[str]) -> None:
    log = b"".join(map(mysql_event, statements))
    assert digest(log, 50) == digest(log)


def test_event_that_is_cut_at_the_end_is_counted_and_named() -> None:
    whole = mysql_event("SELECT 1")
    log = digest(whole + mysql_event("SELECT 'abc', 2")[:-8])
    assert (log.events, log.is_complete) == (2, False)
    (fault,) = log.faults
    assert fault.place == f"line 6, byte {len(whole)}"
    assert fault.problem == "the last event has no end: the log was cut"


def test_header_that_is_cut_at_the_end_is_named() -> None:
    whole = mysql_event("SELECT 1")
    log = digest(whole + mysql_event("SELECT 2")[:80])
    assert (log.events, log.is_complete) == (1, False)
    (fault,) = log.faults
    assert (fault.place, fault.problem) == (
        f"line 6, byte {len(whole)}",
        "a header without a statement: the log was cut",
    )


def test_end_of_a_cut_event_at_the_beginning_is_named() -> None:
    log = digest(b"FROM t WHERE a = 'secret';\n" + mysql_event("SELECT 1"))
    assert (log.events, log.is_complete) == (1, False)
    assert [it.problem for it in log.faults] == ["text outside of any event"]


@pytest.mark.parametrize("content", [b"", b"\n", b"no log at all\n" * 3, b"\x00\xff" * 1000])
def test_file_without_an_event_says_so(content: bytes) -> None:
    log = digest(content)
    assert (log.events, log.classes, log.is_complete) == (0, (), False)
    assert log.faults[-1].problem == "no event: no line begins with `# Query_time:`"


@given(st.binary(max_size=300))
def test_garbage_between_events_costs_nothing_but_itself(garbage: bytes) -> None:
    log = digest(mysql_event("SELECT 1") + garbage)
    assert log.events >= 1


def test_mark_without_a_time_is_named() -> None:
    log = digest(mysql_event("SELECT 1") + b"# Query_time: soon\nSELECT 2;\n" + mysql_event("DO 3"))
    assert [it.fingerprint for it in log.classes] == ["do ?", "select ?"]
    assert [it.problem for it in log.faults] == ["an event without a time"]


@pytest.mark.parametrize("before", [b"", mysql_event("SELECT 1")])
def test_event_that_is_too_long_is_shortened(
    before: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splitting, "_MAX_EVENT_BYTES", 2000)
    monkeypatch.setattr(splitting, "_KEPT_OF_LONG_EVENT", 1000)
    long = mysql_event("INSERT INTO t VALUES ('" + "x\n" * 5000 + "')", time="0.000500")
    log = digest(before + long + mysql_event("SELECT 1", time="0.000300"), 100)
    assert [it.problem for it in log.faults] == ["an event longer than 1 MiB was shortened"]
    found = classes(log)
    places = [found[text].evidence[0] for text in ("insert into t values(?+)", "select ?")]
    assert [(it.time_us, it.byte, it.line) for it in places] == [
        (500, len(before), before.count(b"\n") + 1),
        (300, len(before + long), (before + long).count(b"\n") + 1),
    ]
