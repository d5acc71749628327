"""What is wrong with a plan, each with its numbers, and the index that would help."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from benchpin.performance.formats import Plans, PlanStep, QueryPlan

from ._advice import IndexAdvice, index_for_condition
from ._ranked import Rule, Signal

_MANY_ROWS = 1_000
# A scan that keeps one row of ten, or fewer, reads too many.
_KEPT_OF_READ = 10
_MANY_LOOPS = 1_000
# Share of the whole from which on the inner side of a loop matters.
_MUCH_TIME = 0.3
_TIMES_WRONG = 10
_MIN_COST = 1_000
_MOSTLY = 0.5
# A statement that takes less is fine.
_MIN_TIME_US = 200
_ADVICE: Mapping[Rule, str] = {
    "full_scans": "Check whether an index fits the columns of its condition.",
    "nested_loop": "Reduce the rows of the outer side first, or fetch the inner ones at once.",
    "sort_on_disk": "Sort fewer or narrower rows, use an index that has the order, or raise the "
    "memory of a sort (work_mem, sort_buffer_size).",
    "wrong_estimate": "Bring the statistics of {table} up to date (ANALYZE); where columns depend "
    "on one another, add extended statistics or histograms.",
}


def plan_signals(plan: QueryPlan) -> tuple[Signal, ...]:
    """Return what is wrong with a plan, the largest saving first; nothing where it is fine."""
    if plan.time_us is not None and plan.time_us < _MIN_TIME_US:
        return ()
    found = [*_scans(plan), *_loops(plan), *_sorts(plan), *_estimates(plan)]
    return tuple(sorted(found, key=lambda it: -it.could_save_us))


def wasteful_scans(plan: QueryPlan) -> list[PlanStep]:
    """Return the steps that read a whole table for few rows."""
    return [step for step in plan.steps if _is_wasteful(step, plan)]


def plan_index(plan: QueryPlan) -> IndexAdvice | None:
    """Return the index that the plan lacks; None where it reads no table in vain."""
    scans = sorted(wasteful_scans(plan), key=lambda it: -(it.read_rows or it.cost or 0))
    for step in scans:
        if step.table is not None and step.condition is not None and not step.unused_indexes:
            names = {it for it in (step.table, step.alias) if it}
            found = index_for_condition(step.table, names, step.condition, plan.dialect)
            if found is None or plan.was_run:
                return found
            return msgspec.structs.replace(found, certainty="possible")
    return None


def used_indexes(plan: QueryPlan) -> list[str]:
    """Return the indexes that a plan uses, in its order."""
    return list(dict.fromkeys(step.index for step in plan.steps if step.index))


def misjudged_tables(plan: QueryPlan) -> list[str]:
    """Return the tables of which the server expects another number of rows than it finds."""
    return list(dict.fromkeys(it.table for it in _misjudged(plan) if it.table))


def _is_wasteful(step: PlanStep, plan: QueryPlan) -> bool:
    if step.access != "scan" or step.condition is None or step.is_cut_short:
        return False
    if step.read_rows is not None and step.rows is not None:
        return step.read_rows >= _MANY_ROWS and step.rows * _KEPT_OF_READ <= step.read_rows
    if step.read_rows is not None:  # of MySQL, which estimates what is read, and often not the rest
        return step.read_rows >= _MANY_ROWS
    whole = max((it.cost or 0 for it in plan.steps), default=0)
    cost, rows = step.cost or 0, step.estimated_rows or 0
    return cost >= _MIN_COST and cost >= _MOSTLY * whole and rows <= cost


def _scans(plan: QueryPlan) -> Iterator[Signal]:
    for step in wasteful_scans(plan):
        if step.rows is not None:
            how = f"it reads {step.read_rows:,} rows and keeps {step.rows:,}"
        elif step.read_rows is not None:
            how = f"it would read {step.read_rows:,} rows"
        else:
            how = f"it would read all rows for {step.estimated_rows or 0:,}"
        listed = ", ".join(step.unused_indexes)
        unused = f", and does not use {listed}" if listed else ""
        says = f"Of {step.table} {how}{unused}, where {step.condition}."
        yield Signal("full_scans", says, _saving(step, plan))


def _loops(plan: QueryPlan) -> Iterator[Signal]:
    for step in plan.steps:
        loops = step.loops or 0
        if not step.is_inner or loops < _MANY_LOOPS:
            continue
        share = (step.time_us or 0) / plan.time_us if plan.time_us else 0
        if step.access == "scan" or share >= _MUCH_TIME:
            how = f"looks up {step.table} by {step.index}" if step.index else f"reads {step.table}"
            part = f", {share:.0%} of the time" if share else ""
            says = f"A nested loop {how} {loops:,} times{part}."
            yield Signal("nested_loop", says, _saving(step, plan))


def _sorts(plan: QueryPlan) -> Iterator[Signal]:
    for step in plan.steps:
        if step.is_on_disk:
            size = f" ({step.disk_bytes:,} bytes)" if step.disk_bytes else ""
            says = f"{step.operation} does not fit into memory and is written to disk{size}."
            yield Signal("sort_on_disk", says, step.time_us or 0)


def _estimates(plan: QueryPlan) -> Iterator[Signal]:
    for step in _misjudged(plan):
        place = f" of {step.table}" if step.table else ""
        mean = (step.rows or 0) // (step.loops or 1)
        says = (
            f"{step.operation}{place} was expected to return {step.estimated_rows:,} rows, "
            f"and returned {mean:,}."
        )
        yield Signal("wrong_estimate", says, 0)


def _misjudged(plan: QueryPlan) -> list[PlanStep]:
    """Return the steps whose rows are misjudged, not those that pass on the error of others."""
    wrong = {
        at
        for at, step in enumerate(plan.steps)
        if _is_misjudged(step) and not (plan.dialect == "mysql" and step.condition)
    }  # without histograms, MySQL only guesses how many rows a condition keeps
    passed_on = {plan.steps[at].parent for at in wrong}
    for at in range(len(plan.steps) - 1, -1, -1):
        if at in passed_on:
            passed_on.add(plan.steps[at].parent)
    return [plan.steps[at] for at in sorted(wrong - passed_on)]


def _is_misjudged(step: PlanStep) -> bool:
    if step.rows is None or step.estimated_rows is None or not step.loops:
        return False
    mean, expected = max(1, step.rows // step.loops), max(1, step.estimated_rows)
    if max(step.rows, expected * step.loops) < _MANY_ROWS:
        return False
    is_more = mean >= _TIMES_WRONG * expected
    may_stop = step.is_cut_short or step.is_inner
    return is_more or (expected >= _TIMES_WRONG * mean and not may_stop)


def _saving(step: PlanStep, plan: QueryPlan) -> int:
    return min(it for it in (step.time_us, plan.time_us) if it is not None) if step.time_us else 0


# What to do first about a plan, and the plan of each query.


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
