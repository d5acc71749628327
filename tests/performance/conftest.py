"""Database servers of our own, and what they say about the same small shop."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from waiting import WAIT_S

_POSTGRES = r"""set -e; export PATH=$PATH:PROGRAMS; cd PLACE
initdb -D data -A trust >/dev/null
cat >>data/postgresql.conf <<C
unix_socket_directories='PLACE'
listen_addresses=''
fsync=off
shared_preload_libraries='pg_stat_statements'
C
pg_ctl -D data -l log -w start >/dev/null
trap 'pg_ctl -D data -m fast -w stop >/dev/null' EXIT
ask() { psql -qAt -h PLACE postgres "$@"; }
ask >/dev/null <<S
CREATE EXTENSION pg_stat_statements VERSION '1.8';
CREATE TABLE orders (id serial PRIMARY KEY, customer int, status varchar(20), note text);
INSERT INTO orders (customer, status, note)
  SELECT i % 100, 'open', 'it''s ' || i FROM generate_series(1, 20000) i;
CREATE TABLE items (order_id int, price int);
INSERT INTO items SELECT i % 20000, i FROM generate_series(1, 40000) i;
ANALYZE;
SELECT pg_stat_statements_reset();
S
for i in 1 2 3 4 5 6; do echo "SELECT sum(price) FROM items WHERE order_id = $i;"; done |
  ask >/dev/null
ask -c "SELECT * FROM orders WHERE customer IN (1, 2) AND note <> 'hunter2' LIMIT 1" >/dev/null
ask -c "CREATE USER bob PASSWORD 'hunter2'"
for version in 1.8 1.9 1.10; do
  ask -c "DROP EXTENSION pg_stat_statements" \
    -c "CREATE EXTENSION pg_stat_statements VERSION '$version'" \
    -c "CREATE TEMP TABLE one AS SELECT * FROM pg_stat_statements" \
    -c "\copy (SELECT * FROM one) TO 'statements-$version.csv' CSV HEADER" \
    -c "\o statements-$version.json" -c "SELECT json_agg(one) FROM one" \
    -c "\o sums-$version" \
    -c "SELECT sum(calls), round((sum(total_exec_time) * 1000)::numeric) FROM one"
done
explain() { ask -c "$3" -c "\o $1" -c "EXPLAIN (ANALYZE, FORMAT JSON) $2"; }
explain scan.json "SELECT * FROM orders WHERE customer = 7 AND status = 'hunter2'" "SET jit = off"
explain index.json "SELECT * FROM orders WHERE id = 4711" "SET jit = off"
explain sort.json "SELECT * FROM orders ORDER BY note" "SET work_mem = '64kB'"
explain loop.json "SELECT count(*) FROM items i JOIN orders o ON o.id = i.order_id" \
  "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off"
explain estimate.json "SELECT * FROM orders WHERE id % 2 = 0" "SET jit = off"
psql -h PLACE postgres -c "EXPLAIN (FORMAT JSON) SELECT * FROM orders WHERE note = 'hunter2'" \
  >printed.json
ask -c "SET plan_cache_mode = force_generic_plan; PREPARE example AS SELECT sum(price) FROM items \
WHERE order_id = \$1" -c "EXPLAIN EXECUTE example(NULL); DEALLOCATE example;" >generic.txt
"""
_MARIADB = r"""set -e; cd PLACE
mariadb-install-db --no-defaults --user=root --datadir=PLACE/data >/dev/null
mariadbd --no-defaults --user=root --datadir=PLACE/data --socket=PLACE/s --pid-file=PLACE/pid \
  --skip-networking --skip-grant-tables --performance-schema=ON >log 2>&1 &
trap "kill -9 $!; wait" EXIT
until mariadb-admin --no-defaults --socket=PLACE/s ping >/dev/null 2>&1; do kill -0 $!; done
ask() { mariadb --no-defaults --socket=PLACE/s "$@"; }
ask <<S
CREATE DATABASE shop; USE shop;
CREATE TABLE orders
  (id INT PRIMARY KEY AUTO_INCREMENT, customer INT, status VARCHAR(20), note VARCHAR(100));
INSERT INTO orders (customer, status, note)
  SELECT seq % 100, 'open', CONCAT('it''s ', seq) FROM seq_1_to_20000;
CREATE TABLE items (order_id INT, price INT);
INSERT INTO items SELECT seq % 20000, seq FROM seq_1_to_40000;
ANALYZE TABLE orders, items;
TRUNCATE performance_schema.events_statements_summary_by_digest;
S
for i in 1 2 3 4 5 6; do echo "SELECT SUM(price) FROM items WHERE order_id = $i;"; done |
  ask shop >/dev/null
ask shop -e "SELECT * FROM orders WHERE customer IN (1, 2) AND note <> 'hunter2' LIMIT 1" >/dev/null
COLUMNS="JSON_OBJECT('SCHEMA_NAME', SCHEMA_NAME, 'DIGEST_TEXT', DIGEST_TEXT,
  'COUNT_STAR', COUNT_STAR, 'SUM_TIMER_WAIT', SUM_TIMER_WAIT, 'MIN_TIMER_WAIT', MIN_TIMER_WAIT,
  'MAX_TIMER_WAIT', MAX_TIMER_WAIT, 'SUM_LOCK_TIME', SUM_LOCK_TIME)"
ask shop <<S
CREATE TABLE one AS SELECT * FROM performance_schema.events_statements_summary_by_digest;
S
ask --batch -e "SELECT * FROM shop.one" >digests.tsv
ask --batch -N -r -e "SET SESSION group_concat_max_len = 16777216;
  SELECT CONCAT('[', GROUP_CONCAT($COLUMNS), ']') FROM shop.one" >digests.json
ask -N -e "SELECT SUM(COUNT_STAR), ROUND(SUM(SUM_TIMER_WAIT) / 1000000) FROM shop.one" >sums
ask shop -N -r -e "ANALYZE FORMAT=JSON
  SELECT * FROM orders WHERE customer = 7 AND status = 'hunter2'" >scan.json
ask shop -e "ANALYZE FORMAT=JSON SELECT * FROM orders WHERE id = 4711" >index.json
ask shop -N -r -e "ANALYZE FORMAT=JSON
  SELECT COUNT(*) FROM items i JOIN orders o ON o.id = i.order_id" >loop.json
ask shop -N -r -e "SET SESSION sort_buffer_size = 16384;
  ANALYZE FORMAT=JSON SELECT * FROM orders ORDER BY note" >sort.json
ask shop -e "EXPLAIN FORMAT=JSON SELECT * FROM orders WHERE note = 'hunter2'\G" >printed.json
"""


def _run(script: str, programs: Path | str = "") -> Iterator[Path]:
    is_postgres = bool(programs)
    is_root = os.geteuid() == 0
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o777)  # PostgreSQL does not run as root
        filled = script.replace("PLACE", folder).replace("PROGRAMS", str(programs))
        command = [*(user if is_postgres and is_root else ()), "bash", "-c"]
        subprocess.run(
            [*command, filled],
            check=True,
            timeout=WAIT_S,
            capture_output=True,
        )
        yield place


@pytest.fixture(scope="session")
def postgres_exports() -> Iterator[Path]:
    """Return a folder with exports and plans of a PostgreSQL server."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs or shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL is not installed, or cannot run as another user than root")
    yield from _run(_POSTGRES, programs[-1])


@pytest.fixture(scope="session")
def mariadb_exports() -> Iterator[Path]:
    """Return a folder with exports and plans of a MariaDB server."""
    if shutil.which("mariadbd", path="/usr/sbin:/usr/bin") is None:
        pytest.skip("mariadbd is not installed")
    yield from _run(_MARIADB)
