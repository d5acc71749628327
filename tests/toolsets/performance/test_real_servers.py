"""A slow log and a page fresh from real servers, from collecting to findings."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from waiting import WAIT_S

pytestmark = pytest.mark.slow

NOWHERE = subprocess.DEVNULL
SCHEMA = """
CREATE DATABASE shop; USE shop;
CREATE TABLE orders (id INT PRIMARY KEY, customer INT, note VARCHAR(100)) ENGINE=MyISAM;
CREATE TABLE items (order_id INT, price INT) ENGINE=MyISAM;
"""
SECRET = "hunter'2\n# Query_time: 99.000000  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 1\n"


def needed(*programs: str) -> list[str]:
    found = [shutil.which(program, path="/usr/bin:/usr/sbin:/bin:/sbin") for program in programs]
    if None in found:
        pytest.skip(f"{programs[found.index(None)]} is not installed")
    return [str(program) for program in found]


class Database:
    """A MariaDB of our own, on a socket, that logs every statement as slow."""

    def __init__(self, folder: Path, client: str) -> None:
        self.log = folder / "slow.log"
        self._client = [client, "--no-defaults", f"--socket={folder / 's'}", "--batch"]

    def run(self, sql: str) -> None:
        """Run statements over one connection."""
        subprocess.run(self._client, input=sql.encode(), check=True, timeout=WAIT_S)


@contextmanager
def mariadb(folder: Path) -> Iterator[Database]:
    install, server, client, admin = needed(
        "mariadb-install-db", "mariadbd", "mariadb", "mariadb-admin"
    )
    user = "--user=root"
    subprocess.run(
        [install, "--no-defaults", user, f"--datadir={folder / 'data'}"],
        check=True,
        capture_output=True,
        timeout=WAIT_S,
    )
    options = (
        f"--datadir={folder / 'data'}",
        f"--socket={folder / 's'}",
        f"--pid-file={folder / 'pid'}",
        f"--slow-query-log-file={folder / 'slow.log'}",
        "--slow-query-log=1",
        "--long-query-time=0",
        "--skip-networking",
        "--skip-grant-tables",
    )
    with subprocess.Popen(
        [server, "--no-defaults", user, *options], stdout=NOWHERE, stderr=NOWHERE
    ) as process:
        try:
            ping = [admin, "--no-defaults", f"--socket={folder / 's'}", "ping"]
            while subprocess.run(ping, check=False, timeout=WAIT_S, capture_output=True).returncode:
                assert process.poll() is None, "mariadbd did not start"
            yield Database(folder, client)
        finally:
            process.kill()


@contextmanager
def php(folder: Path) -> Iterator[str]:
    [program] = needed("php")
    (folder / "index.php").write_text("<?php usleep(1000); echo 'hello';", encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [program, "-S", address, "-t", str(folder)]
    with subprocess.Popen(command, stdout=NOWHERE, stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            assert b"started" in process.stderr.readline()
            yield f"http://{address}"
        finally:
            process.kill()


def statements() -> list[str]:
    """Return what a page with a query in a loop asks for."""
    quoted = SECRET.replace("'", "''")
    return [
        *(f"INSERT INTO orders VALUES ({n}, {n % 3}, '{quoted}{n}')" for n in range(20)),
        *(f"INSERT INTO items VALUES ({n % 20}, {n})" for n in range(50)),
        "SELECT id FROM orders WHERE customer >= 0",
        *(f"SELECT SUM(price) FROM items WHERE order_id = {n}" for n in range(20)),
    ]


def test_servers_are_probed_logged_and_understood(tmp_path: Path, workspace: Path) -> None:
    shop = Workbench.open(workspace, allow=("network",), artifacts=(tmp_path,))
    with mariadb(tmp_path) as database, php(tmp_path) as address:
        database.run(SCHEMA)
        database.run("USE shop;\n" + ";\n".join(statements()) + ";\n")
        bundle: Any = shop.call(
            "collect_artifacts",
            spx_dirs=[],
            slow_log_path=str(database.log),
            base_url=address,
            url_paths=["/", "/?q=secret"],
            sample_count=2,
        )
    copied = Path(bundle.bundle_dir, "slow.log").read_bytes()
    assert b"hunter" not in copied
    ingested: Any = shop.call("ingest_artifacts", bundle_dir=bundle.bundle_dir)
    assert ingested.counts.samples == 4
    raw: Any = shop.call("ingest_artifacts", artifacts=[{"path": str(database.log)}])
    assert raw.counts.query_events == ingested.counts.query_events
    assert raw.totals.query_time_us == ingested.totals.query_time_us < 99_000_000

    found: Any = shop.call("run_analysis", snapshot_id=ingested.normalized_snapshot_id, top_n=20)
    counts = {row.fingerprint: row.count for row in found.aggregates.queries}
    assert counts["insert into orders values(?+)"] == 20
    assert counts["insert into items values(?+)"] == 50
    assert counts["select sum(price) from items where order_id = ?"] == 20
    loops = [it for it in found.aggregates.repeated_queries if it.kind == "n_plus_one"]
    assert [it.fingerprint for it in loops] == ["select sum(price) from items where order_id = ?"]
