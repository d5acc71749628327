import json
import random
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from artifact_kit import read_artifact_as, version_of
from benchpin.performance.findings import analyze
from benchpin.performance.findings._advice import (
    first_step_for_plan,
    plan_index,
    plan_signals,
)
from benchpin.performance.formats import Plans, QueryPlan
from benchpin.performance.reading import validate
from benchpin.performance.snapshots import build_snapshot
from benchpin.performance.values import Reading, Source
from profile_values import query_class, slow_log

FIXTURES = Path(__file__).parents[2] / "fixtures/performance/plans"
SECRETS = ("hunter2", "= 4711")
RULES = {
    "scan": ["full_scans"],
    "index": [],
    "sort": ["sort_on_disk"],
    "loop": ["nested_loop"],
}
# As the manual of MySQL describes it: there is no MySQL in Debian.
MYSQL = {
    "query_block": {
        "select_id": 1,
        "cost_info": {"query_cost": "20213.10"},
        "nested_loop": [
            {
                "table": {
                    "table_name": "orders",
                    "access_type": "ALL",
                    "rows_examined_per_scan": 198000,
                    "rows_produced_per_join": 1980,
                    "filtered": "1.00",
                    "attached_condition": "(`shop`.`orders`.`customer` = 4711)",
                }
            },
            {
                "table": {
                    "table_name": "items",
                    "access_type": "ALL",
                    "rows_examined_per_scan": 1000,
                    "filtered": "10.00",
                    "attached_condition": "(`shop`.`items`.`order_id` = `shop`.`orders`.`id`)",
                }
            },
        ],
    }
}
TREE = {
    "query": "/* select#1 */ select ...",
    "operation": "Filter: (orders.note = 'hunter2')",
    "access_type": "filter",
    "condition": "(orders.note = 'hunter2')",
    "estimated_rows": 1980.0,
    "actual_rows": 2.0,
    "actual_loops": 1,
    "actual_last_row_ms": 41.5,
    "inputs": [
        {
            "operation": "Table scan on orders",
            "access_type": "table",
            "table_name": "orders",
            "estimated_rows": 19800.0,
            "actual_rows": 20000.0,
            "actual_loops": 1,
            "actual_last_row_ms": 38.25,
        }
    ],
}


def read(content: bytes, statement: str | None = None) -> Plans:
    found = validate(BytesIO(content), "plan.json")
    assert found.detected_type == "query_plan"
    plans = read_artifact_as(found.detected_version or "", content, statement=statement)
    assert isinstance(plans, Plans)
    return plans


def plan_of(content: bytes, statement: str | None = None) -> QueryPlan:
    (plan,) = read(content, statement).plans
    return plan


def rules(plan: QueryPlan) -> list[str]:
    return [signal.rule for signal in plan_signals(plan)]


def fixture(name: str) -> bytes:
    return (FIXTURES / f"{name}.json").read_bytes()


@pytest.mark.parametrize("server", ["pg", "maria"])
@pytest.mark.parametrize("name", RULES)
def test_findings_follow_the_plan(server: str, name: str) -> None:
    assert rules(plan_of(fixture(f"{server}_{name}"))) == RULES[name]


def test_wrong_estimates_are_found_where_they_begin() -> None:
    (signal,) = plan_signals(plan_of(fixture("pg_estimate")))
    assert signal.says == (
        "Seq Scan of orders was expected to return 100 rows, and returned 10,000."
    )


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.json")), ids=lambda it: it.stem)
def test_plans_keep_no_value(path: Path) -> None:
    plans = read(path.read_bytes())
    assert plans.is_complete
    assert plans.plans[0].steps
    assert not any(secret in str(plans) for secret in SECRETS)


@pytest.mark.parametrize(("server", "quote"), [("pg", '"'), ("maria", "`")])
def test_index_advice_follows_the_plan(server: str, quote: str) -> None:
    index = plan_index(plan_of(fixture(f"{server}_scan")))
    assert index is not None
    assert (index.columns, index.certainty) == (("customer", "status"), "likely")
    assert index.statement == (
        "CREATE INDEX 'idx_orders_customer_status' ON 'orders' ('customer', 'status');"
    ).replace("'", quote)
    assert plan_index(plan_of(fixture(f"{server}_index"))) is None


def test_tables_of_mysql_are_read_with_their_estimates() -> None:
    plan = plan_of(json.dumps(MYSQL).encode())
    assert not plan.was_run
    assert [(it.table, it.read_rows, it.loops, it.is_inner) for it in plan.steps] == [
        ("orders", 198_000, 1, False),
        ("items", 1_000, 1_980, True),
    ]
    assert rules(plan) == ["full_scans", "full_scans", "nested_loop"]
    index = plan_index(plan)
    assert index is not None
    assert (index.table, index.columns, index.certainty) == ("orders", ("customer",), "possible")


def test_a_column_of_the_other_table_is_a_value_for_a_join() -> None:
    inner = dict(MYSQL["query_block"], nested_loop=MYSQL["query_block"]["nested_loop"][1:])  # type: ignore[index]  # a list
    index = plan_index(plan_of(json.dumps({"query_block": inner}).encode()))
    assert index is not None
    assert (index.table, index.columns) == ("items", ("order_id",))


@pytest.mark.parametrize("wrapped", [False, True])
def test_trees_of_mysql_are_read(*, wrapped: bool) -> None:
    tree = {"query_plan": TREE, "query": "x", "json_schema_version": "2.0"} if wrapped else TREE
    plan = plan_of(json.dumps(tree).encode())
    assert (plan.was_run, plan.time_us, rules(plan)) == (True, 41_500, ["full_scans"])
    scan = plan.steps[1]
    assert (scan.access, scan.read_rows, scan.rows) == ("scan", 20_000, 2)
    assert scan.condition == "(orders.note = '?')"


def test_an_index_that_the_server_did_not_choose_is_named_and_not_suggested_again() -> None:
    block: Any = json.loads(fixture("maria_scan"))
    block["query_block"]["nested_loop"][0]["table"]["possible_keys"] = ["by_customer"]
    plan = plan_of(json.dumps(block).encode())
    assert plan_index(plan) is None
    assert "why by_customer is not used" in first_step_for_plan(plan)


def test_tables_of_one_name_in_an_object_are_all_read() -> None:
    table = '"table": {"table_name": "%s", "access_type": "ALL", "rows": 5}'
    block = f'{{"query_block": {{"select_id": 1, {table % "a"}, {table % "b"}}}}}'
    plan = plan_of(block.encode())
    assert [(it.table, it.is_inner, it.loops) for it in plan.steps] == [
        ("a", False, 1),
        ("b", True, 5),
    ]


STATEMENT = "SELECT * FROM orders AS o WHERE customer = 7 AND status = 'hunter2'"


def test_a_plan_belongs_to_the_class_of_its_statement() -> None:
    before = f"EXPLAIN (ANALYZE, FORMAT JSON) {STATEMENT};\n".encode()
    text = json.loads(fixture("pg_scan"))
    text[0]["Query Text"] = STATEMENT
    plans = [
        plan_of(fixture("pg_scan"), STATEMENT),
        plan_of(before + fixture("pg_scan")),
        plan_of(json.dumps(text).encode()),
    ]
    assert {it.fingerprint for it in plans} == {
        "select * from orders as o where customer = ? and status = ?"
    }
    assert "hunter2" not in str(plans)
    assert plan_of(fixture("pg_scan")).query_id is None


def test_an_alias_of_mysql_becomes_its_table_where_the_statement_is_known() -> None:
    content = fixture("maria_scan").replace(b'"orders"', b'"o"').replace(b"orders.", b"o.")
    index = plan_index(plan_of(content, STATEMENT))
    assert index is not None
    assert (index.table, index.columns) == ("orders", ("customer", "status"))


@pytest.mark.parametrize(("name", "has_index"), [("maria_scan", True), ("maria_index", False)])
def test_the_advice_for_a_query_follows_its_plan(name: str, *, has_index: bool) -> None:
    plans = read(fixture(name), "SELECT id FROM t WHERE a = 1")
    query_id, fingerprint = plans.plans[0].query_id, plans.plans[0].fingerprint
    assert query_id
    assert fingerprint
    found = query_class(query_id, [400_000] * 50)
    log = slow_log([found], version="mysql-slowlog-v1")
    readings = [
        Reading((Source("a" * 64, 1, "mysql_slow_log", log.version),), log),
        Reading((Source("b" * 64, 1, "query_plan", plans.version),), plans),
    ]
    analysis = analyze(build_snapshot(readings))
    (finding,) = [it for it in analysis.findings if it.kind == "query"]
    assert (finding.index is not None) == has_index
    assert ("CREATE INDEX" in finding.first_step) == has_index
    assert any(it.kind == "plan" for it in analysis.findings) == has_index


def test_a_snapshot_without_plans_has_no_member_for_them() -> None:
    log = slow_log([])
    snapshot = build_snapshot([Reading((Source("a" * 64, 1, "mysql_slow_log", "v"),), log)])
    assert b"plans" not in snapshot.encoded


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.json")), ids=lambda it: it.stem)
def test_damage_never_breaks_the_reader(path: Path) -> None:
    content, chance = path.read_bytes(), random.Random(5)  # noqa: S311 - the same in every run
    for _ in range(60):
        damaged = bytearray(content[: chance.randint(1, len(content))])
        for _ in range(chance.randint(0, 5)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        form = version_of(bytes(damaged), "query_plan")
        if form:
            for plan in read(bytes(damaged)).plans:
                plan_signals(plan)
                first_step_for_plan(plan)


@pytest.mark.parametrize(
    "content",
    [
        b'[{"Plan": {"Node Type": ' + b'"x", "Plans": [{"Node Type": ' * 50_000,
        b'{"query_block": ' * 20_000 + b"1" + b"}" * 20_000,
        b'{"query_block": ' + b'{"table": ' * 300 + b"1" + b"}" * 301,
        b'[{"Plan": {"Node Type": "Seq Scan", "Plan Rows": 1e999, "Total Cost": -1, '
        b'"Actual Rows": true, "Actual Loops": ' + b"9" * 5_000 + b"}}]",
        b'{"query_block": {"table": {"access_type": 7, "table_name": [], "key": {}, "rows": "x"}}}',
    ],
)
def test_hostile_plans_are_read_or_faulted(content: bytes) -> None:
    for plan in read(content).plans:
        plan_signals(plan)
        first_step_for_plan(plan)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_plans_of_servers_that_run_here_are_read(
    postgres_exports: Path, mariadb_exports: Path, name: str
) -> None:
    for folder in (postgres_exports, mariadb_exports):
        plan = plan_of((folder / f"{name}.json").read_bytes())
        if name == "loop":  # whether it is worth a finding depends on its share of the time here
            assert any(it.is_inner and (it.loops or 0) > 1 for it in plan.steps)
            assert rules(plan) in ([], RULES[name])
        else:
            assert rules(plan) == RULES[name]
        assert not any(secret in str(plan) for secret in SECRETS)
