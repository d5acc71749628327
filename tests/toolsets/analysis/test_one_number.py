"""Tools that answer the same question give the same number, on code of this repository."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench

_ROOT = Path(__file__).parents[3]
_PART = "src/benchpin/measures/graph"


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    opened = Workbench.open(_ROOT)
    yield opened
    opened.close()


class _Answers:
    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._known: dict[str, Any] = {}

    def __call__(self, tool: str, **arguments: object) -> Any:
        key = f"{tool} {arguments}"
        if key not in self._known:
            result = self._bench.call(tool, project_path=_PART, **arguments)
            self._known[key] = result.model_dump(mode="json", by_alias=True)
        return self._known[key]

    def gate(self, name: str, limit: float = 0) -> Any:
        checked = self("quality_gate", thresholds={name: limit}, checks=(name,))
        return checked["checks"][0]

    def part(self, name: str) -> Any:
        parts = self("analyze_comprehensive")["quality_scorecard"]["parts"]
        return next(it for it in parts if it["name"] == name)


@pytest.fixture(scope="module")
def ask(bench: Workbench) -> _Answers:
    return _Answers(bench)


def same(*values: object) -> bool:
    assert values[0] is not None
    assert len(set(values)) == 1, values
    return True


def test_files_and_functions(ask: _Answers) -> None:
    overview = ask("analyze_comprehensive")["overview"]
    deep = ask("analyze_deep_context")
    assert same(
        overview["files"],
        deep["analyses"]["ast_summary"]["files"],
        deep["file_tree"]["total_files"],
        ask("analyze_complexity")["summary"]["total_files"],
        ask("analyze_dead_code")["summary"]["total_files"],
        ask("analyze_duplicates")["summary"]["total_files"],
        ask("analyze_debt_comments")["summary"]["total_files"],
        ask("analyze_defect_probability", min_confidence=0)["summary"]["total_files"],
        ask("quality_gate")["looked_at"]["measured"],
    )
    assert same(
        overview["functions"],
        deep["analyses"]["ast_summary"]["functions"],
        deep["file_tree"]["root"]["functions"],
        ask("analyze_complexity")["summary"]["total_functions"],
    )


def test_functions_over_a_threshold(ask: _Answers) -> None:
    violations = ask("analyze_complexity", limit=1000)["violations"]
    assert same(
        len({(it["file"], it["line"], it["function"]) for it in violations}),
        ask("analyze_comprehensive")["complexity"]["total"],
        ask("analyze_deep_context")["analyses"]["complexity_report"]["total"],
    )
    over = [it for it in violations if it["rule"] == "cyclomatic-complexity"]
    assert same(len(over), ask.gate("max_cyclomatic", 10)["violations"])


def test_hours_of_complexity(ask: _Answers) -> None:
    debt = ask("analyze_comprehensive")["quality_scorecard"]["debt"]
    assert same(
        ask("analyze_complexity")["summary"]["technical_debt_hours"],
        next(it["hours"] for it in debt if it["name"] == "complexity"),
        ask.gate("max_technical_debt_hours")["value"],
    )


def test_duplicated_lines(ask: _Answers) -> None:
    share = ask("analyze_duplicates", detection_type="exact")["summary"]["duplicated_percent"]
    assert same(
        share,
        ask("analyze_comprehensive")["duplicates"]["summary"]["duplicated_percent"],
        ask.gate("max_duplication_percent")["value"],
        round(ask.part("duplication")["value"], 2),
    )


def test_dead_code(ask: _Answers) -> None:
    assert same(
        ask("analyze_dead_code")["total"],
        ask("analyze_comprehensive")["dead_code"]["certain"],
        ask("analyze_deep_context")["analyses"]["dead_code_results"]["total"],
    )
    assert same(
        ask("analyze_dead_code")["summary"]["dead_percent"],
        round(ask.part("dead_code")["value"], 2),
        ask.gate("max_dead_code_percent")["value"],
    )


def test_import_cycles(ask: _Answers) -> None:
    assert same(
        ask("analyze_graph_metrics")["total_cycles"],
        ask("analyze_deep_context")["analyses"]["dependency_graph"]["total_cycles"],
        ask.gate("max_cycles")["value"],
    )


def test_maintainability_of_a_file(ask: _Answers) -> None:
    outlines = ask("outline_file", limit=1000)["outlines"]
    deep = ask("analyze_deep_context")["analyses"]["ast_contexts"]
    by_file = {it["file"]: round(it["maintainability_index"], 1) for it in outlines}
    biggest = {it["file"]: it["maintainability_index"] for it in deep}
    assert biggest
    assert biggest.items() <= by_file.items()
    assert same(min(by_file.values()), round(ask.gate("min_maintainability", 100)["value"], 1))
