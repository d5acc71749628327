"""Every analysis on projects whose answers are known."""

from pathlib import Path
from typing import Any

import pytest

import made_projects
from benchpin.app import Workbench
from benchpin.toolsets.analysis import TOOLSET
from benchpin.workspace.git import NotARepository

ARGUMENTS: dict[str, dict[str, object]] = {
    "analyze_name_similarity": {"query": "load_table"},
}
"""What a tool must be told besides the project."""
NEED_HISTORY = frozenset({"analyze_code_churn", "analyze_trends"})


def answer(workspace: Path, tool: str, **arguments: object) -> Any:
    return Workbench.open(workspace).call(tool, **{**ARGUMENTS.get(tool, {}), **arguments})


@pytest.mark.slow
@pytest.mark.parametrize("name", made_projects.PROJECTS)
def test_every_tool_answers_or_says_what_it_lacks(
    workspace: Path, name: str, subtests: pytest.Subtests
) -> None:
    made_projects.PROJECTS[name](workspace)
    for tool in TOOLSET.tools:
        with subtests.test(tool=tool):
            if tool in NEED_HISTORY and name in {"no git", "empty"}:
                with pytest.raises(NotARepository):
                    answer(workspace, tool)
                continue
            result = answer(workspace, tool)
            assert not result.partial
            assert result.to_text().strip()


def test_the_clone_is_found(workspace: Path) -> None:
    made_projects.with_clone(workspace)
    (group,) = answer(workspace, "analyze_duplicates").groups
    assert group.type == "exact"
    assert [it.file for it in group.fragments] == ["a.py", "b.py"]
    whole = answer(workspace, "analyze_comprehensive").duplicates
    assert whole.groups == [group]
    assert whole.summary.duplicated_lines == 2 * group.lines


def test_the_cycle_is_found(workspace: Path) -> None:
    made_projects.with_cycle(workspace)
    (cycle,) = answer(workspace, "analyze_graph_metrics").cycles
    assert (cycle.size, sorted(set(cycle.path))) == (3, ["a.py", "b.py", "c.py"])


def test_the_dead_function_is_found(workspace: Path) -> None:
    made_projects.with_dead_function(workspace)
    (item,) = answer(workspace, "analyze_dead_code").items
    assert (item.name, item.file, item.line) == ("_orphan", "main.py", 4)
    assert answer(workspace, "analyze_comprehensive", min_lines=1).dead_code.items == [item]


def test_the_hot_file_is_found(workspace: Path) -> None:
    made_projects.with_hot_file(workspace)
    (violation,) = answer(workspace, "analyze_complexity", max_cognitive=1000).violations
    assert (violation.file, violation.cyclomatic) == ("hot.py", 25)
    churn = answer(workspace, "analyze_code_churn", until="2026-01-30")
    assert [(it.path, it.commit_count) for it in churn.files] == [("hot.py", 7), ("cold.py", 1)]


def test_without_history_the_gradient_says_what_it_lacks(workspace: Path) -> None:
    made_projects.without_git(workspace)
    report = answer(workspace, "analyze_comprehensive")
    assert "No git repository" in report.not_measured["history"]
    (gradient,) = report.tdg.files
    (churn,) = [term for term in gradient.terms if term.name == "churn"]
    assert (churn.value, churn.basis) == (None, "not measured: the file has no git history")


@pytest.mark.parametrize("name", ["empty", "binary"])
def test_what_has_no_code_is_not_praised(workspace: Path, name: str) -> None:
    made_projects.PROJECTS[name](workspace)
    report = answer(workspace, "analyze_comprehensive")
    assert report.to_text().startswith("No file here is in a supported language.")
    assert report.complexity.summary.median_cyclomatic is None
    assert report.duplicates.summary.duplicated_percent is None
    assert report.dead_code.summary.dead_percent is None
    assert report.tdg.average is None


def test_a_submodule_is_code_of_the_project(workspace: Path) -> None:
    made_projects.with_submodule(workspace)
    files = answer(workspace, "analyze_complexity", top_files=10).top_files.rankings
    assert {it.file for it in files} == {"outer.py", "vendored_module/inner.py"}
    gradients = answer(workspace, "analyze_comprehensive", min_lines=0).tdg.files
    bases = {it.file: term.basis for it in gradients for term in it.terms if term.name == "churn"}
    assert bases["vendored_module/inner.py"] == "not measured: the file has no git history"
    assert bases["outer.py"].endswith("commits in 90 days")


@pytest.mark.slow
def test_10_000_files_are_all_looked_at(workspace: Path) -> None:
    made_projects.with_10_000_files(workspace)
    report = answer(workspace, "analyze_comprehensive")
    assert (report.overview.files, report.overview.functions) == (10_000, 10_000)
    assert report.looked_at.unmeasured_total == 0
    assert len(report.to_text()) < 4_000
