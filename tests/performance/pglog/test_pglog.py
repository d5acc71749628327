import json
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import cast

import pytest

from benchpin.performance.exports import make_report
from benchpin.performance.findings import analyze
from benchpin.performance.formats import FileHead
from benchpin.performance.formats._postgres_log import FORMATS, read_postgres_log
from benchpin.performance.formats._postgres_messages import LogFormat, redact, skeleton
from benchpin.performance.reading import validate
from benchpin.performance.snapshots import build_snapshot
from benchpin.performance.values import Reading, SlowLog, Source
from waiting import WAIT_S

TEXT = b"""\
2026-11-16 13:54:33.147 UTC [7] LOG:  starting PostgreSQL 15.18 (Debian) on x86_64
2026-11-16 13:54:36.100 UTC [42] web@shop LOG:  duration: 2.500 ms  statement: SELECT *
\tFROM "Orders" -- LOG:  duration: 9.000 ms
\tWHERE id = 7 AND note = 'it''s';
2026-11-16 13:54:36.200 UTC [42] web@shop LOG:  duration: 0.100 ms  bind P_1: SELECT 1
2026-11-16 13:54:36.200 UTC [42] web@shop LOG:  duration: 0.300 ms  execute P_1: SELECT $1
2026-11-16 13:54:36.200 UTC [42] web@shop DETAIL:  parameters: $1 = '58811'
2026-11-16 13:54:36.300 UTC [43] web@shop ERROR:  relation "nope" does not exist
2026-11-16 13:54:36.300 UTC [43] web@shop STATEMENT:  SELECT 1 FROM nope;
2026-11-16 13:54:36.400 UTC [43] web@shop LOG:  statement: DELETE FROM t WHERE a = 1
2026-11-16 13:54:36.500 UTC [43] web@shop LOG:  duration: 7.000 ms
2026-11-16 13:54:37.100 UTC [42] web@shop LOG:  duration: 1.000 ms  statement: select *
\t from "Orders" where id = 8 and note = 'x'
"""
SERVER = """set -e; export PATH=$PATH:PROGRAMS; cd PLACE
initdb -D data -A trust >/dev/null
cat >>data/postgresql.conf <<C
unix_socket_directories='PLACE'
listen_addresses=''
fsync=off
logging_collector=on
log_directory='PLACE/logs'
log_filename='pg.log'
log_destination='stderr,csvlog,jsonlog'
log_min_duration_statement=0
log_line_prefix='%m [%p] %q%u@%d '
C
pg_ctl -D data -w start >/dev/null
trap 'pg_ctl -D data -m fast -w stop >/dev/null' EXIT
for i in 1 2 3; do echo "SELECT 'a''b', \\$\\$c\\$\\$, $i;"; done |
  psql -q -h PLACE postgres >/dev/null
"""
CSV = (
    b'2026-11-16 13:54:36.100 UTC,"web","shop",42,"[local]",a.1,1,"SELECT",x,3/9,0,LOG,00000,'
    b'"duration: 2.500 ms  statement: SELECT ""a"",\n 7",,,,,,,,,"psql","client backend",,0\n'
)
JSON = (
    b'{"timestamp":"2026-11-16 13:54:36.100 UTC","user":"web","dbname":"shop","pid":42,'
    b'"error_severity":"LOG","message":"duration: 2.500 ms  statement: SELECT \\"a\\",\\n 7"}\n'
)


def log_format(content: bytes) -> LogFormat | None:
    head = FileHead(BytesIO(content))
    return cast("LogFormat | None", next((it.name for it in FORMATS if it.fits(head)), None))


def _read(content: bytes, chunk: int = 1 << 16) -> SlowLog:
    form = log_format(content)
    assert form is not None
    file = BytesIO(content)
    return read_postgres_log(form, iter(lambda: file.read(chunk), b""))


@pytest.mark.parametrize("chunk", [1, 7, 64, 1 << 16])
def test_events_classes_and_times_are_those_of_the_log(chunk: int) -> None:
    log = _read(TEXT, chunk)
    assert [(it.fingerprint, it.count, it.total_time_us) for it in log.classes] == [
        ("delete from t where a = ?", 1, 7_000),
        ('select * from "orders" where id = ? and note = ?', 2, 3_500),
        ("select ?", 1, 300),
    ]
    assert (log.events, log.server, log.connection_count) == (4, "PostgreSQL 15.18", 2)
    orders = log.classes[1]
    assert (orders.users, orders.databases) == (("web",), ("shop",))
    assert (orders.evidence[0].line, orders.evidence[0].byte) == (
        2,
        TEXT.index(b"2026-11-16 13:54:36.100"),
    )
    assert orders.first_seen_us == 1_794_837_276_100_000
    assert "'it" not in orders.example


def test_locks_and_rows_are_unknown_and_not_zero() -> None:
    log = _read(TEXT)
    assert log.lock_time_us is None
    assert {(it.lock_time_us, it.rows_sent, it.rows_examined) for it in log.classes} == {
        (None, None, None)
    }
    snapshot = build_snapshot([Reading((Source("a" * 64, 1, "postgresql_log", log.version),), log)])
    report = make_report(snapshot, analyze(snapshot)).markdown
    lines = [line.split("|") for line in report.splitlines() if line.startswith("| ")]
    at = next(line.index(" Lock time ") for line in lines if " Lock time " in line)
    assert {line[at].strip() for line in lines if len(line) > at and "select" in line[1]} == {"-"}


@pytest.mark.parametrize(
    ("content", "form"),
    [(TEXT, "postgresql-stderr"), (CSV, "postgresql-csv"), (JSON, "postgresql-json")],
)
def test_all_formats_are_recognised(content: bytes, form: LogFormat) -> None:
    found = validate(BytesIO(content), "a.log")
    assert (found.detected_type, found.detected_version) == ("postgresql_log", form)


@pytest.mark.parametrize("content", [CSV, JSON])
def test_csv_and_json_have_the_same_event(content: bytes) -> None:
    log = _read(content)
    (found,) = log.classes
    assert (found.fingerprint, found.total_time_us) == ('select "a", ?', 2_500)
    assert (found.users, found.databases, log.connection_count) == (("web",), ("shop",), 1)
    assert found.first_seen_us == 1_794_837_276_100_000


@pytest.mark.parametrize(
    "prefix",
    [
        b"2026-11-16 13:54:36 UTC [42]: user=web,db=shop,app=psql,client=[local] ",
        b"2026-11-16 14:54:36.000 +01 [42-1] web@shop ",
        b"1794837276.000 [42] web@shop ",
    ],
)
def test_prefixes_of_many_kinds_are_read(prefix: bytes) -> None:
    (found,) = _read(prefix + b"LOG:  duration: 1.000 ms  statement: SELECT 1\n").classes
    assert (found.users, found.databases) == (("web",), ("shop",))
    assert found.first_seen_us == 1_794_837_276_000_000


PLANNED = """2026-11-16 13:54:36.100 UTC [42] web@shop LOG:  duration: 12.046 ms  plan:
\tQuery Text: SELECT id FROM books WHERE title ILIKE '%t19%' ORDER BY title LIMIT 50
\tLimit  (cost=243.08..243.21 rows=50 width=186) (actual time=12.025..12.032 rows=50 loops=1)
\t  ->  Sort  (cost=243.08..243.56 rows=191 width=186) (actual time=12.02..12.03 rows=50 loops=1)
\t        Sort Key: title
\t        ->  Seq Scan on books  (cost=0.00..236.74 rows=191 width=9) (actual rows=1111 loops=1)
\t              Filter: ((title)::text ~~* '%t19%'::text)
\t              Rows Removed by Filter: REMOVED
"""
STATED = """2026-11-16 13:54:36.102 UTC [42] web@shop LOG:  duration: 12.300 ms  statement: \
SELECT id FROM books WHERE title ILIKE '%t19%' ORDER BY title LIMIT 50
"""
NESTED = """2026-11-16 13:54:36.000 UTC [42] web@shop LOG:  duration: 0.020 ms  plan:
\tQuery Text: SELECT 1 FROM ONLY "public"."authors" x WHERE "id" = $1 FOR KEY SHARE OF x
\tLockRows  (cost=0.15..8.18 rows=1 width=10) (actual time=0.01..0.01 rows=1 loops=1)
"""


@pytest.mark.parametrize(
    ("log", "scans"),
    [
        (PLANNED, 1),
        (PLANNED + STATED, 1),
        (NESTED + PLANNED + STATED, 1),
        (PLANNED.replace("REMOVED", "100") + STATED, 0),
        (PLANNED.replace("->  Seq Scan on", "->  Index Scan using i on") + STATED, 0),
        (PLANNED.replace("ILIKE '%t19%'", "= 'a'") + STATED, None),  # of another statement
        (PLANNED.replace("[42]", "[43]") + STATED, None),  # of another connection
        (STATED, None),
    ],
)
def test_a_plan_that_reads_a_table_for_few_rows_is_a_full_scan(log: str, scans: int | None) -> None:
    found = _read(log.replace("REMOVED", "18889").encode()).classes
    assert {it.full_scans for it in found if "ilike" in it.fingerprint} == {scans}


def test_a_plan_in_json_is_judged_alike() -> None:
    node: dict[str, str | int]
    node = {"Node Type": "Seq Scan", "Relation Name": "books", "Filter": "(a = 3)"}
    node |= {"Actual Rows": 3, "Actual Loops": 1, "Rows Removed by Filter": 5_000}
    plan = json.dumps({"Query Text": "SELECT b FROM books WHERE a = 3", "Plan": node}, indent=2)
    text = plan.replace("\n", "\n\t").encode()
    line = b"2026-11-16 13:54:36.100 UTC [42] web@shop LOG:  duration: 5.000 ms  plan:\n\t"
    (found,) = _read(line + text + b"\n").classes
    assert (found.fingerprint, found.full_scans) == ("select b from books where a = ?", 1)


def test_plans_count_only_where_nothing_else_does() -> None:
    plan = (
        b"2026-11-16 13:54:36.100 UTC [42] web@shop LOG:  duration: 5.000 ms  plan:\n"
        b"\tQuery Text: SELECT a\n\tFROM t WHERE b = 3;\n\tSeq Scan on t  (cost=0.00..1.00)\n"
    )
    (found,) = _read(plan).classes
    assert (found.fingerprint, found.total_time_us) == ("select a from t where b = ?", 5_000)
    assert _read(plan + TEXT).events == 4


@pytest.mark.parametrize(
    ("sql", "bare"),
    [
        (b"SELECT 'a''b', E'c\\'d', $$x ' y$$, $t$ $$ $t$", b"SELECT ?, ?, ?, ?"),
        (b'SELECT "it\'s", "a""b" FROM t1', b'SELECT "it\'s", "a""b" FROM t1'),
        (b"SELECT 1 /* a /* b */ 'c */ , 2 -- 'x\n, 3", b"SELECT ?   , ?  \n, ?"),
        (b"SELECT E'it\\'s --x'\n, 'a', 0xDEADBEEF7", b"SELECT ?\n, ?, ?"),
        (b"SELECT ' $$b', $$it's$$ FROM t", b"SELECT ?, ? FROM t"),
        (b"SELECT $1, 1.5e3, .5, x'1f', a1, 'open", b"SELECT ?, ?, ?, ?, a1, ?"),
        (b"SELECT '--', '/*', 7", b"SELECT ?, ?, ?"),
    ],
)
def test_literals_of_postgresql_are_recognised(sql: bytes, bare: bytes) -> None:
    assert skeleton(sql) == bare


def test_no_value_is_left_in_what_is_stored() -> None:
    chance = random.Random(7)  # noqa: S311 - the same statements in every run
    for _ in range(300):
        quote = chance.choice([(b"'", b"'"), (b"E'", b"'"), (b"$a$", b"$a$"), (b"$$", b"$$")])
        around = chance.choice([b"SELECT %s, 1", b'SELECT "n", %s', b"UPDATE t SET a=%s /* b */"])
        sql = around.replace(b"%s", quote[0] + b"secret -- /* x" + quote[1])
        assert b"secret" not in redact(sql), sql


@pytest.mark.parametrize(
    "plan",
    [
        b'Query Text: "SELECT a --c\\n FROM t WHERE token = \'hunter2\'"\n\tPlan:\n\t  Filter: "x"',
        b'{\n\t  "Query Text": "SELECT a FROM t WHERE token = \'hunter2\'", "Plan": "hunter2"\n\t}',
        b"Query Text: SELECT a FROM t WHERE token = 'hunter2'\n\tSeq Scan on t  (cost=0.00..1.00)",
    ],
)
def test_no_form_of_plan_leaves_a_value(plan: bytes) -> None:
    line = b"2026-11-16 13:54:36.100 UTC [42] web@shop LOG:  duration: 5.000 ms  plan:\n\t"
    (found,) = _read(line + plan + b"\n").classes
    assert found.fingerprint.startswith("select a")
    assert "hunter2" not in found.fingerprint + found.example


def test_damage_never_breaks_the_reader() -> None:
    chance = random.Random(3)  # noqa: S311 - the same damage in every run
    for content in (TEXT, CSV, JSON):
        for _ in range(150):
            damaged = bytearray(content)
            for _ in range(chance.randint(1, 9)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            if log_format(bytes(damaged)):
                _read(bytes(damaged))


@pytest.fixture
def postgres() -> Iterator[Path]:
    """Run three statements on a server of its own, and return the folder of its logs."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    is_root = os.geteuid() == 0
    if not programs or (is_root and shutil.which("setpriv") is None):
        pytest.skip("PostgreSQL is not installed, or cannot run as another user than root")
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if is_root else []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o777)  # the server is another user, and root may not run it
        script = SERVER.replace("PLACE", folder).replace("PROGRAMS", str(programs[-1]))
        subprocess.run(
            [*user, "bash", "-c", script], check=True, timeout=WAIT_S, capture_output=True
        )
        yield place / "logs"


@pytest.mark.slow
def test_a_real_server_logs_the_same_in_all_formats(postgres: Path) -> None:
    logs = [_read((postgres / f"pg.{it}").read_bytes()) for it in ("log", "csv", "json")]
    assert len({(it.events, it.total_time_us, len(it.classes)) for it in logs}) == 1
    assert {(it.fingerprint, it.count) for it in logs[0].classes} >= {("select ?, ?, ?", 3)}
