"""What to do first about a plan, and the plan of each query."""

from collections.abc import Iterable, Mapping

from benchpin.performance.findings import Rule

from ._signals import misjudged_tables, plan_index, plan_signals, used_indexes, wasteful_scans
from ._steps import Plans, QueryPlan

_ADVICE: Mapping[Rule, str] = {
    "full_scans": "Check whether an index fits the columns of its condition.",
    "nested_loop": "Reduce the rows of the outer side first, or fetch the inner ones at once.",
    "sort_on_disk": "Sort fewer or narrower rows, use an index that has the order, or raise the "
    "memory of a sort (work_mem, sort_buffer_size).",
    "wrong_estimate": "Bring the statistics of {table} up to date (ANALYZE); where columns depend "
    "on one another, add extended statistics or histograms.",
}


def plans_by_query(plans: Iterable[Plans]) -> dict[str, QueryPlan]:
    """Return the plan of each query class that has one; of several, the slowest that was run."""
    found = [plan for each in plans for plan in each.plans if plan.query_id is not None]
    found.sort(key=lambda it: (it.was_run, it.time_us or 0))
    return {str(plan.query_id): plan for plan in found}


def first_step_for_plan(plan: QueryPlan) -> str:
    """Return the first thing to try, by what is wrong with a plan."""
    signals, index = plan_signals(plan), plan_index(plan)
    if not signals and not plan.was_run:
        return "Its plan shows nothing wrong: EXPLAIN ANALYZE shows how many rows it really reads."
    if not signals:
        listed = ", ".join(used_indexes(plan)[:5])
        return (
            f"Its plan {f'uses {listed}' if listed else 'needs no index'} and reads no table in "
            "vain: run it less often, or cache it."
        )
    if index is not None and index.columns:
        return f"Try: {index.statement}"
    if index is not None:
        return f"Rewrite its conditions. {index.why}"
    unused = next((it.unused_indexes for it in wasteful_scans(plan) if it.unused_indexes), ())
    if unused:
        return (
            f"Find out why {unused[0]} is not used: bring the statistics up to date (ANALYZE), and "
            "compare the column with a value of its own type."
        )
    return _ADVICE[signals[0].rule].format(
        table=", ".join(misjudged_tables(plan)[:3]) or "its tables"
    )
