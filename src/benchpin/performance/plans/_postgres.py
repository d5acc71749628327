"""Plans of PostgreSQL: rows and times are means over the loops of a step."""

from collections.abc import Mapping
from typing import Final

from benchpin.performance.pglog import redact

from ._steps import Access, PlanStep, microseconds, name, number, whole

_MAX_STEPS: Final = 2_000
_CONDITIONS = ("Filter", "Join Filter")
_STOPPERS = frozenset({"Limit", "Merge Join"})
_KIB = 1_024
_MAX_CONDITION_CHARS = 1_000


def steps(plan: Mapping[str, object]) -> list[PlanStep]:
    """Return the steps of a `Plan`, each after the one that uses its rows."""
    found: list[PlanStep] = []
    pending: list[tuple[Mapping[str, object], int]] = [(plan, -1)]
    while pending and len(found) < _MAX_STEPS:
        node, parent = pending.pop()
        above = found[parent] if parent >= 0 else None
        is_cut_short = above is not None and (above.is_cut_short or above.operation in _STOPPERS)
        found.append(_step(node, parent, is_cut_short=is_cut_short))
        below = node.get("Plans")
        children = below if isinstance(below, list) else []
        at = len(found) - 1
        pending += [(child, at) for child in reversed(children) if isinstance(child, Mapping)]
    return found


def _step(node: Mapping[str, object], parent: int, *, is_cut_short: bool) -> PlanStep:
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
        access=_access(operation),
        table=name(node, "Relation Name"),
        alias=name(node, "Alias"),
        index=name(node, "Index Name"),
        condition=_condition(node),
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


def _access(operation: str) -> Access:
    if operation == "Seq Scan":
        return "scan"
    if operation.startswith(("Index ", "Bitmap ")):
        return "index"
    if operation == "Nested Loop" or operation.endswith(" Join"):
        return "join"
    return "sort" if operation.endswith("Sort") else "other"


def _condition(node: Mapping[str, object]) -> str | None:
    found = next((it for key in _CONDITIONS if isinstance(it := node.get(key), str)), None)
    if found is None:
        return None
    return redact(found.encode("utf-8", "replace")).decode("utf-8", "replace")[
        :_MAX_CONDITION_CHARS
    ]
