"""Read what a database server counts about its statements like a slow log: classes and totals.

`pg_stat_statements` of PostgreSQL, and `events_statements_summary_by_digest` of MySQL and MariaDB.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from benchpin.performance.reading import ArtifactSource
from benchpin.performance.slowlog import MAX_CLASSES, fingerprint, generalise, redact_sql
from benchpin.performance.values import ArtifactType, SlowLog

from ._digest_rows import Row, StatementRow, columns, rows, statement_class, whole
from ._format import ArtifactFormat, FileHead, Problem
from ._postgres_messages import redact, skeleton

# A server keeps some thousand statements; this is more than a hundred times as much.
_MAX_BYTES = 64 << 20
_MAX_ROWS = 200_000
_OTHER = b"(other)"
_PS_PER_US = 1_000_000
_OPEN = re.compile(r" ?\( ?(?!\.)")
_CLOSE = re.compile(r" \)")
_WITHIN_NAME = re.compile(r"` \. `")
_MORE = re.compile(r"\(\.\.\.\)")
_MORE_OF_LIMIT = re.compile(r"\?, \.\.\.")
# The row without a text has all statements for which the table was full.
_FORGOTTEN = "(other)"
_TOTAL = ("total_exec_time", "total_time")
_MIN_TIME_COLUMNS = ("min_exec_time", "min_time")
_MAX_TIME_COLUMNS = ("max_exec_time", "max_time")
_US_PER_MS = 1_000


@dataclass(frozen=True, slots=True)
class DigestTable:
    """A table of statistics: its columns, and how a row of it is read."""

    type: ArtifactType
    version: str
    marks: frozenset[str]
    """Columns that no other table has together."""
    needed: Sequence[frozenset[str]]
    """Of each set one column must be there."""
    to_statement: Callable[[Row], StatementRow | None]

    def fits(self, head: FileHead) -> bool | Problem:
        """Whether the names of its columns are those of the table, all that are needed."""
        found = columns(head.content)
        if not (self.marks <= found and self.needed[0] & found):
            return False
        missing = [" or ".join(sorted(names)) for names in self.needed if not names & found]
        lacks = f"an export of {self.type} without {', '.join(missing)}: export all columns"
        return Problem(lacks) if missing else True

    def read(self, source: ArtifactSource) -> SlowLog:
        """Read an export; rows of statements with the same class are added up."""
        by_class, faults = self._by_class(source), source.faults
        classes = sorted(
            (statement_class(bare, found) for bare, found in source.job.timed(by_class.items())),
            key=lambda it: (-it.total_time_us, it.query_id),
        )
        if not classes:
            faults.add("all", "no row has a statement that ran")
        locks = [it.lock_time_us for it in classes if it.lock_time_us is not None]
        return SlowLog(
            version=self.version,
            server=None,
            events=sum(it.count for it in classes),
            total_time_us=sum(it.total_time_us for it in classes),
            lock_time_us=sum(locks) if locks else None,
            first_seen_us=None,
            last_seen_us=None,
            classes=tuple(classes),
            connections=(),
            connection_count=0,
            is_complete=not faults,
            faults=faults.listed(),
        )

    def _by_class(self, source: ArtifactSource) -> dict[bytes, list[StatementRow]]:
        by_class: dict[bytes, list[StatementRow]] = {}
        faults = source.faults
        content = b"".join(source.chunks(_MAX_BYTES))
        for number, row in enumerate(source.job.timed(rows(content, source))):
            if number >= _MAX_ROWS:
                faults.add(row.place, f"more than {_MAX_ROWS} rows; the rest is not read")
                break
            statement = self.to_statement(row)
            if statement is None:
                if row.number("calls", "count_star") != Decimal(0):  # planned, never run
                    faults.add(row.place, "a time or a count is missing or is no number")
                continue
            if len(by_class) >= MAX_CLASSES and statement.fingerprint not in by_class:
                statement = statement._replace(fingerprint=_OTHER)
                faults.add(row.place, f"more than {MAX_CLASSES} classes; it is in `(other)`")
            by_class.setdefault(statement.fingerprint, []).append(statement)
        return by_class


def _postgres_row(row: Row) -> StatementRow | None:
    """Read a row of PostgreSQL 9.4 or later; None where it has not run, or lacks a number.

    Times are milliseconds. Version 1.8 renamed `total_time` to `total_exec_time`; what 1.9 to 1.12
    added is not needed here.
    """
    calls, total = whole(row.number("calls")), row.number(*_TOTAL)
    if not calls or total is None:
        return None
    # Not every export has the extremes; all that is known then is that the mean lies between them.
    least, most = row.number(*_MIN_TIME_COLUMNS), row.number(*_MAX_TIME_COLUMNS)
    least = total / calls if least is None else least
    most = total / calls if most is None else most
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
        sent=whole(row.number("rows")),
        database=row.text("datname", "database"),
        user=row.text("rolname", "usename", "user"),
        line=row.line,
    )


def _mysql_row(row: Row) -> StatementRow | None:
    """Read a row of `events_statements_summary_by_digest`; its times are picoseconds."""
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
        p95_us=None if p95 is None else p95 / _PS_PER_US,
        lock_us=None if lock is None else lock / _PS_PER_US,
        sent=whole(row.number("sum_rows_sent")),
        examined=whole(row.number("sum_rows_examined")),
        full_scans=None if full is None else min(full, count),  # a statement may scan two tables
        errors=whole(row.number("sum_errors")),
        database=row.text("schema_name"),
        line=row.line,
    )


def _statement(digest: str) -> str:
    """Return a digest as the statement that it was made of, with `?` for values.

    The server puts a blank between all words, and `...` for all but the first of several values.
    """
    text = _WITHIN_NAME.sub("`.`", _CLOSE.sub(")", _OPEN.sub("(", digest)))
    return _MORE_OF_LIMIT.sub("?, ?", _MORE.sub("(?)", text)).strip()


_TABLES = (
    DigestTable(
        "pg_stat_statements",
        "postgresql-statements",
        frozenset({"query", "calls"}),
        (frozenset(_TOTAL),),
        _postgres_row,
    ),
    DigestTable(
        "mysql_digests",
        "mysql-digests",
        frozenset({"digest_text", "count_star"}),
        tuple(frozenset({it}) for it in ("sum_timer_wait", "min_timer_wait", "max_timer_wait")),
        _mysql_row,
    ),
)
FORMATS = tuple(
    ArtifactFormat(it.version, it.type, it.fits, it.read, SlowLog, _MAX_BYTES) for it in _TABLES
)
