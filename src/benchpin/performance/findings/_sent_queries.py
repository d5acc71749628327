"""Queries with what the server does for them, and the places that send them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.performance.formats import QueryPlan
from benchpin.performance.snapshots import Snapshot

from ._advice import plan_signals, plans_by_query, used_indexes
from ._findings import PerformanceFinding
from ._ranked import RankedQuery

_OF_QUERIES = frozenset({"query", "n_plus_one", "repetition", "plan"})


class QueryWithPlan(NamedTuple):
    """A query class, and what its plan or the log says that the server does."""

    query_id: str
    statement: str
    """Its fingerprint."""
    plan: str | None


class QuerySource(Item):
    """A place in the workspace that sends a query."""

    query_id: str
    statement: str
    """Its fingerprint."""
    file: str
    line: int
    function: str | None
    """The function around it."""
    certainty: Literal["certain", "likely", "possible"]
    """Certain where the statement is written, likely where the program puts in a part of it,
    possible where a model of the same table is asked for the same columns."""
    plan: str | None
    """What the server does for it, where a plan or the log says so."""


def sent_queries(
    snapshot: Snapshot, findings: Sequence[PerformanceFinding], ranked: Sequence[RankedQuery]
) -> list[QueryWithPlan]:
    """Return the queries of findings, then the others of a ranking, each with its plan."""
    plans = plans_by_query(snapshot.plans)
    known = {it.query_id: it for it in snapshot.queries}
    ids = [it.subject for it in findings if it.kind in _OF_QUERIES]
    found = []
    for query_id in dict.fromkeys((*ids, *(it.query_id for it in ranked))):
        plan, row = plans.get(query_id), known.get(query_id)
        statement = row.fingerprint if row else plan.fingerprint if plan else None
        if statement is None:
            continue
        says = _of_plan(plan) if plan else None
        if says is None and row is not None and row.full_scans:
            says = f"scans a whole table in {row.full_scans:,} of {counted(row.count, 'event')}"
        found.append(QueryWithPlan(query_id, statement, says))
    return found


def _of_plan(plan: QueryPlan) -> str:
    if signals := plan_signals(plan):
        return " ".join(dict.fromkeys(it.says for it in signals))
    indexes = ", ".join(used_indexes(plan)[:3])
    return f"uses {indexes}" if indexes else "reads no table in vain"
