"""Read an export of a server's statistics of statements like a slow log: classes and totals."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import BinaryIO

from benchpin.core.calls import Job
from benchpin.performance.reading import FaultLog, Unpacker
from benchpin.performance.slowlog import MAX_CLASSES
from benchpin.performance.values import ArtifactType, SlowLog

from . import _mysql as mysql
from . import _postgres as postgres
from ._rows import Row, StatementRow, columns, rows, statement_class

# A server keeps some thousand statements; this is more than a hundred times as much.
_MAX_BYTES = 64 << 20
_MAX_ROWS = 200_000
_MAX_FAULTS = 50
_CHECK_EVERY = 1_000
_OTHER = b"(other)"


@dataclass(frozen=True, slots=True)
class DigestTable:
    """A table of statistics: its columns, and how a row of it is read."""

    type: ArtifactType
    version: str
    marks: frozenset[str]
    """Columns that no other table has together."""
    needed: Sequence[frozenset[str]]
    """Of each set one column must be there."""
    read: Callable[[Row], StatementRow | None]


_TABLES = (
    DigestTable(
        "pg_stat_statements", postgres.VERSION, postgres.MARKS, postgres.NEEDED, postgres.read
    ),
    DigestTable("mysql_digests", mysql.VERSION, mysql.MARKS, mysql.NEEDED, mysql.read),
)


def digest_table(head: bytes) -> DigestTable | None:
    """Return the table that a file exports, by the names of its columns."""
    found = columns(head)
    return next((it for it in _TABLES if it.marks <= found and it.needed[0] & found), None)


def table_of(kind: ArtifactType | None) -> DigestTable | None:
    """Return the table of a type of artefact; None if it is something else."""
    return next((it for it in _TABLES if it.type == kind), None)


def missing_columns(table: DigestTable, head: bytes) -> list[str]:
    """Return the columns that an export would need to be read."""
    found = columns(head)
    return [" or ".join(sorted(names)) for names in table.needed if not names & found]


def read_digests(table: DigestTable, file: BinaryIO, job: Job) -> SlowLog:
    """Read an export; rows of statements with the same class are added up."""
    unpacker = Unpacker(file, _MAX_BYTES)
    content = unpacker.whole(job)
    faults = FaultLog(_MAX_FAULTS)
    faults.extend(unpacker.faults)
    by_class = _by_class(table, rows(bytes(content), faults), faults, job)
    classes = sorted(
        (statement_class(fingerprint, found) for fingerprint, found in by_class.items()),
        key=lambda it: (-it.total_time_us, it.query_id),
    )
    if not classes:
        faults.add("all", "no row has a statement that ran")
    locks = [it.lock_time_us for it in classes if it.lock_time_us is not None]
    return SlowLog(
        version=table.version,
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


def _by_class(
    table: DigestTable, found: Iterable[Row], faults: FaultLog, job: Job
) -> dict[bytes, list[StatementRow]]:
    by_class: dict[bytes, list[StatementRow]] = {}
    for number, row in enumerate(found):
        if number >= _MAX_ROWS:
            faults.add(row.place, f"more than {_MAX_ROWS} rows; the rest is not read")
            break
        if number % _CHECK_EVERY == 0:
            job.check()
            if job.is_expired:
                faults.add(row.place, "the time ran out; the rest is not read")
                job.leave_out("the rest of the statistics of statements")
                break
        statement = table.read(row)
        if statement is None:
            if row.number("calls", "count_star") != Decimal(0):  # planned or forgotten, never run
                faults.add(row.place, "a time or a count is missing or is no number")
            continue
        if len(by_class) >= MAX_CLASSES and statement.fingerprint not in by_class:
            statement = statement._replace(fingerprint=_OTHER)
            faults.add(row.place, f"more than {MAX_CLASSES} classes; it is in `(other)`")
        by_class.setdefault(statement.fingerprint, []).append(statement)
    return by_class
