"""What to do first about a query that takes too long."""

from .index_advice import Dialect, IndexAdvice, index_advice, quoted
from .ranked import RankedQuery

_MANY_ROWS_FOR_ONE = 100
"""Rows examined per row sent from which on an index is missing."""
_MUCH_LOCKING = 0.3
"""Share of lock time in the total."""
_FREQUENT = 100
_FAST_US = 10_000
LONGEST_EXAMPLE = 4_000
"""Longer examples were cut, and are no statement."""
_LOOPS = {
    "insert": "Insert many rows with one statement, or all of them in one transaction.",
    "replace": "Replace many rows with one statement, or all of them in one transaction.",
    "update": "Change all rows with one statement (IN, or a join), or in one transaction.",
    "delete": "Delete all rows with one statement (IN), or in one transaction.",
    "call": "Move the loop around the calls into the procedure.",
}
_READS = frozenset({"select", "(select", "with"})
_WRITES = frozenset({"insert", "replace", "update", "delete"})


def explain_of(row: RankedQuery, dialect: Dialect) -> str | None:
    """Return a statement to paste that shows the plan; None where it has none.

    Its literals were redacted to `'?'` and `0`, which are of the right type.
    """
    verb = row.fingerprint.partition(" ")[0]
    is_whole = len(row.example) < LONGEST_EXAMPLE
    if verb not in _READS | {"update", "delete"} or not is_whole:
        return None
    has_use = dialect == "mysql" and len(row.databases) == 1
    database = f"USE {quoted(row.databases[0], dialect)}; " if has_use else ""
    return f"{database}EXPLAIN {row.example.rstrip().rstrip(';')};"


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
    if row.lock_time_us >= _MUCH_LOCKING * row.total_time_us:
        return "Find the transactions that hold the locks: much of the time is lock wait."
    if verb in _WRITES and row.count >= _FREQUENT and row.mean_us < _FAST_US:
        return "Each one is fast: write several rows at once, or in one transaction."
    if verb in _WRITES:
        return "Check the indexes that it has to update, and how it finds its rows."
    return "It is no data query: check whether it has to run while the site is busy."


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
    if row.lock_time_us >= _MUCH_LOCKING * row.total_time_us:
        return "Find the transactions that hold the locks: much of the time is lock wait."
    return "EXPLAIN the example; start with the slowest event in the evidence."
