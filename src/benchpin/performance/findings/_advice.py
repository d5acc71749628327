"""What to do first about a query that takes too long, by its statement or by its plan."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

import msgspec

from benchpin.performance.formats import Plans, PlanStep, QueryPlan, wasteful_scans
from benchpin.performance.values import Dialect, PublishedValue
from benchpin.system.processes import has_extra

from ._ranked import RankedQuery, Rule, Signal

_MANY_ROWS = 1_000
_MANY_LOOPS = 1_000
# Share of the whole from which on the inner side of a loop matters.
_MUCH_TIME = 0.3
_TIMES_WRONG = 10
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
_TEXT = "'?'"
# MySQL compares it with columns of any type: a word would be refused for a date.
_SAMPLE = "'2000-01-01'"
_TYPED_TEXT = re.compile(r"(?i)(\b(?:interval|date|time|timestamp|timestamptz|inet|uuid)\s+)?'\?'")
_NO_ROWS = re.compile(r"(?i)(\blimit\s+(?:0\s*,\s*)?)0\b(?!\s*,)")
_POSITIONS = re.compile(r"(?i)\b(?:order|group)\s+by\s+0\b(?:\s+(?:asc|desc))?(?:\s*,\s*0\b)*")
_PARAMETER = re.compile(r"(?<![\w$])\$(\d{1,5})\b")
_MAX_PARAMETERS = 1_000
_READS = frozenset({"select", "(select", "with"})
_WRITES = frozenset({"insert", "replace", "update", "delete"})
# MySQL allows 64 characters, PostgreSQL 63.
_MAX_NAME_CHARS = 60


# What an index for a query would need.


class IndexAdvice(PublishedValue, frozen=True):
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
    if not columns:
        return None
    name = "_".join(("idx", table.rpartition(".")[2], *columns))[:_MAX_NAME_CHARS]
    place = ".".join(quoted(part, dialect) for part in table.split("."))
    listed = ", ".join(quoted(column, dialect) for column in columns)
    return f"CREATE INDEX {quoted(name, dialect)} ON {place} ({listed});"


def quoted(name: str, dialect: Dialect) -> str:
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

    The values of the log were redacted. PostgreSQL plans for any values; for MySQL the values are
    samples, and numbers are 0.
    """
    verb = row.fingerprint.partition(" ")[0]
    is_whole = len(row.example) < MAX_EXAMPLE_CHARS
    if verb not in _READS | {"update", "delete"} or not is_whole:
        return None
    # With no row to return, a server plans nothing; a position of 0 in an order is refused.
    example = _NO_ROWS.sub(r"\g<1>20", row.example.rstrip().rstrip(";"))
    example = _POSITIONS.sub(lambda it: it[0].replace("0", "1"), example)
    if dialect == "postgres":
        return _explain_of_prepared(example)
    database = f"USE {quoted(row.databases[0], dialect)}; " if len(row.databases) == 1 else ""
    return f"{database}EXPLAIN {_BARE_VALUE.sub('1', example.replace(_TEXT, _SAMPLE))};"


def _explain_of_prepared(example: str) -> str:
    """Return an EXPLAIN of a statement; where it has parameters or texts, of its generic plan.

    A text that is no number or date would be refused where one is expected. A parameter has the
    type of what it is compared with.
    """
    last = max((int(it) for it in _PARAMETER.findall(example)), default=0)
    parts = _TYPED_TEXT.split(example)
    written = parts[0]
    # `date '…'` is only for constants: a parameter takes its type behind it.
    for number, (kind, following) in enumerate(
        zip(parts[1::2], parts[2::2], strict=True), last + 1
    ):
        written += f"${number}{f'::{kind.strip()}' if kind else ''}{following}"
    last += len(parts) // 2
    if not 0 < last <= _MAX_PARAMETERS:
        return f"EXPLAIN {example};"
    nulls = ", ".join(["NULL"] * last)
    return (
        f"SET plan_cache_mode = force_generic_plan; PREPARE example AS {written}; "
        f"EXPLAIN EXECUTE example({nulls}); DEALLOCATE example;"
    )


def index_for(row: RankedQuery, dialect: Dialect) -> IndexAdvice | None:
    """Return the index to try for a query that reads many more rows than it sends."""
    return index_advice(row.example, dialect) if _reads_too_much(row) else None


def first_step_for_query(row: RankedQuery, index: IndexAdvice | None, *, is_loop: bool) -> str:
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


# What is wrong with a plan, each with its numbers, and the index that would help.


def plan_signals(plan: QueryPlan) -> tuple[Signal, ...]:
    """Return what is wrong with a plan, the largest saving first; nothing where it is fine."""
    if plan.time_us is not None and plan.time_us < _MIN_TIME_US:
        return ()
    found = [*_scans(plan), *_loops(plan), *_sorts(plan), *_estimates(plan)]
    return tuple(sorted(found, key=lambda it: -it.could_save_us))


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
    return list(dict.fromkeys(step.index for step in plan.steps if step.index))


def misjudged_tables(plan: QueryPlan) -> list[str]:
    """Return the tables of which the server expects another number of rows than it finds."""
    return list(dict.fromkeys(it.table for it in _misjudged(plan) if it.table))


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
        # The time of a loop is rounded, and workers run side by side: the sum can be more than all.
        share = min(1.0, (step.time_us or 0) / plan.time_us) if plan.time_us else 0
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
