"""What to do first about a query that takes too long."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from benchpin.performance.values import Value
from benchpin.system.processes import has_extra

from ._ranked import RankedQuery

# Rows examined per row sent from which on an index is missing.
_MANY_ROWS_FOR_ONE = 100
# Share of lock time in the total.
_MUCH_LOCKING = 0.3
_FREQUENT = 100
_FAST_US = 10_000
# Longer examples were cut, and are no statement.
MAX_EXAMPLE_CHARS = 4_000
_LOOPS = {
    "insert": "Insert many rows with one statement, or all of them in one transaction.",
    "replace": "Replace many rows with one statement, or all of them in one transaction.",
    "update": "Change all rows with one statement (IN, or a join), or in one transaction.",
    "delete": "Delete all rows with one statement (IN), or in one transaction.",
    "call": "Move the loop around the calls into the procedure.",
}
# A digest of MySQL has no type for these; a 1 is accepted everywhere, also after LIMIT.
_BARE_VALUE = re.compile(r"(?<!['\"])\?(?!['\"])")
_PARAMETER = re.compile(r"(?<![\w$])\$(\d{1,5})\b")
_MAX_PARAMETERS = 1_000
_READS = frozenset({"select", "(select", "with"})
_WRITES = frozenset({"insert", "replace", "update", "delete"})
Dialect = Literal["mysql", "postgres"]
# MySQL allows 64 characters, PostgreSQL 63.
_MAX_NAME_CHARS = 60


# What an index for a query would need.


class IndexAdvice(Value, frozen=True):
    """An index to try, or why the statement supports none."""

    table: str
    columns: tuple[str, ...]
    """In the order in which the index needs them; empty where none helps."""
    certainty: Literal["likely", "possible"]
    """Possible where the log does not show how many rows match: with aggregates, and with LIMIT."""
    why: str
    statement: str | None
    """The statement that makes the index."""


def create_index(table: str, columns: Sequence[str], dialect: Dialect) -> str | None:
    """Return the statement that makes an index; None without columns."""
    if not columns:
        return None
    name = "_".join(("idx", table.rpartition(".")[2], *columns))[:_MAX_NAME_CHARS]
    place = ".".join(quoted(part, dialect) for part in table.split("."))
    listed = ", ".join(quoted(column, dialect) for column in columns)
    return f"CREATE INDEX {quoted(name, dialect)} ON {place} ({listed});"


def quoted(name: str, dialect: Dialect) -> str:
    """Return a name as it is written in SQL."""
    mark = "`" if dialect == "mysql" else '"'
    return f"{mark}{name.replace(mark, 2 * mark)}{mark}"


def index_for_condition(
    table: str, names: AbstractSet[str], condition: str, dialect: Dialect
) -> IndexAdvice | None:
    """Return what an index would need for the condition by which a plan keeps rows of a table.

    `names` are the table's own: columns of others are values when its rows are looked up.
    """
    if not has_extra("sql"):
        return None
    from ._indexes import advise_for_condition  # noqa: PLC0415 - an extra, and slow to import

    return advise_for_condition(table, names, condition, dialect)


def index_advice(sql: str, dialect: Dialect) -> IndexAdvice | None:
    """Return what an index would need for a statement; None where nothing can be said.

    That is also so where sqlglot, the extra `sql`, is not installed.
    """
    if not has_extra("sql"):
        return None
    from ._indexes import advise_index  # noqa: PLC0415 - an extra, and slow to import

    return advise_index(sql, dialect)


def explain_of(row: RankedQuery, dialect: Dialect) -> str | None:
    """Return a statement to paste that shows the plan; None where it has none.

    Its literals were redacted to `'?'` and `0`, which are of the right type.
    """
    verb = row.fingerprint.partition(" ")[0]
    is_whole = len(row.example) < MAX_EXAMPLE_CHARS
    if verb not in _READS | {"update", "delete"} or not is_whole:
        return None
    example = row.example.rstrip().rstrip(";")
    if dialect == "postgres":
        return _explain_of_prepared(example)
    database = f"USE {quoted(row.databases[0], dialect)}; " if len(row.databases) == 1 else ""
    return f"{database}EXPLAIN {_BARE_VALUE.sub('1', example)};"


def _explain_of_prepared(example: str) -> str:
    """Return an EXPLAIN of a statement; where it has parameters, of its generic plan."""
    last = max((int(it) for it in _PARAMETER.findall(example)), default=0)
    if not 0 < last <= _MAX_PARAMETERS:
        return f"EXPLAIN {example};"
    nulls = ", ".join(["NULL"] * last)
    return (
        f"SET plan_cache_mode = force_generic_plan; PREPARE example AS {example}; "
        f"EXPLAIN EXECUTE example({nulls}); DEALLOCATE example;"
    )


def index_for(row: RankedQuery, dialect: Dialect) -> IndexAdvice | None:
    """Return the index to try for a query that reads many more rows than it sends."""
    return index_advice(row.example, dialect) if _reads_too_much(row) else None


def first_step_for_query(row: RankedQuery, index: IndexAdvice | None, *, is_loop: bool) -> str:
    """Return the first thing to try for a query class."""
    verb = row.fingerprint.partition(" ")[0]
    if is_loop:
        fetch = (
            "Fetch what the loop needs with one query (IN, a join or eager loading), or cache it."
        )
        return _LOOPS.get(verb, fetch)
    if verb in _READS:
        return _for_reading(row, index)
    if _waits_for_locks(row):
        return "Find the transactions that hold the locks: much of the time is lock wait."
    if verb in _WRITES and row.count >= _FREQUENT and row.mean_us < _FAST_US:
        return "Each one is fast: write several rows at once, or in one transaction."
    if verb in _WRITES:
        return "Check the indexes that it has to update, and how it finds its rows."
    return "It is no data query: check whether it has to run while the site is busy."


def _waits_for_locks(row: RankedQuery) -> bool:
    return (row.lock_time_us or 0) >= _MUCH_LOCKING * row.total_time_us > 0


def _reads_too_much(row: RankedQuery) -> bool:
    ratio = row.rows_examined_per_row_sent
    return bool(row.full_scans) or (ratio is not None and ratio >= _MANY_ROWS_FOR_ONE)


def _for_reading(row: RankedQuery, index: IndexAdvice | None) -> str:
    if index is not None and index.columns:
        return f"Run the EXPLAIN with real values, then try: {index.statement}"
    if index is not None:
        return f"Rewrite its conditions. {index.why}"
    if _reads_too_much(row):
        return "EXPLAIN the example and add an index for its conditions."
    if row.count >= _FREQUENT and row.mean_us < _FAST_US:
        return "Each one is fast: run it less often, by caching or batching."
    if _waits_for_locks(row):
        return "Find the transactions that hold the locks: much of the time is lock wait."
    return "EXPLAIN the example; start with the slowest event in the evidence."
