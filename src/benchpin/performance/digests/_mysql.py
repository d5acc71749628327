"""Rows of `performance_schema.events_statements_summary_by_digest`; times are picoseconds."""

import re
from typing import Final

from benchpin.performance.slowlog import fingerprint, redact_sql

from ._rows import Row, StatementRow, whole

VERSION: Final = "mysql-digests"
MARKS: Final = frozenset({"digest_text", "count_star"})
NEEDED: Final = tuple(
    frozenset({name}) for name in ("sum_timer_wait", "min_timer_wait", "max_timer_wait")
)
_PS_PER_US = 1_000_000
_OPEN = re.compile(r" ?\( ?(?!\.)")
_CLOSE = re.compile(r" \)")
_WITHIN_NAME = re.compile(r"` \. `")
_MORE = re.compile(r"\(\.\.\.\)")
_MORE_OF_LIMIT = re.compile(r"\?, \.\.\.")
# The row without a text has all statements for which the table was full.
_FORGOTTEN = "(other)"


def read(row: Row) -> StatementRow | None:
    """Read a row; None where it lacks a number."""
    count, total = whole(row.number("count_star")), row.number("sum_timer_wait")
    least, most = row.number("min_timer_wait"), row.number("max_timer_wait")
    if not count or total is None or least is None or most is None:
        return None
    p95, lock = row.number("quantile_95"), row.number("sum_lock_time")
    sql = _statement(row.text("digest_text") or _FORGOTTEN).encode("utf-8", "replace")
    sample = (row.text("query_sample_text") or "").encode("utf-8", "replace")
    scans, joins = row.number("sum_select_scan"), row.number("sum_select_full_join")
    full = None if scans is None else int(max(scans, joins or 0))
    return StatementRow(
        fingerprint=fingerprint(sql),
        example=redact_sql(sample or sql),
        calls=count,
        total_us=total / _PS_PER_US,
        min_us=least / _PS_PER_US,
        max_us=most / _PS_PER_US,
        squares_us2=None,
        p95_us=None if p95 is None else p95 / _PS_PER_US,
        lock_us=None if lock is None else lock / _PS_PER_US,
        sent=whole(row.number("sum_rows_sent")),
        examined=whole(row.number("sum_rows_examined")),
        full_scans=None if full is None else min(full, count),  # a statement may scan two tables
        errors=whole(row.number("sum_errors")),
        database=row.text("schema_name"),
        user=None,
        line=row.line,
    )


def _statement(digest: str) -> str:
    """Return a digest as the statement that it was made of, with `?` for values.

    The server puts a blank between all words, and `...` for all but the first of several values.
    """
    text = _WITHIN_NAME.sub("`.`", _CLOSE.sub(")", _OPEN.sub("(", digest)))
    return _MORE_OF_LIMIT.sub("?, ?", _MORE.sub("(?)", text)).strip()
