"""Find queries that one connection repeats with different values.

It is N+1 when they directly follow one another and a query that returns several rows: the program
runs one query for each row instead of one for all. Otherwise it is only called repetition.
"""

from collections.abc import Iterable
from typing import Literal

from benchpin.performance.values import Connection, QueryTotals, Repetition, Value

# Repetitions in one connection that make a finding.
MIN_REPEATS = 10
_STATEMENTS = ("select", "(select", "with", "insert", "update", "delete", "replace", "call")


class RepeatedQuery(Value, frozen=True):
    """A query class that connections repeat."""

    query_id: str
    fingerprint: str
    kind: Literal["n_plus_one", "repetition"]
    reason: str
    connections: int
    """How many repeat it."""
    events: int
    """How often they run it in total."""
    time_us: int
    connections_time_us: int
    """Time of all queries of these connections, including `time_us`."""
    worst_connection: int
    most: int
    """How often the worst connection runs it."""
    longest_run: int
    parent_id: str | None
    """The class right before the longest run."""


def find_repeated(
    connections: Iterable[Connection], classes: Iterable[QueryTotals], least: int = MIN_REPEATS
) -> list[RepeatedQuery]:
    """Return the classes that a connection repeats at least `least` times, longest first."""
    known = {it.query_id: it for it in classes}
    found: dict[str, list[tuple[Connection, Repetition]]] = {}
    for connection in connections:
        for repetition in connection.repetitions:
            if repetition.count >= least and _takes_values(known[repetition.query_id]):
                found.setdefault(repetition.query_id, []).append((connection, repetition))
    findings = [_finding(known, known[query_id], cases) for query_id, cases in found.items()]
    return sorted(findings, key=lambda it: (-it.time_us, it.query_id))


def _takes_values(query: QueryTotals) -> bool:
    return query.fingerprint.startswith(_STATEMENTS) and "?" in query.fingerprint


def _finding(
    known: dict[str, QueryTotals],
    query: QueryTotals,
    cases: list[tuple[Connection, Repetition]],
) -> RepeatedQuery:
    worst, most = max(cases, key=lambda case: (case[1].count, -case[0].id))
    longest = max((case[1] for case in cases), key=lambda it: it.longest_run)
    parent = known.get(longest.before_run or "")
    kind, reason = _judged(longest, parent)
    return RepeatedQuery(
        query_id=query.query_id,
        fingerprint=query.fingerprint,
        kind=kind,
        reason=reason,
        connections=len(cases),
        events=sum(repetition.count for _, repetition in cases),
        time_us=sum(repetition.total_time_us for _, repetition in cases),
        connections_time_us=sum(connection.query_time_us for connection, _ in cases),
        worst_connection=worst.id,
        most=most.count,
        longest_run=longest.longest_run,
        parent_id=parent.query_id if parent else None,
    )


def _judged(
    longest: Repetition, parent: QueryTotals | None
) -> tuple[Literal["n_plus_one", "repetition"], str]:
    run = longest.longest_run
    if run * 2 < longest.count:
        return "repetition", f"at most {run} of {longest.count} are in a row"
    if parent is None:
        return "repetition", f"{run} in a row, with no query before them in the log"
    rows = (parent.rows_sent or 0) // parent.count
    if not parent.fingerprint.startswith(("select", "(select", "with")) or rows < 2:  # noqa: PLR2004 - one row has no N
        return "repetition", f"{run} in a row, after a query that does not return several rows"
    return "n_plus_one", f"{run} in a row, after a query that returns {rows} rows on average"
