"""The gate tells the same numbers as the tools that measure one thing each."""

from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from repositories import Tree

from .conftest import Write

LONG = "\n".join(f"    total += values[{number}] * weights[{number}]" for number in range(20))
ONE = f"""
from lib import two

def first(values, weights):
    total = 0
{LONG}
    if total and values or weights:
        for value in values:
            while value:
                value -= 1
    return total


def _unused():
    # TODO: this is a hack, and should be written anew
    return first
"""
TWO = f'''
import lib.one
import lib.missing

def second(values, weights):
    """Add."""
    total = 0
{LONG}
    return total
'''


@pytest.fixture
def shop(workspace: Path, write: Write) -> Workbench:
    write("lib/__init__.py", "")
    write("lib/one.py", ONE)
    write("lib/two.py", TWO)
    Tree(workspace).commit({})
    return Workbench.open(workspace)


def value_of(shop: Workbench, name: str) -> Any:
    report = shop.call("quality_gate", thresholds={name: 0}, checks=[name], format="json")
    [check] = report.model_dump()["checks"]
    return check["value"]


def measured(shop: Workbench, tool: str, **arguments: object) -> Any:
    return shop.call(tool, **arguments).model_dump()


def test_complexity(shop: Workbench) -> None:
    summary = measured(shop, "analyze_complexity")["summary"]
    assert value_of(shop, "max_cyclomatic") == summary["max_cyclomatic"] > 5
    assert value_of(shop, "max_cognitive") == summary["max_cognitive"] > 5
    assert value_of(shop, "max_technical_debt_hours") == summary["technical_debt_hours"]
    zero = measured(shop, "analyze_complexity", max_cyclomatic=0)["violations"]
    for name in ("nesting", "parameters"):
        assert value_of(shop, f"max_{name}") == max(it[name] for it in zero) > 0
    assert value_of(shop, "max_function_lines") == max(it["code_lines"] for it in zero)


def test_duplication(shop: Workbench) -> None:
    found = measured(shop, "analyze_duplicates", detection_type="exact")
    percent = found["summary"]["duplicated_percent"]
    assert value_of(shop, "max_duplication_percent") == percent > 20
    worst = max(it["duplicated_percent"] for it in found["top_files"])
    assert value_of(shop, "max_file_duplication_percent") == worst


def test_dead_code(shop: Workbench) -> None:
    found = measured(shop, "analyze_dead_code")
    assert value_of(shop, "max_dead_code_percent") == found["summary"]["dead_percent"] > 0
    assert value_of(shop, "max_dead_definitions") == found["total"] > 0


def test_debt_comments(shop: Workbench) -> None:
    assert value_of(shop, "max_debt_comments") == measured(shop, "analyze_debt_comments")["total"]
    assert value_of(shop, "max_debt_comments") == 1


def test_graph(shop: Workbench) -> None:
    found = measured(shop, "analyze_graph_metrics")
    assert value_of(shop, "max_cycles") == found["total_cycles"] == 1
    [imports] = [it for it in found["references"] if it["kind"] == "imports"]
    assert value_of(shop, "max_unresolved_imports") == imports["unresolved"] == 1
    nodes = found["nodes"]
    assert value_of(shop, "max_dependencies") == max(it["out_degree"] for it in nodes)
    assert value_of(shop, "max_dependents") == max(it["in_degree"] for it in nodes)


def test_files(shop: Workbench) -> None:
    outlines = measured(shop, "outline_file", project_path="lib")["outlines"]
    worst = value_of(shop, "min_maintainability")
    assert worst == min(it["maintainability_index"] for it in outlines)
    assert value_of(shop, "max_file_lines") == max(it["lines"] for it in outlines)


def test_documentation(shop: Workbench) -> None:
    api = measured(shop, "check_documentation")["api"]
    assert value_of(shop, "min_documented_percent") == 100 * api["share"] == 50


def test_defects(shop: Workbench) -> None:
    found = measured(shop, "analyze_defect_probability", min_confidence=0)["predictions"]
    worst = max(it["probability"] for it in found)
    assert value_of(shop, "max_defect_probability") == worst > 0
