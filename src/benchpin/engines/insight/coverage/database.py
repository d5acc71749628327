"""Coverage as coverage.py keeps it: an SQLite file of the lines, or the jumps, that ran.

It does not say which lines could have run, so that only functions are counted: one was entered if
a line of its body ran.
"""

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


def read_database(data: bytes) -> Contents:
    """Read which lines ran.

    Raises:
        Damaged: when it is no such file, or of a format that is not known.
    """
    copy = bytearray(data)
    copy[_WAY] = _ROLLBACK
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(bytes(copy))
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            left = iter(range(_MOST_STEPS // _STEPS))
            connection.set_progress_handler(lambda: next(left, None) is None, _STEPS)
            return Contents(_read(connection))
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise Damaged(f"SQLite cannot read it: {error}") from error


def _read(connection: sqlite3.Connection) -> dict[str, Lines]:
    kinds = dict(connection.execute("SELECT name, type FROM sqlite_schema"))
    wanted = ("coverage_schema", "file", "meta", "line_bits", "arc")
    if any(kinds.get(name) != "table" for name in wanted):
        raise Damaged("it is no data file of coverage.py")
    ((version,),) = connection.execute(
        "SELECT version FROM coverage_schema LIMIT 1"
    ).fetchall() or ((None,),)
    if version not in _SCHEMAS:
        raise Damaged(f"its format is {version!r}, and 1 to {_SCHEMAS[-1]} are known")
    ran: dict[str, set[int]] = {
        path: set() for (path,) in connection.execute("SELECT path FROM file") if _is_text(path)
    }
    budget = Budget()
    for path, line in chain(_from_bits(connection), _from_arcs(connection)):
        budget.spend()
        if path in ran:
            ran[path].add(line)
    return {path: Lines(entered=frozenset(lines)) for path, lines in ran.items()}


def _is_text(path: object) -> bool:
    return isinstance(path, str)


def _from_bits(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    rows = connection.execute(
        "SELECT file.path, line_bits.numbits FROM line_bits JOIN file ON file.id = file_id"
    )
    for path, bits in rows:
        if isinstance(bits, bytes):
            yield from ((path, line) for line in _numbers(bits))


def _numbers(bits: bytes) -> Iterable[int]:
    """Return the numbers whose bits are set, the lowest bit of the first byte being 0."""
    return (
        at * 8 + bit for at, byte in enumerate(bits) if byte for bit in range(8) if byte >> bit & 1
    )


def _from_arcs(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Give the lines that were jumped to; a negative one is where a function is left."""
    rows = connection.execute(
        "SELECT DISTINCT file.path, tono FROM arc JOIN file ON file.id = file_id"
    )
    yield from ((path, line) for path, line in rows if isinstance(line, int) and line > 0)
