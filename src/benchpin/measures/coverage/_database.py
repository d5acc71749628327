"""Coverage as coverage.py stores it: an SQLite file of the lines, or the jumps, that ran.

It does not contain the lines that could have run, so only functions are counted.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.facts import May
from benchpin.workspace.files import Unreadable, read_regular

from ._contents import MAX_BYTES, DamagedReport, LineBudget, ReportContents, ReportedLines

_SCHEMAS = range(1, 8)
# The bytes of an SQLite header that name the journal; a copy in memory has no log beside it.
_JOURNAL_MODE = slice(18, 20)
_ROLLBACK = b"\x01\x01"
_MAX_STEPS = 50_000_000
_STEPS_BETWEEN_CHECKS = 100_000
# Bytes of a value: enough bits for a file of 8 million lines.
_MAX_VALUE_BYTES = 1 << 20
# This many bytes without a set bit take about as long to read as a line.
_BYTES_A_LINE = 16
_SET = re.compile(rb"[^\0]")
_TABLES = ("coverage_schema", "file", "meta", "line_bits", "arc")
# A file, a context and a line.
_Ran = tuple[str, object, int]
# Whether a line of a file, by the path in the report, is asked about.
Wanted = Callable[[str, int], bool]
_DATA_FILE = ".coverage"


def read_database(data: bytes, budget: LineBudget) -> ReportContents:
    """Read which lines ran.

    Raises:
        DamagedReport: when it is no such file, or of a format that is not known.
    """
    with _opened(data, _TABLES) as connection:
        return ReportContents(_read(connection, budget))


def read_contexts(data: bytes, is_wanted: Wanted, budget: LineBudget) -> set[str]:
    """Return the contexts, which are tests if it was written with them, that ran wanted lines.

    Raises:
        DamagedReport: when it is no such file, or of a format that is not known.
    """
    with _opened(data, (*_TABLES, "context")) as connection:
        ran = chain(_bits_by_context(connection, budget), _arcs_by_context(connection))
        found = set()
        for path, context, line in ran:
            budget.spend()
            if isinstance(context, str) and context and is_wanted(path, line):
                found.add(context)
        return found


@contextmanager
def _opened(data: bytes, tables: Collection[str]) -> Iterator[sqlite3.Connection]:
    copy = bytearray(data)
    copy[_JOURNAL_MODE] = _ROLLBACK
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
            connection.deserialize(bytes(copy))
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            left = iter(range(_MAX_STEPS // _STEPS_BETWEEN_CHECKS))
            connection.set_progress_handler(lambda: next(left, None) is None, _STEPS_BETWEEN_CHECKS)
            _refuse_code(connection, tables)
            _refuse_version(connection)
            yield connection
    # A damaged page can make SQLite ask for more memory than it may have.
    except (sqlite3.Error, UnicodeError, OverflowError, MemoryError) as error:
        raise DamagedReport(f"SQLite cannot read it: {error}") from error


def _refuse_code(connection: sqlite3.Connection, tables: Collection[str]) -> None:
    """Refuse a file whose tables would run code of its own when they are read.

    Raises:
        DamagedReport: when there are views, triggers, virtual tables or generated columns.
    """
    schema = connection.execute("SELECT name, type, rootpage FROM sqlite_schema").fetchall()
    plain = {name for name, kind, page in schema if kind == "table" and page}
    kinds = {kind for _, kind, _ in schema}
    if not plain.issuperset(tables) or kinds - {"table", "index"}:
        raise DamagedReport("it is no data file of coverage.py")
    for table in tables:
        columns = connection.execute("SELECT hidden FROM pragma_table_xinfo(?)", (table,))
        if any(hidden for (hidden,) in columns):
            raise DamagedReport("it has columns that are computed")


def _refuse_version(connection: sqlite3.Connection) -> None:
    ((version,),) = connection.execute(
        "SELECT version FROM coverage_schema LIMIT 1"
    ).fetchall() or ((None,),)
    if version not in _SCHEMAS:
        raise DamagedReport(f"its format is {version!r}, and 1 to {_SCHEMAS[-1]} are known")


def _read(connection: sqlite3.Connection, budget: LineBudget) -> dict[str, ReportedLines]:
    ran: dict[str, set[int]] = {}
    for (path,) in connection.execute("SELECT path FROM file"):
        budget.spend_file()
        if isinstance(path, str):
            ran[path] = set()
    for path, line in chain(_from_bits(connection, budget), _from_arcs(connection)):
        budget.spend()
        if path in ran:
            ran[path].add(line)
    return {path: ReportedLines(entered=frozenset(lines)) for path, lines in ran.items()}


def _from_bits(connection: sqlite3.Connection, budget: LineBudget) -> Iterator[tuple[str, int]]:
    rows = connection.execute(
        "SELECT file.path, line_bits.numbits FROM line_bits JOIN file ON file.id = file_id"
    )
    yield from ((path, line) for path, bits in rows for line in _lines(bits, budget))


def _lines(bits: object, budget: LineBudget) -> Iterator[int]:
    """Yield the lines whose bits are set, the lowest bit of the first byte being line 0."""
    if isinstance(bits, bytes):
        budget.spend(1 + len(bits) // _BYTES_A_LINE)
        for found in _SET.finditer(bits):
            yield from (found.start() * 8 + bit for bit in range(8) if found[0][0] >> bit & 1)


def _bits_by_context(connection: sqlite3.Connection, budget: LineBudget) -> Iterator[_Ran]:
    rows = connection.execute(
        "SELECT file.path, context.context, line_bits.numbits FROM line_bits "
        "JOIN file ON file.id = file_id JOIN context ON context.id = context_id"
    )
    for path, context, bits in rows:
        yield from ((path, context, line) for line in _lines(bits, budget))


def _arcs_by_context(connection: sqlite3.Connection) -> Iterator[_Ran]:
    rows = connection.execute(
        "SELECT DISTINCT file.path, context.context, tono FROM arc "
        "JOIN file ON file.id = file_id JOIN context ON context.id = context_id"
    )
    yield from (row for row in rows if isinstance(row[2], int) and row[2] > 0)


def _from_arcs(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Yield the lines that were jumped to; a negative one is the exit of a function."""
    rows = connection.execute(
        "SELECT DISTINCT file.path, tono FROM arc JOIN file ON file.id = file_id"
    )
    yield from ((path, line) for path, line in rows if isinstance(line, int) and line > 0)


# Which tests ran some lines, if the last data file of coverage.py says so.
#
# It does when coverage.py ran with `dynamic_context = test_function`, or pytest with
# `--cov-context=test`. No other report names tests.


def contexts_of(
    root: Path, may: May, wanted: Mapping[str, Sequence[range]], job: Job
) -> frozenset[str]:
    """Return the contexts that ran some lines of files; none if there is no such data.

    `may` says whether a path may be read.

    Raises:
        Cancelled: when the job was cancelled.
        TimeLimitExceeded: when the time is up.
    """
    if not may(_DATA_FILE):
        return frozenset()
    try:
        data, _ = read_regular(os.fsencode(root), _DATA_FILE, MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            return frozenset()
        lines_of = _by_name(root, wanted)
        return frozenset(
            read_contexts(
                data,
                lambda path, line: any(line in it for it in lines_of.get(path, ())),
                LineBudget(job),
            )
        )
    except (Unreadable, DamagedReport):
        return frozenset()


def _by_name(root: Path, wanted: Mapping[str, Sequence[range]]) -> dict[str, Sequence[range]]:
    """Return what is wanted by absolute and by relative path: coverage.py writes either."""
    absolute = {f"{root}/{path}": lines for path, lines in wanted.items()}
    return {**absolute, **wanted}
