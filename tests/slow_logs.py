"""Slow logs for tests: real ones, and events as servers of many versions write them."""

import gzip
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from benchpin.core.calls import Job
from benchpin.performance.slowlog import digest_chunks
from benchpin.performance.values import QueryClass, SlowLog

FIXTURES = Path(__file__).parent / "fixtures" / "performance" / "slowlog"
REAL = sorted(path.name.removesuffix(".gz") for path in FIXTURES.glob("*.log.gz"))
MORE = os.environ.get("BENCHPIN_PERFORMANCE_DATA")
"""A folder with further artefacts, some of which may not be copied."""


@cache
def real_log(name: str) -> bytes:
    return gzip.decompress((FIXTURES / f"{name}.gz").read_bytes())


@cache
def expected() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        gzip.decompress((FIXTURES / "expected.json.gz").read_bytes())
    )
    return found


def mysql_event(sql: str, *, time: str = "0.000100", thread: int = 7, second: int = 0) -> bytes:
    """Return an event as MySQL 8 writes it."""
    return (
        f"# Time: 2026-11-15T06:45:{second:02d}.500000Z\n"
        f"# User@Host: shop[shop] @ localhost [127.0.0.1]  Id: {thread:5d}\n"
        f"# Query_time: {time}  Lock_time: 0.000002 Rows_sent: 1  Rows_examined: 10\n"
        f"SET timestamp={1794725100 + second};\n{sql};\n"
    ).encode()


def mariadb_event(sql: str, *, time: str = "0.000100", thread: int = 7, notes: str = "") -> bytes:
    """Return an event as MariaDB 10.11 writes it, within a second of the one before."""
    return (
        "# User@Host: shop[shop] @ localhost [127.0.0.1]\n"
        f"# Thread_id: {thread}  Schema: shop  QC_hit: No\n"
        f"# Query_time: {time}  Lock_time: 0.000002  Rows_sent: 1  Rows_examined: 10\n"
        f"# Rows_affected: 0  Bytes_sent: 60\n{notes}SET timestamp=1794725100;\n{sql};\n"
    ).encode()


def digest(log: bytes, chunk_bytes: int = 1 << 20, **options: int) -> SlowLog:
    chunks = (log[at : at + chunk_bytes] for at in range(0, len(log), chunk_bytes))
    return digest_chunks(chunks, Job(), **options)


def classes(log: SlowLog) -> dict[str, QueryClass]:
    return {it.fingerprint: it for it in log.classes}
