"""Plans of MySQL and MariaDB.

MariaDB, and MySQL in the first version of its format, write a `query_block` of tables in the order
in which they are joined. The second version of MySQL is a tree of operations.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from benchpin.performance.slowlog import redact_sql

from ._steps import Access, Members, PlanStep, microseconds, name, number, whole

_MAX_STEPS: Final = 2_000
_MAX_DEPTH = 200
_PERCENT = 100
_MAX_CONDITION_CHARS = 1_000
_SCANS = frozenset({"ALL"})
_JOINS = frozenset({"block-nl-join", "nested_loop"})
_ACCESS: Mapping[str, Access] = {"table": "scan", "index": "index", "join": "join", "sort": "sort"}


def block_steps(block: Members) -> list[PlanStep]:
    """Return the tables and sorts of a `query_block`."""
    found: list[PlanStep] = []
    for step in _of_block(block, None, _Join(), 0):
        if len(found) >= _MAX_STEPS:
            break
        found.append(step)
    return found


class _Join:
    """The tables of a join so far: how many rows they produce together."""

    def __init__(self) -> None:
        self.tables = 0
        self.rows: float | None = 1


def _of_block(
    members: Members, condition: str | None, join: _Join, depth: int
) -> Iterator[PlanStep]:
    if depth > _MAX_DEPTH:
        return
    for key, value in members.pairs:
        for each in value if isinstance(value, list) else (value,):
            if not isinstance(each, Members):
                continue
            if key == "table" and ("access_type" in each or "table_name" in each):
                yield _table(each, condition, join)
            elif key == "filesort" and number(each, "r_sort_passes"):
                time = microseconds(each, "r_total_time_ms")
                yield PlanStep(operation="filesort", access="sort", time_us=time, is_on_disk=True)
            inner = _Join() if key in {"query_block", "materialized"} else join
            yield from _of_block(each, _condition(each) or condition, inner, depth + 1)


def _table(table: Members, condition: str | None, join: _Join) -> PlanStep:
    kind = name(table, "access_type") or "(unknown)"
    loops, is_inner = number(table, "r_loops"), join.tables > 0
    per_loop = number(table, "rows_examined_per_scan", "rows")
    share = (number(table, "filtered") or _PERCENT) / _PERCENT
    read = number(table, "r_rows")
    kept = None if read is None else read * (_filtered(table) / _PERCENT)
    estimated = None if per_loop is None else per_loop * share
    times = [microseconds(table, it) for it in ("r_table_time_ms", "r_other_time_ms")]
    before = join.rows
    join.tables += 1
    join.rows = None if before is None or estimated is None else before * estimated
    index = name(table, "key")
    possible = table.get("possible_keys")
    return PlanStep(
        operation=kind,
        access="scan" if kind in _SCANS else "index" if index else "other",
        table=name(table, "table_name"),
        index=index,
        condition=_condition(table) or condition,
        estimated_rows=whole(estimated),
        rows=whole(kept, loops),
        read_rows=whole(per_loop) if read is None else whole(read, loops),
        loops=whole(before if loops is None else loops),
        time_us=sum(it for it in times if it is not None) if any(times) else None,
        is_inner=is_inner,
        unused_indexes=_names(possible) if index is None else (),
    )


def _filtered(table: Members) -> float:
    found = number(table, "r_filtered")
    return _PERCENT if found is None else found


def _names(possible: object) -> tuple[str, ...]:
    names = possible if isinstance(possible, list) else []
    return tuple(it[:200] for it in names[:20] if isinstance(it, str))


def _condition(members: Members) -> str | None:
    found = members.get("attached_condition", members.get("condition"))
    if not isinstance(found, str):
        return None
    redacted = redact_sql(found.encode("utf-8", "replace"))
    return redacted.decode("utf-8", "replace")[:_MAX_CONDITION_CHARS]


def tree_steps(root: Members) -> list[PlanStep]:
    """Return the steps of a tree of operations; a filter is the condition of the step below it."""
    found: list[PlanStep] = []
    pending: list[tuple[Members, int, bool, Members | None]] = [(root, -1, False, None)]
    while pending and len(found) < _MAX_STEPS:
        node, parent, is_inner, above = pending.pop()
        found.append(_operation(node, parent, above, is_inner=is_inner))
        at = len(found) - 1
        below = node.get("inputs")
        children = (
            [it for it in below if isinstance(it, Members)] if isinstance(below, list) else []
        )
        is_loop = node.get("join_algorithm") == "nested_loop"
        is_filter = node.get("access_type") == "filter"
        passed = is_inner and is_filter
        pending += [
            (child, at, passed or (is_loop and place > 0), node if is_filter else None)
            for place, child in reversed(list(enumerate(children)))
        ]
    return found


def _operation(node: Members, parent: int, above: Members | None, *, is_inner: bool) -> PlanStep:
    loops = number(node, "actual_loops")
    read = whole(number(node, "actual_rows"), loops)
    filtered = node if above is None else above
    return PlanStep(
        operation=_kind(node),
        parent=parent,
        access=_ACCESS.get(name(node, "access_type") or "", "other"),
        table=name(node, "table_name"),
        alias=name(node, "alias"),
        index=name(node, "index_name"),
        condition=_condition(filtered),
        estimated_rows=whole(number(filtered, "estimated_rows")),
        rows=whole(number(filtered, "actual_rows"), number(filtered, "actual_loops")),
        read_rows=whole(number(node, "estimated_rows")) if read is None else read,
        loops=whole(loops),
        time_us=microseconds(node, "actual_last_row_ms", loops=loops or 0),
        cost=whole(number(node, "estimated_total_cost")),
        is_inner=is_inner,
    )


def _kind(node: Members) -> str:
    """Return what is done, without its condition."""
    said = name(node, "operation") or "(unknown)"
    return said.partition(":")[0].partition(" on ")[0].partition("(")[0].strip()[:100]
