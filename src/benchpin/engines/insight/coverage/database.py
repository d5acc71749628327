"""Coverage as coverage.py keeps it: an SQLite file of the lines, or the jumps, that ran.

It does not say which lines could have run, so that only functions are counted: one was entered if
a line of its body ran.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain

from .model import Budget, Contents, Damaged, Lines

_SCHEMAS = range(1, 8)
_ROLLBACK = b"\x01\x01"
_WAY = slice(18, 20)
"""Where SQLite says how it writes; a copy in memory has no log beside it."""
_MOST_STEPS = 50_000_000
_STEPS = 100_000
_LONGEST = 1 << 20
"""Bytes of a value; as bits, the lines of a file of 8 million."""
_TABLES = ("coverage_schema", "file", "meta", "line_bits", "arc")


def read_database(data: bytes, budget: Budget) -> Contents:
    """Read which lines ran.

    Raises:
        Damaged: when it is no such file, or of a format that is not known.
    """
    copy = bytearray(data)
    copy[_WAY] = _ROLLBACK
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
            connection.deserialize(bytes(copy))
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            left = iter(range(_MOST_STEPS // _STEPS))
            connection.set_progress_handler(lambda: next(left, None) is None, _STEPS)
            _refuse_code(connection)
            return Contents(_read(connection, budget))
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise Damaged(f"SQLite cannot read it: {error}") from error


def _refuse_code(connection: sqlite3.Connection) -> None:
    """See to it that reading a table runs nothing that the file brings along.

    Raises:
        Damaged: when there are views, triggers, virtual tables or generated columns.
    """
    schema = connection.execute("SELECT name, type, rootpage FROM sqlite_schema").fetchall()
    plain = {name for name, kind, page in schema if kind == "table" and page}
    kinds = {kind for _, kind, _ in schema}
    if not plain.issuperset(_TABLES) or kinds - {"table", "index"}:
        raise Damaged("it is no data file of coverage.py")
    for table in _TABLES:
        columns = connection.execute("SELECT hidden FROM pragma_table_xinfo(?)", (table,))
        if any(hidden for (hidden,) in columns):
            raise Damaged("it has columns that are computed")


def _read(connection: sqlite3.Connection, budget: Budget) -> dict[str, Lines]:
    ((version,),) = connection.execute(
        "SELECT version FROM coverage_schema LIMIT 1"
    ).fetchall() or ((None,),)
    if version not in _SCHEMAS:
        raise Damaged(f"its format is {version!r}, and 1 to {_SCHEMAS[-1]} are known")
    ran: dict[str, set[int]] = {
        path: set() for (path,) in connection.execute("SELECT path FROM file") if _is_text(path)
    }
    for path, line in chain(_from_bits(connection, budget), _from_arcs(connection)):
        budget.spend()
        if path in ran:
            ran[path].add(line)
    return {path: Lines(entered=frozenset(lines)) for path, lines in ran.items()}


def _is_text(path: object) -> bool:
    return isinstance(path, str)


_BYTES_A_LINE = 16
"""So many bytes without a bit take about as long as a line."""


def _from_bits(connection: sqlite3.Connection, budget: Budget) -> Iterator[tuple[str, int]]:
    rows = connection.execute(
        "SELECT file.path, line_bits.numbits FROM line_bits JOIN file ON file.id = file_id"
    )
    for path, bits in rows:
        if isinstance(bits, bytes):
            budget.spend(1 + len(bits) // _BYTES_A_LINE)
            yield from ((path, line) for line in _numbers(bits))


def _numbers(bits: bytes) -> Iterable[int]:
    """Return the numbers whose bits are set, the lowest bit of the first byte being 0."""
    return (
        found.start() * 8 + bit
        for found in _SET.finditer(bits)
        for bit in range(8)
        if found[0][0] >> bit & 1
    )


_SET = re.compile(rb"[^\0]")


def _from_arcs(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Give the lines that were jumped to; a negative one is where a function is left."""
    rows = connection.execute(
        "SELECT DISTINCT file.path, tono FROM arc JOIN file ON file.id = file_id"
    )
    yield from ((path, line) for path, line in rows if isinstance(line, int) and line > 0)
