"""Answer questions about Parquet files with DuckDB, as a process of its own that can be killed.

A function of SQL cannot be interrupted while it runs, rows become Python objects of any size, and
files of a store may be crafted: `python -m benchpin.fleet._answering` reads orders and
answers them. It can read the files of an order and nothing else: external access is off but for
them, and one SELECT is run. `Answers` is the side of the parent.
"""

import sys
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.system.processes import (
    READY,
    HelperProcess,
    limit_memory,
    read_message,
    set_alarm,
    write_message,
)

from ._schema import TABLES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

from typing import TYPE_CHECKING

from benchpin.system.processes import require_extra

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def open_memory() -> "DuckDBPyConnection":
    """Return a database in memory.

    Raises:
        DependencyMissing: when the extra is not installed.
    """
    require_extra("fleet", "A fleet")
    import duckdb  # noqa: PLC0415 - an extra

    return duckdb.connect(
        ":memory:", config={"threads": "2", "memory_limit": "512MB", "temp_directory": ""}
    )


# The limit of the address space; DuckDB itself is held to 512 MB.
MEMORY_BYTES = 3 << 30
_MAX_CELL_CHARS = 1_000
_MAX_TIME_S = 3_600
_MODULE = "benchpin.fleet._answering"
_POLL_S = 0.1
Cell = str | int | float | bool | None


class Order(msgspec.Struct, frozen=True):
    """What to ask, and of which files."""

    files: dict[str, list[str]]
    """The Parquet files of each table."""
    sql: str
    limit: int
    values: dict[str, str] = {}
    seconds: int = _MAX_TIME_S


class Answer(msgspec.Struct, frozen=True):
    """Rows, or what is wrong with the question."""

    columns: list[str] = []
    rows: list[list[Cell]] = []
    has_more: bool = False
    problem: str = ""


class Answers:
    """A process that answers orders, one after the other; a new one is started if it died."""

    def __init__(self) -> None:
        self._process: HelperProcess | None = None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()

    def ask(self, order: Order, job: Job) -> Answer:
        """Return the answer to an order; its time is what the job has left.

        Raises:
            Cancelled: when the job was cancelled.
            HelperFails: when the process does not start.
            TimeLimitExceeded: when the time of the job is up.
        """
        left_s = job.time_left_s()
        seconds = _MAX_TIME_S if left_s is None else min(max(int(left_s), 0) + 1, _MAX_TIME_S)
        process = self._running()
        process.send(msgspec.msgpack.encode(msgspec.structs.replace(order, seconds=seconds)))
        while (received := process.receive(_POLL_S)) is None:
            job.check()
            if job.is_expired:
                raise _too_late()
        if received:
            return msgspec.msgpack.decode(received, type=Answer)
        process.close()
        if job.is_expired:
            raise _too_late()
        return Answer(problem="it needs too much memory or time")

    def _running(self) -> HelperProcess:
        if self._process is None or not self._process.is_alive:
            self.close()
            self._process = HelperProcess(_MODULE)
            self._process.wait_ready()
        return self._process


def _too_late() -> TimeLimitExceeded:
    return TimeLimitExceeded(
        "The question was not answered in time",
        suggestion="Ask for less: add a WHERE, or allow more time with --tool-timeout.",
    )


def main() -> None:
    """Answer orders until there are no more."""
    limit_memory(MEMORY_BYTES)
    write_message(sys.stdout.buffer, READY)
    set_alarm(_MAX_TIME_S)
    while message := read_message(sys.stdin.buffer):
        order = msgspec.msgpack.decode(message, type=Order)
        set_alarm(order.seconds)
        write_message(sys.stdout.buffer, msgspec.msgpack.encode(answered(order)))


def answered(order: Order) -> Answer:
    import duckdb  # noqa: PLC0415 - an extra

    with open_memory() as database:
        try:
            for table, paths in order.files.items():
                database.execute(_view(table, paths))
            _confine(database, {path for paths in order.files.values() for path in paths})
            kinds = [it.type for it in database.extract_statements(order.sql)]
            if kinds != [duckdb.StatementType.SELECT]:
                return Answer(problem="only one SELECT can be run at a time")
            found = database.execute(order.sql, order.values)
            columns = [it[0] for it in found.description]
            rows = found.fetchmany(order.limit + 1)
            shown = [[_cell(it) for it in row] for row in rows[: order.limit]]
        except (duckdb.OutOfMemoryException, MemoryError):
            return Answer(problem="it needs too much memory")
        except (duckdb.Error, ImportError, ValueError) as error:
            return Answer(problem=" ".join(str(error).split())[:_MAX_CELL_CHARS])
    return Answer(columns, shown, len(rows) > order.limit)


def _view(name: str, paths: Sequence[str]) -> str:
    if not paths:
        columns = TABLES["repositories" if name == "earlier" else name]
        empty = ", ".join(f'NULL AS "{column}"' for column, _ in columns)
        return f"CREATE VIEW {name} AS SELECT {empty} WHERE false"
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    return f"CREATE VIEW {name} AS FROM read_parquet([{listed}])"


def _confine(database: "DuckDBPyConnection", paths: set[str]) -> None:
    """Let the database read these files and nothing else; it cannot be undone."""
    database.execute("SET allowed_paths = ?", [sorted(paths)])
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")


def _cell(value: object) -> Cell:
    is_long = isinstance(value, int) and not -(2**63) <= value < 2**63  # a HUGEINT of DuckDB
    if value is None or (isinstance(value, bool | int | float) and not is_long):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)[:_MAX_CELL_CHARS]


if __name__ == "__main__":
    main()
