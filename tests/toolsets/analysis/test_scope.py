"""One scope for all numbers: production code by default, other code apart and counted."""

from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.results import Result

from .conftest import Write

BRANCHES = "".join(f"    if x > {at}:\n        x -= 1\n" for at in range(20))
COPIED = "".join(f"    total += work_{at}(x, {at}) * {at + 1}\n" for at in range(20))
APART = {
    "tests/test_till.py": "tests",
    "tests/test_more.py": "tests",
    "api-tests/call.py": "tests",
    "examples/first.py": "examples",
    "docs_src/page.py": "examples",
    "benchmarks/fast.py": "examples",
    "docs/conf.py": "examples",
}
TOOLS = (
    "analyze_complexity",
    "analyze_comprehensive",
    "analyze_dead_code",
    "analyze_debt_comments",
    "analyze_deep_context",
    "analyze_defect_probability",
    "analyze_duplicates",
    "analyze_graph_metrics",
    "quality_gate",
)


def code(name: str) -> str:
    """Return code in which every measure finds something."""
    copied = f"def copied_{name}(x):\n    total = 0\n{COPIED}    return total\n"
    return f"# FIXME: {name} is broken\ndef _{name}(x):\n{BRANCHES}    return x\n\n\n{copied}"


@pytest.fixture(autouse=True)
def project(write: Write) -> None:
    write("shop/till.py", code("price"))
    for at, path in enumerate(APART):
        write(path, code(f"other_{at}"))


def fields(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = result.model_dump(mode="json", by_alias=True)
    return found


@pytest.mark.parametrize("tool", TOOLS)
def test_tests_and_examples_are_apart_and_counted(shop: Workbench, tool: str) -> None:
    result = shop.call(tool)
    seen = fields(result)["looked_at"]
    assert (seen["measured"], seen["scope"]) == (1, "production")
    assert seen["skipped"] == {"examples": 4, "tests": 3}
    assert "production only, without 3 test files and 4 example files" in result.to_text()
    shown = shop.call(tool, format="json").to_text()
    assert "shop/till.py" in shown or tool in {"analyze_defect_probability", "analyze_duplicates"}
    assert [path for path in APART if path in shown] == []


@pytest.mark.parametrize("tool", TOOLS)
def test_all_code_and_tests_alone_are_measured_on_request(shop: Workbench, tool: str) -> None:
    assert fields(shop.call(tool, scope="all"))["looked_at"]["measured"] == 1 + len(APART)
    seen = fields(shop.call(tool, scope="tests"))["looked_at"]
    assert (seen["measured"], seen["skipped"]) == (3, {"examples": 4, "production": 1})


@pytest.mark.parametrize("tool", TOOLS)
def test_where_there_is_other_code_only_it_is_measured(shop: Workbench, tool: str) -> None:
    seen = fields(shop.call(tool, project_path="examples"))["looked_at"]
    assert (seen["measured"], seen["scope"], seen["skipped"]) == (1, "all", {})
