"""Rows of `pg_stat_statements`, as of PostgreSQL 9.4 and later; times are milliseconds.

Version 1.8 renamed `total_time` to `total_exec_time`; what 1.9 to 1.12 added is not needed here.
"""

from typing import Final

from benchpin.performance.pglog import redact, skeleton
from benchpin.performance.slowlog import generalise

from ._rows import Row, StatementRow, whole

VERSION: Final = "postgresql-statements"
MARKS: Final = frozenset({"query", "calls"})
_TOTAL = ("total_exec_time", "total_time")
_MIN_TIME_COLUMNS = ("min_exec_time", "min_time")
_MAX_TIME_COLUMNS = ("max_exec_time", "max_time")
NEEDED: Final = tuple(map(frozenset, (_TOTAL, _MIN_TIME_COLUMNS, _MAX_TIME_COLUMNS)))
_US_PER_MS = 1_000


def read(row: Row) -> StatementRow | None:
    """Read a row; None where it has not run, or lacks a number."""
    calls = whole(row.number("calls"))
    total, least, most = (
        row.number(*_TOTAL),
        row.number(*_MIN_TIME_COLUMNS),
        row.number(*_MAX_TIME_COLUMNS),
    )
    if not calls or total is None or least is None or most is None:
        return None
    deviation = row.number("stddev_exec_time", "stddev_time")
    squares = None
    if deviation is not None:  # of all calls, not of a sample: divided by their number
        squares = (deviation**2 * calls + total**2 / calls) * _US_PER_MS**2
    sql = (row.text("query") or "(unknown)").strip().rstrip(";").encode("utf-8", "replace")
    return StatementRow(
        fingerprint=generalise(sql, skeleton(sql)),
        example=redact(sql),
        calls=calls,
        total_us=total * _US_PER_MS,
        min_us=least * _US_PER_MS,
        max_us=most * _US_PER_MS,
        squares_us2=squares,
        p95_us=None,
        lock_us=None,
        sent=whole(row.number("rows")),
        examined=None,
        full_scans=None,
        errors=None,
        database=row.text("datname", "database"),
        user=row.text("rolname", "usename", "user"),
        line=row.line,
    )
