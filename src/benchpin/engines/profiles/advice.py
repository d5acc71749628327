"""What to do first about a query that takes too long."""

from .ranked import RankedQuery

_MANY_ROWS_FOR_ONE = 100
"""Rows examined per row sent from which on an index is missing."""
_MUCH_LOCKING = 0.3
"""Share of lock time in the total."""
_FREQUENT = 100
_FAST_US = 10_000
_LOOPS = {
    "insert": "Insert many rows with one statement, or all of them in one transaction.",
    "replace": "Replace many rows with one statement, or all of them in one transaction.",
    "update": "Change all rows with one statement (IN, or a join), or in one transaction.",
    "delete": "Delete all rows with one statement (IN), or in one transaction.",
    "call": "Move the loop around the calls into the procedure.",
}
_READS = frozenset({"select", "(select", "with"})
_WRITES = frozenset({"insert", "replace", "update", "delete"})


def first_step_for_query(row: RankedQuery, *, is_loop: bool) -> str:
    """Return the first thing to try for a query class."""
    verb = row.fingerprint.partition(" ")[0]
    if is_loop:
        fetch = (
            "Fetch what the loop needs with one query (IN, a join or eager loading), or cache it."
        )
        return _LOOPS.get(verb, fetch)
    if verb in _READS:
        return _for_reading(row)
    if row.lock_time_us >= _MUCH_LOCKING * row.total_time_us:
        return "Find the transactions that hold the locks: much of the time is lock wait."
    if verb in _WRITES and row.count >= _FREQUENT and row.mean_us < _FAST_US:
        return "Each one is fast: write several rows at once, or in one transaction."
    if verb in _WRITES:
        return "Check the indexes that it has to update, and how it finds its rows."
    return "It is no data query: check whether it has to run while the site is busy."


def _for_reading(row: RankedQuery) -> str:
    ratio = row.rows_examined_per_row_sent
    if row.full_scans or (ratio is not None and ratio >= _MANY_ROWS_FOR_ONE):
        return "EXPLAIN the example and add an index for its conditions."
    if row.count >= _FREQUENT and row.mean_us < _FAST_US:
        return "Each one is fast: run it less often, by caching or batching."
    if row.lock_time_us >= _MUCH_LOCKING * row.total_time_us:
        return "Find the transactions that hold the locks: much of the time is lock wait."
    return "EXPLAIN the example; start with the slowest event in the evidence."
