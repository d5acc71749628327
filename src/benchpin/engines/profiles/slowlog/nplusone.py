"""Queries that one connection asks for again and again, with other values each time.

That is N+1 where they follow, one right behind the other, on a query that returns several rows:
a program then asks for each row what it could have asked for all of them at once. Where there is
no such query before them, or they are scattered, it is called repetition, and no more is claimed.
"""

from collections.abc import Iterable
from typing import Literal

from benchpin.engines.profiles.values import Connection, QueryTotals, Repetition, Value

LEAST = 10
_ASKS = ("select", "(select", "with", "insert", "update", "delete", "replace", "call")


class RepeatedQuery(Value, frozen=True):
    """A class that connections ask for again and again."""

    query_id: str
    fingerprint: str
    kind: Literal["n_plus_one", "repetition"]
    reason: str
    connections: int
    """How many do so."""
    events: int
    """How often they ask, together."""
    time_us: int
    connections_time_us: int
    """What all queries of these connections take, of which `time_us` is a share."""
    worst_connection: int
    most: int
    """How often the worst connection asks."""
    longest_run: int
    parent_id: str | None
    """The class before the longest run."""


def find_repeated(
    connections: Iterable[Connection], classes: Iterable[QueryTotals], least: int = LEAST
) -> list[RepeatedQuery]:
    """Return what connections repeat at least so often, what takes longest first."""
    known = {it.query_id: it for it in classes}
    found: dict[str, list[tuple[Connection, Repetition]]] = {}
    for connection in connections:
        for repetition in connection.repetitions:
            if repetition.count >= least and _is_question(known[repetition.query_id]):
                found.setdefault(repetition.query_id, []).append((connection, repetition))
    findings = [_finding(known, known[query_id], cases) for query_id, cases in found.items()]
    return sorted(findings, key=lambda it: (-it.time_us, it.query_id))


def _is_question(query: QueryTotals) -> bool:
    return query.fingerprint.startswith(_ASKS) and "?" in query.fingerprint


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
        return "repetition", f"at most {run} of {longest.count} come in a row"
    if parent is None:
        return "repetition", f"{run} in a row, with nothing before them in the log"
    rows = parent.rows_sent // parent.count
    if not parent.fingerprint.startswith(("select", "(select", "with")) or rows < 2:  # noqa: PLR2004 - one row has no N
        return "repetition", f"{run} in a row, after a query that returns no list"
    return "n_plus_one", f"{run} in a row, after a query that returns {rows} rows on average"
