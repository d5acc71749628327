"""Recognise and read files with plans."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, Final

import msgspec

from benchpin.core.calls import Job
from benchpin.performance.findings import Dialect
from benchpin.performance.pglog import skeleton
from benchpin.performance.reading import FaultLog, Unpacker, refuse_crowded
from benchpin.performance.slowlog import fingerprint, generalise, query_id

from . import _mysql as mysql
from . import _postgres as postgres
from ._steps import Members, Plans, PlanStep, QueryPlan, documents, microseconds

_MAX_BYTES = 16 << 20
_MAX_FAULTS = 50
_MAX_FINGERPRINT_CHARS = 4_000
_MAX_STATEMENT_CHARS = 100_000
# What a file must contain, by the name of its format; the clearest first.
PLAN_FORMATS: Final[Mapping[str, Sequence[re.Pattern[bytes]]]] = {
    "postgresql-plan": (re.compile(rb'"Plan"\s*+:'), re.compile(rb'"Node Type"\s*+:')),
    "mysql-plan": (re.compile(rb'"query_block"\s*+:'),),
    "mysql-tree": (re.compile(rb'"operation"\s*+:'), re.compile(rb'"estimated_rows"\s*+:')),
}
_TABLE = re.compile(r"(?:\bfrom|\bjoin|,) ([\w.`]{1,200}) (?:as )?`?(\w{1,100})")


def plan_format(head: bytes) -> str | None:
    """Return the format of a file with plans, by its first bytes."""
    for name, marks in PLAN_FORMATS.items():
        if all(mark.search(head) for mark in marks):
            return name
    return None


def read_plans(version: str, file: BinaryIO, statement: str | None, job: Job) -> Plans:
    """Read the plans of a file; `statement` is what was explained, where the caller knows it."""
    unpacker = Unpacker(file, _MAX_BYTES)
    content = unpacker.whole(job)
    refuse_crowded(content)
    faults = FaultLog(_MAX_FAULTS)
    faults.extend(unpacker.faults)
    found = documents(content.decode("utf-8-sig", "replace"), faults)
    plans: list[QueryPlan] = []
    for value in job.each(found.values, "plans"):
        plans += _plans(value, statement or found.statement)
    if not plans:
        faults.add("all", "there is no plan in it")
    return Plans(
        version=version, plans=tuple(plans), is_complete=not faults, faults=faults.listed()
    )


def _plans(value: object, statement: str | None) -> Iterator[QueryPlan]:
    for each in value if isinstance(value, list) else (value,):
        if not isinstance(each, Members):
            continue
        plan, block, tree = each.get("Plan"), each.get("query_block"), each.get("query_plan", each)
        text = each.get("Query Text")
        asked = statement or (text if isinstance(text, str) else None)
        if isinstance(plan, Members):
            time = microseconds(each, "Execution Time")
            yield _plan("postgres", postgres.steps(plan), time, asked)
        elif isinstance(block, Members):
            time = microseconds(block, "r_total_time_ms")
            yield _plan("mysql", mysql.block_steps(block), time, asked)
        elif isinstance(tree, Members) and "operation" in tree:
            yield _plan("mysql", mysql.tree_steps(tree), None, asked)


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
