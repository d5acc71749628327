"""Plans of PostgreSQL, MySQL and MariaDB: `EXPLAIN` and `EXPLAIN ANALYZE` in JSON."""

import re
from collections.abc import Callable, Iterator, Mapping

import msgspec

from benchpin.performance.reading import ArtifactSource, refuse_crowded
from benchpin.performance.slowlog import fingerprint, generalise, query_id, redact_sql
from benchpin.performance.values import Dialect

from ._format import ArtifactFormat, FileHead
from ._plan_steps import (
    Access,
    JsonMembers,
    Plans,
    PlanStep,
    QueryPlan,
    documents,
    microseconds,
    name,
    number,
    whole,
)
from ._postgres_messages import redact, skeleton

_MAX_BYTES = 16 << 20
_MAX_FINGERPRINT_CHARS = 4_000
_MAX_STATEMENT_CHARS = 100_000
_MAX_CONDITION_CHARS = 1_000
_MAX_STEPS = 2_000
_MAX_DEPTH = 200
_PERCENT = 100
_SCANS = frozenset({"ALL"})
_ACCESS: Mapping[str, Access] = {"table": "scan", "index": "index", "join": "join", "sort": "sort"}
_CONDITIONS = ("Filter", "Join Filter")
_STOPPERS = frozenset({"Limit", "Merge Join"})
# As text, PostgreSQL writes the strategy of an aggregate into its name.
_BLOCKERS = frozenset({"Sort", "Hash", "HashAggregate"})
_KIB = 1_024
_TABLE = re.compile(r"(?:\bfrom|\bjoin|,) ([\w.`]{1,200}) (?:as )?`?(\w{1,100})")


def read_plans(source: ArtifactSource) -> Plans:
    """Read the plans of a file."""
    content, faults, request = b"".join(source.chunks(_MAX_BYTES)), source.faults, source.request
    refuse_crowded(content)
    found = documents(content.decode("utf-8-sig", "replace"), source)
    plans: list[QueryPlan] = []
    for value in found.values:
        for plan in _plans(value, request.statement or found.statement):
            source.job.require_time()
            plans.append(plan)
    if not plans:
        faults.add("all", "there is no plan in it")
    return Plans(
        version=request.version, plans=tuple(plans), is_complete=not faults, faults=faults.listed()
    )


def _plans(value: object, statement: str | None) -> Iterator[QueryPlan]:
    for each in value if isinstance(value, list) else (value,):
        if not isinstance(each, JsonMembers):
            continue
        plan, block, tree = each.get("Plan"), each.get("query_block"), each.get("query_plan", each)
        text = each.get("Query Text")
        asked = statement or (text if isinstance(text, str) else None)
        if isinstance(plan, JsonMembers):
            time = microseconds(each, "Execution Time")
            yield _plan("postgres", postgres_steps(plan), time, asked)
        elif isinstance(block, JsonMembers):
            time = microseconds(block, "r_total_time_ms")
            yield _plan("mysql", block_steps(block), time, asked)
        elif isinstance(tree, JsonMembers) and "operation" in tree:
            yield _plan("mysql", tree_steps(tree), None, asked)


def _plan(
    dialect: Dialect, steps: list[PlanStep], time_us: int | None, statement: str | None
) -> QueryPlan:
    was_run = any(step.rows is not None for step in steps)
    first = steps[0].time_us if steps and was_run else None
    bare = None if statement is None else _fingerprint(dialect, statement)
    if dialect == "mysql" and bare is not None:
        steps = _with_tables(steps, bare.decode("utf-8", "replace"))
    return QueryPlan(
        dialect=dialect,
        query_id=None if bare is None else query_id(bare),
        fingerprint=None
        if bare is None
        else bare.decode("utf-8", "replace")[:_MAX_FINGERPRINT_CHARS],
        was_run=was_run,
        time_us=first if time_us is None else time_us,
        steps=tuple(steps),
    )


def _with_tables(steps: list[PlanStep], text: str) -> list[PlanStep]:
    """Return steps with the tables of names that are aliases, which MySQL writes instead."""
    tables = {it[2]: it[1].replace("`", "") for it in _TABLE.finditer(text)}
    return [
        msgspec.structs.replace(step, table=tables[name], alias=step.table)
        if (name := (step.table or "").lower()) in tables
        else step
        for step in steps
    ]


def _fingerprint(dialect: Dialect, statement: str) -> bytes:
    sql = statement[:_MAX_STATEMENT_CHARS].strip().rstrip(";").encode("utf-8", "replace")
    return generalise(sql, skeleton(sql)) if dialect == "postgres" else fingerprint(sql)


def _redacted(condition: str, redacting: Callable[[bytes], bytes]) -> str:
    bare = redacting(condition.encode("utf-8", "replace"))
    return bare.decode("utf-8", "replace")[:_MAX_CONDITION_CHARS]


# PostgreSQL: rows and times are means over the loops of a step.


def postgres_plan(plan: Mapping[str, object], time_us: int) -> QueryPlan:
    """Return a plan that a log has; the caller knows its statement."""
    return _plan("postgres", postgres_steps(plan), time_us, None)


def postgres_steps(plan: Mapping[str, object]) -> list[PlanStep]:
    """Return the steps of a `Plan`, each after the one that uses its rows."""
    found: list[PlanStep] = []
    reads_all: list[bool] = []
    pending: list[tuple[Mapping[str, object], int]] = [(plan, -1)]
    while pending and len(found) < _MAX_STEPS:
        node, parent = pending.pop()
        above = found[parent] if parent >= 0 else None
        is_cut_short = above is not None and (
            above.operation in _STOPPERS or (above.is_cut_short and not reads_all[parent])
        )
        reads_all.append(_reads_all(node))
        found.append(_postgres_step(node, parent, is_cut_short=is_cut_short))
        below = node.get("Plans")
        children = below[:_MAX_STEPS] if isinstance(below, list) else []
        at = len(found) - 1
        pending += [(child, at) for child in reversed(children) if isinstance(child, dict)]
    return found


def _reads_all(node: Mapping[str, object]) -> bool:
    """Whether a step needs all rows of the step below before it returns its first."""
    kind = node.get("Node Type")
    return kind in _BLOCKERS or (kind == "Aggregate" and node.get("Strategy") != "Sorted")


def _postgres_step(node: Mapping[str, object], parent: int, *, is_cut_short: bool) -> PlanStep:
    operation = name(node, "Node Type") or "(unknown)"
    loops = number(node, "Actual Loops")
    rows = whole(number(node, "Actual Rows"), loops)
    removed = whole(number(node, "Rows Removed by Filter") or 0, loops)
    batches, disk = number(node, "Hash Batches", "HashAgg Batches"), number(node, "Disk Usage")
    is_disk_sort = node.get("Sort Space Type") == "Disk"
    written = number(node, "Sort Space Used") if is_disk_sort else disk
    return PlanStep(
        operation=operation,
        parent=parent,
        access=_postgres_access(operation),
        table=name(node, "Relation Name"),
        alias=name(node, "Alias"),
        index=name(node, "Index Name"),
        condition=_postgres_condition(node),
        estimated_rows=whole(number(node, "Plan Rows")),
        rows=rows,
        read_rows=None if rows is None or removed is None else rows + removed,
        loops=whole(loops),
        time_us=microseconds(node, "Actual Total Time", loops=loops or 0),
        cost=whole(number(node, "Total Cost")),
        is_inner=node.get("Parent Relationship") == "Inner",
        is_cut_short=is_cut_short,
        is_on_disk=is_disk_sort or bool(disk) or (batches or 0) > 1,
        disk_bytes=whole(written, _KIB),
    )


def _postgres_access(operation: str) -> Access:
    if operation == "Seq Scan":
        return "scan"
    if operation.startswith(("Index ", "Bitmap ")):
        return "index"
    if operation == "Nested Loop" or operation.endswith(" Join"):
        return "join"
    return "sort" if operation.endswith("Sort") else "other"


def _postgres_condition(node: Mapping[str, object]) -> str | None:
    found = next((it for key in _CONDITIONS if isinstance(it := node.get(key), str)), None)
    return None if found is None else _redacted(found, redact)


# MariaDB, and MySQL in the first version of its format, write a `query_block` of tables in the
# order in which they are joined. The second version of MySQL is a tree of operations.


def block_steps(block: JsonMembers) -> list[PlanStep]:
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
    members: JsonMembers, condition: str | None, join: _Join, depth: int
) -> Iterator[PlanStep]:
    if depth > _MAX_DEPTH:
        return
    for key, value in members.pairs:
        for each in value if isinstance(value, list) else (value,):
            if not isinstance(each, JsonMembers):
                continue
            if key == "table" and ("access_type" in each or "table_name" in each):
                yield _table(each, condition, join)
            elif key == "filesort" and number(each, "r_sort_passes"):
                time = microseconds(each, "r_total_time_ms")
                yield PlanStep(operation="filesort", access="sort", time_us=time, is_on_disk=True)
            inner = _Join() if key in {"query_block", "materialized"} else join
            yield from _of_block(each, _mysql_condition(each) or condition, inner, depth + 1)


def _table(table: JsonMembers, condition: str | None, join: _Join) -> PlanStep:
    kind = name(table, "access_type") or "(unknown)"
    loops, is_inner = number(table, "r_loops"), join.tables > 0
    per_loop = number(table, "rows_examined_per_scan", "rows")
    share = (number(table, "filtered") or _PERCENT) / _PERCENT
    read = number(table, "r_rows")
    filtered = number(table, "r_filtered")
    kept = None if read is None else read * (1 if filtered is None else filtered / _PERCENT)
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
        condition=_mysql_condition(table) or condition,
        estimated_rows=whole(estimated),
        rows=whole(kept, loops),
        read_rows=whole(per_loop) if read is None else whole(read, loops),
        loops=whole(before if loops is None else loops),
        time_us=sum(it for it in times if it is not None) if any(times) else None,
        is_inner=is_inner,
        unused_indexes=_names(possible) if index is None else (),
    )


def _names(possible: object) -> tuple[str, ...]:
    names = possible if isinstance(possible, list) else []
    return tuple(it[:200] for it in names[:20] if isinstance(it, str))


def _mysql_condition(members: JsonMembers) -> str | None:
    found = members.get("attached_condition", members.get("condition"))
    if not isinstance(found, str):
        return None
    return _redacted(found, redact_sql)


def tree_steps(root: JsonMembers) -> list[PlanStep]:
    """Return the steps of a tree of operations; a filter is the condition of the step below it."""
    found: list[PlanStep] = []
    pending: list[tuple[JsonMembers, int, bool, JsonMembers | None]] = [(root, -1, False, None)]
    while pending and len(found) < _MAX_STEPS:
        node, parent, is_inner, above = pending.pop()
        found.append(_operation(node, parent, above, is_inner=is_inner))
        at = len(found) - 1
        below = node.get("inputs")
        children = (
            [it for it in below if isinstance(it, JsonMembers)] if isinstance(below, list) else []
        )
        is_loop = node.get("join_algorithm") == "nested_loop"
        is_filter = node.get("access_type") == "filter"
        passed = is_inner and is_filter
        pending += [
            (child, at, passed or (is_loop and place > 0), node if is_filter else None)
            for place, child in reversed(list(enumerate(children)))
        ]
    return found


def _operation(
    node: JsonMembers, parent: int, above: JsonMembers | None, *, is_inner: bool
) -> PlanStep:
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
        condition=_mysql_condition(filtered),
        estimated_rows=whole(number(filtered, "estimated_rows")),
        rows=whole(number(filtered, "actual_rows"), number(filtered, "actual_loops")),
        read_rows=whole(number(node, "estimated_rows")) if read is None else read,
        loops=whole(loops),
        time_us=microseconds(node, "actual_last_row_ms", loops=loops or 0),
        cost=whole(number(node, "estimated_total_cost")),
        is_inner=is_inner,
    )


def _kind(node: JsonMembers) -> str:
    said = name(node, "operation") or "(unknown)"
    return said.partition(":")[0].partition(" on ")[0].partition("(")[0].strip()[:100]


def _format(version: str, *marks: str) -> ArtifactFormat:
    """Return an entry; a file must have all members that are its marks."""
    patterns = [re.compile(rb'"%s"\s*+:' % mark.encode()) for mark in marks]

    def fits(head: FileHead) -> bool:
        return all(it.search(head.content) for it in patterns)

    return ArtifactFormat(version, "query_plan", fits, read_plans, Plans, _MAX_BYTES)


# The clearest first.
FORMATS = (
    _format("postgresql-plan", "Plan", "Node Type"),
    _format("mysql-plan", "query_block"),
    _format("mysql-tree", "operation", "estimated_rows"),
)
