"""Answer one question about tables with DuckDB, as a process of its own that can be killed.

A function of SQL cannot be interrupted while it runs, and rows become Python objects of any size:
`python -m benchpin.engines.fleet.answering` reads one order, answers it, and ends. It can read the
tables and nothing else: external access is off but for them, and one SELECT is run.
"""

import sys
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from benchpin.engines.helper_process import (
    READY,
    limit_memory,
    read_message,
    set_alarm,
    write_message,
)

from .packs import open_memory
from .schema import TABLES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY_BYTES = 3 << 30
"""Of addresses; DuckDB itself is held to 512 MB."""
_MOST_CELL_CHARS = 1_000
_LONGEST_S = 3_600
Cell = str | int | float | bool | None


class Order(msgspec.Struct, frozen=True):
    """What to ask, and of which files."""

    files: dict[str, list[str]]
    """The Parquet files of each table."""
    sql: str
    values: dict[str, str]
    limit: int
    seconds: int


class Answer(msgspec.Struct, frozen=True):
    """Rows, or what is wrong with the question."""

    columns: list[str] = []
    rows: list[list[Cell]] = []
    has_more: bool = False
    problem: str = ""


def main() -> None:
    """Answer one order."""
    write_message(sys.stdout.buffer, READY)
    order = msgspec.msgpack.decode(read_message(sys.stdin.buffer), type=Order)
    set_alarm(min(order.seconds, _LONGEST_S))
    limit_memory(MEMORY_BYTES)
    write_message(sys.stdout.buffer, msgspec.msgpack.encode(answered(order)))


def answered(order: Order) -> Answer:
    """Return the answer to an order."""
    import duckdb  # noqa: PLC0415 - an extra

    with open_memory() as database:
        try:
            for table in (*TABLES, "earlier"):
                database.execute(_view(table, order.files.get(table, [])))
            _confine(database, {path for paths in order.files.values() for path in paths})
            kinds = [it.type for it in database.extract_statements(order.sql)]
            if kinds != [duckdb.StatementType.SELECT]:
                return Answer(problem="only one SELECT can be run at a time")
            found = database.execute(order.sql, dict(order.values))
            columns = [it[0] for it in found.description]
            rows = found.fetchmany(order.limit + 1)
            shown = [[_cell(it) for it in row] for row in rows[: order.limit]]
        except (duckdb.OutOfMemoryException, MemoryError):
            return Answer(problem="it needs too much memory")
        except (duckdb.Error, ImportError, ValueError) as error:
            return Answer(problem=" ".join(str(error).split())[:_MOST_CELL_CHARS])
    return Answer(columns, shown, len(rows) > order.limit)


def _view(name: str, paths: Sequence[str]) -> str:
    columns = TABLES["repositories" if name == "earlier" else name]
    if not paths:
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
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)[:_MOST_CELL_CHARS]


if __name__ == "__main__":
    main()
