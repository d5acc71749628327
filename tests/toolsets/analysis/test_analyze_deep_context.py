import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from benchpin.app import Workbench
from benchpin.core.calls import Bench, Job
from benchpin.core.content import ResourceLink, Text
from benchpin.core.errors import InvalidParams
from benchpin.repository.packing import count_tokens
from benchpin.toolsets.analysis._deep_context_report import DeepContextReport
from benchpin.toolsets.analysis.analyze_deep_context import DeepContextParams, analyze_deep_context
from repositories import Tree

NOW = datetime(2026, 1, 12, tzinfo=UTC)
TANGLED = "def tangled(a):\n" + "".join(
    f"    if a == {at}:\n        return {at}\n" for at in range(24)
)
COPY = "\n".join(f"    total += row[{at}] * rate + shift" for at in range(50))
FILES = {
    "app/hot.py": f"import app.other\n\n\n{TANGLED}\n\ntangled(1)\n",
    "app/other.py": "import app.hot\n\n\ndef _unused():\n    return 1\n",
    "app/one.py": f"def one(row, rate, shift, total):\n{COPY}\n    return total\n\n\none()\n",
    "app/two.py": f"def two(row, rate, shift, total):\n{COPY}\n    return total\n\n\ntwo()\n",
    "app/note.py": "# FIXME: this is broken and leaks passwords, a security hole\nX = 1\n",
    "tests/test_hot.py": "from app.hot import tangled\n\n\ndef test_it():\n    assert tangled(1)\n",
}


@pytest.fixture
def bench(workspace: Path) -> Iterator[Bench]:
    """Give the means of a call, ten days after a project was begun."""
    opened = Workbench.open(workspace)
    yield replace(opened.bench, now=lambda: NOW)
    opened.close()


@pytest.fixture
def project(workspace: Path) -> Path:
    """Make a project in which every measure finds something."""
    tree = Tree(workspace)
    tree.commit({path: text.encode() for path, text in FILES.items()})
    for at in range(4):
        tree.commit({"app/hot.py": f"{FILES['app/hot.py']}Y = {at}\n".encode()}, "Fix it")
    return workspace


def report(bench: Bench, **arguments: object) -> DeepContextReport:
    result = analyze_deep_context(DeepContextParams.parse(arguments), bench)
    assert isinstance(result, DeepContextReport)
    return result


def structured(result: DeepContextReport) -> dict[str, Any]:
    dumped: dict[str, Any] = result.model_dump(mode="json", by_alias=True)
    return dumped


@pytest.mark.usefixtures("project")
def test_the_result_has_the_promised_shape(bench: Bench) -> None:
    result = structured(report(bench))
    assert result["metadata"]["generated_at"] == "2026-01-12T00:00:00+00:00"
    assert result["metadata"]["tool_version"] == bench.installation.version
    assert set(result["metadata"]["analysis_duration"]) == {"secs", "nanos"}
    assert {
        "overall_health",
        "complexity_score",
        "maintainability_index",
        "technical_debt_hours",
    } <= set(result["quality_scorecard"])
    tree = result["file_tree"]
    assert (tree["total_files"], tree["root"]["name"]) == (5, ".")
    assert tree["total_size_bytes"] == sum(
        len(text) + 6 * (path == "app/hot.py")
        for path, text in FILES.items()
        if not path.startswith("tests/")
    )
    assert {"ast_contexts", "complexity_report", "churn_analysis", "satd_results"} <= set(
        result["analyses"]
    )
    [spot] = result["hotspots"]
    assert (spot["location"]["file"], spot["location"]["line"]) == ("app/hot.py", 4)
    assert 0 < spot["composite_score"] <= 1
    assert spot["refactoring_effort"]["priority"] == "High"
    for advice in result["recommendations"]:
        assert advice["estimated_effort"]["secs"] > 0
        assert advice["evidence"]


@pytest.mark.usefixtures("project")
def test_every_measure_finds_what_is_there(bench: Bench) -> None:
    result = report(bench)
    assert {it.rule for it in result.recommendations} >= {
        "hot-functions",
        "clones",
        "dead-code",
        "grave-comments",
    }
    values = {it.name: it.value for it in result.quality_scorecard.parts}
    assert values["modularity"] is None  # one folder is one part
    assert result.quality_scorecard.files == 5
    tree = result.file_tree.root.children[0]
    assert (tree.name, tree.files, tree.debt_comments) == ("app", 5, 1)
    assert tree.changed_lines is not None


@pytest.mark.usefixtures("project")
def test_the_numbers_are_those_of_the_other_tools(bench: Bench, workspace: Path) -> None:
    shop = Workbench.open(workspace)
    analyses = structured(report(bench))["analyses"]

    def other(tool: str, **arguments: object) -> dict[str, Any]:
        return shop.call(tool, **arguments).model_dump(mode="json")

    assert analyses["complexity_report"]["summary"] == other("analyze_complexity")["summary"]
    assert analyses["dead_code_results"]["items"] == other("analyze_dead_code")["items"]
    assert analyses["satd_results"]["items"] == other("analyze_debt_comments")["items"]
    clones = other("analyze_duplicates", detection_type="exact")
    assert analyses["duplicates"]["groups"] == clones["groups"]
    graph = other("analyze_graph_metrics")
    assert analyses["dependency_graph"]["nodes"] == graph["total_nodes"]
    assert analyses["dependency_graph"]["total_cycles"] == graph["total_cycles"]
    risks = other("analyze_defect_probability", min_confidence=0)["predictions"]
    assert [it["file"] for it in analyses["defect_probability"]["files"]] == [
        it["file"] for it in risks
    ]
    churn = other("analyze_code_churn", until="2026-01-11")
    assert analyses["churn_analysis"]["commits"] == churn["summary"]["total_commits"]


def test_a_coverage_report_counts_everywhere(bench: Bench, project: Path) -> None:
    lines = "".join(f"DA:{line},{int(line < 9)}\n" for line in range(4, 54))
    (project / "lcov.info").write_text(f"SF:app/hot.py\n{lines}end_of_record\n", encoding="utf-8")
    result = report(bench)
    parts = {it.name: it.score for it in result.quality_scorecard.parts}
    assert parts["coverage"] == 10
    assert {it.name: it.value for it in result.hotspots[0].terms}["uncovered"] == 0.9
    assert "untested" in {it.rule for it in result.recommendations}
    assert result.file_tree.root.coverage == 0.1


def test_references_between_languages_are_named(bench: Bench, workspace: Path) -> None:
    (workspace / "add.c").write_text("int add(int a, int b) { return a + b; }\n")
    (workspace / "use.py").write_text(
        'import ctypes\n\nlib = ctypes.CDLL("libadd.so")\nprint(lib.add(1, 2))\n'
    )
    result = report(bench)
    bridges = result.cross_language_references
    assert bridges is not None
    [bridge] = [it for it in bridges.references if it.to_file]
    assert (bridge.from_file, bridge.to_file, bridge.symbol) == ("use.py", "add.c", "add")
    assert "## References between languages" in result.to_text()
    without = report(bench, exclude_analyses=["dag"])
    assert without.cross_language_references is None


def test_a_scaffolded_project_tells_how_far_it_went_from_its_templates(
    bench: Bench, workspace: Path
) -> None:
    Workbench.open(workspace, allow=("write",)).call(
        "scaffold_project",
        toolchain="python-uv",
        templates=["makefile", "gitignore"],
        parameters={"project_name": "shop"},
        target="shop",
        write=True,
    )
    (workspace / "shop" / "Makefile").write_text("all:\n", encoding="utf-8")
    result = report(bench, project_path="shop")
    drift = result.template_provenance
    assert drift is not None
    assert (drift.changed, drift.unchanged) == (1, 1)
    assert "| changed | Makefile |" in result.to_text()
    assert report(bench).template_provenance is None


@pytest.mark.usefixtures("project")
def test_only_the_analyses_that_are_asked_for_are_made(bench: Bench) -> None:
    result = report(bench, include_analyses=["ast", "complexity", "churn", "satd"])
    made = {name for name, section in result.analyses if section is not None}
    assert made == {
        "ast_summary",
        "ast_contexts",
        "complexity_report",
        "churn_analysis",
        "satd_results",
    }
    assert "dead-code" not in result.not_measured
    assert "dead code: " not in result.to_text()
    less = report(bench, exclude_analyses=["churn"])
    assert less.analyses.churn_analysis is None
    assert less.analyses.dead_code_results is not None
    assert {it.basis for it in less.hotspots[0].terms if it.name == "churn"} == {"not asked for"}


def test_an_unknown_analysis_is_refused_with_the_names_of_all(bench: Bench) -> None:
    with pytest.raises(InvalidParams) as refused:
        report(bench, include_analyses=["astrology"])
    assert "'dead-code'" in refused.value.message
    assert "include_analyses" in refused.value.message
    everything = list(DeepContextParams().analyses)
    with pytest.raises(InvalidParams):
        report(bench, exclude_analyses=everything)


def test_without_history_the_rest_is_measured_and_the_reason_told(
    bench: Bench, workspace: Path
) -> None:
    (workspace / "a.py").write_text(TANGLED, encoding="utf-8")
    result = report(bench)
    assert result.analyses.churn_analysis is None
    assert "No git repository" in result.not_measured["churn"]
    assert result.quality_scorecard.overall_health is not None
    assert result.hotspots[0].terms[1].value is None
    assert "churn (" in result.to_text()


def test_an_empty_folder_has_no_health_and_no_advice(bench: Bench) -> None:
    result = report(bench)
    assert result.quality_scorecard.overall_health is None
    assert result.recommendations == []
    assert result.hotspots == []
    assert "No file here is in a supported language." in result.to_text()


@pytest.mark.usefixtures("project")
def test_sections_that_ran_out_of_time_are_named(bench: Bench) -> None:
    report(bench)
    late = report(replace(bench, job=Job(time_limit_s=0)), cache_strategy="offline")
    assert late.analyses.dead_code_results is None
    assert late.not_measured["dead-code"] == "out of time"
    assert late.analyses.dependency_graph is None
    assert late.quality_scorecard.overall_health is None
    assert "dead-code (out of time)" in late.to_text()


def test_a_history_that_git_cannot_read_is_no_want_of_time(bench: Bench, project: Path) -> None:
    tree = Tree(project, is_new=False)
    lost = tree.git("rev-parse", "HEAD~2^{tree}").decode()
    (project / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    result = report(bench)
    assert result.analyses.churn_analysis is None
    assert "git failed" in result.not_measured["churn"]
    assert result.analyses.dead_code_results is not None


def test_a_history_without_the_contents_of_files_counts_commits_and_says_so(
    bench: Bench, project: Path
) -> None:
    tree = Tree(project, is_new=False)
    lost = tree.git("rev-parse", "HEAD~2:app/hot.py").decode()
    whole = report(bench).analyses.churn_analysis
    (project / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    result = report(bench, cache_strategy="force-refresh")
    churn = result.analyses.churn_analysis
    assert churn is not None
    assert whole is not None
    counts = [{it.path: it.commit_count for it in found.files} for found in (whole, churn)]
    assert counts[0] == counts[1]
    assert "the clone has no contents of past files" in result.not_measured["history"]


@pytest.mark.usefixtures("project")
def test_the_result_is_what_the_schema_promises(bench: Bench) -> None:
    validate(structured(report(bench)), analyze_deep_context.output_schema)


@pytest.mark.usefixtures("project")
def test_every_graph_can_be_shown(bench: Bench) -> None:
    result = report(bench, dag_type="call-graph").analyses.dependency_graph
    assert result is not None
    assert result.dag_type == "call-graph"
    assert result.total_cycles == 1


@pytest.mark.usefixtures("project")
def test_json_is_the_structured_result(bench: Bench) -> None:
    result = report(bench, format="json")
    assert json.loads(result.to_text()) == structured(result)


@pytest.mark.usefixtures("project")
def test_sarif_has_every_finding(bench: Bench) -> None:
    [run] = json.loads(report(bench, format="sarif").to_text())["runs"]
    rules = {it["ruleId"] for it in run["results"]}
    assert {"cyclomatic-complexity", "exact-clone", "unused-function"} <= rules
    known = {it["id"] for it in run["tool"]["driver"]["rules"]}
    assert rules <= known


@pytest.mark.usefixtures("project")
def test_a_summary_says_what_to_do_first_in_a_few_lines(bench: Bench) -> None:
    shown = report(bench, format="summary").to_text()
    assert "health " in shown
    assert "High      " in shown
    assert len(shown.splitlines()) < 20


@pytest.mark.slow
def test_a_big_project_is_cut_to_what_can_be_read_and_stored_whole(
    bench: Bench, workspace: Path
) -> None:
    long = "x" * 5_000
    (workspace / "long.py").write_text(f"def {long}():\n    return 1\n", encoding="utf-8")
    for at in range(299):
        place = workspace / f"package_{at % 17}" / f"module_with_a_rather_long_name_{at}.py"
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"# TODO: mend {at}\n{TANGLED}\n\ndef _unused_{at}():\n    return {at}\n")
    result = report(bench)
    assert count_tokens(result.to_text()) <= 8_000
    assert count_tokens(json.dumps(structured(result))) <= 10_000
    *_, told, link = result.to_content()
    assert isinstance(told, Text)
    assert isinstance(link, ResourceLink)
    assert link.uri == result.stored
    stored = bench.results.read(link.name, 0, 10_000_000).text
    whole = json.loads(stored)
    assert len(whole["hotspots"]) == result.hotspots_total == 299
    assert len(whole["analyses"]["ast_contexts"]) == 300
    assert len(result.hotspots) < 300
    assert result.file_tree.total_files == 300
    assert result.stored is not None
    assert result.stored in result.to_text()


@pytest.mark.usefixtures("project")
def test_a_longer_period_is_read_when_nothing_changed_in_the_default_one(bench: Bench) -> None:
    later = replace(bench, now=lambda: NOW + timedelta(days=200))
    found = report(later, include_analyses=["churn"])
    assert structured(found)["metadata"]["period_days"] == 365
    assert "5 commits by 1 author in 365 days" in found.to_text()
    given = report(later, include_analyses=["churn"], period_days=30)
    assert structured(given)["metadata"]["period_days"] == 30
