"""A baseline and a revision: what was there before does not count."""

import json
import os
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import (
    AccessDenied,
    BenchpinError,
    EffectNotAllowed,
    FileChanged,
    InvalidParams,
    PathOutsideWorkspace,
)
from benchpin.toolsets.analysis._gate_report import GateReport
from benchpin.toolsets.analysis.quality_gate import QualityGateParams, quality_gate
from benchpin.workspace.git import NotARepository
from repositories import Tree

from .conftest import Write

FILE = "known.json"


def function(name: str, branches: int) -> str:
    lines = "".join(
        f"    if a == {number}:\n        return {number}\n" for number in range(branches)
    )
    return f"def {name}(a):\n{lines}    return a\n\n\n"


@pytest.fixture(autouse=True)
def sources(write: Write) -> None:
    write("app.py", function("old", 12) + function("fine", 2))


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    return Workbench.open(workspace, allow=["write"])


def gate(shop: Workbench, **params: object) -> GateReport:
    chosen = {"checks": ["max_cyclomatic"], **params}
    return shop.run(quality_gate, QualityGateParams.model_validate(chosen))


def found(report: GateReport) -> list[tuple[str | None, int | float, int | float | None]]:
    return [(it.name, it.value, it.recorded) for it in report.violations]


def test_a_baseline_lets_known_violations_pass(shop: Workbench, workspace: Path) -> None:
    assert gate(shop).status == "failed"
    report = gate(shop, baseline=FILE, update_baseline=True)
    assert report.passed
    assert report.baseline is not None
    assert (report.baseline.is_written, report.baseline.known) == (True, 1)
    assert json.loads((workspace / FILE).read_text()) == {
        "version": 2,
        "violations": [
            {
                "threshold": "max_cyclomatic",
                "file": "app.py",
                "name": "old",
                "value": 13,
                "limit": 10,
            }
        ],
    }
    again = gate(shop, baseline=FILE)
    assert again.passed
    assert again.checks[0].known == 1
    assert f"baseline {FILE}: 1 known, 0 fixed" in again.to_text()


def test_new_and_worse_violations_fail_and_moved_ones_do_not(shop: Workbench, write: Write) -> None:
    gate(shop, baseline=FILE, update_baseline=True)
    write("app.py", "# moved down\n\n\n" + function("fine", 2) + function("old", 12))
    assert gate(shop, baseline=FILE).passed
    write("app.py", function("fine", 2))
    write("lib/moved.py", function("old", 11))
    assert gate(shop, baseline=FILE).passed
    write("lib/moved.py", function("old", 12) + function("young", 14))
    assert found(gate(shop, baseline=FILE)) == [("young", 15, None)]
    write("lib/moved.py", "")
    write("app.py", function("old", 13))
    report = gate(shop, baseline=FILE)
    assert found(report) == [("old", 14, 13)]
    assert "old (was 13)" in report.to_text()
    assert report.violations[0].message == "cyclomatic of old is 14, over 10, and was 13 before"


def test_what_was_fixed_is_reported_and_goes_when_the_baseline_is_written_anew(
    shop: Workbench, write: Write, workspace: Path
) -> None:
    gate(shop, baseline=FILE, update_baseline=True)
    write("app.py", function("old", 3))
    report = gate(shop, baseline=FILE, format="detailed")
    assert report.baseline is not None
    assert [(it.file, it.name, it.value) for it in report.baseline.fixed] == [("app.py", "old", 13)]
    assert (
        "Fixed since the baseline\ncheck           value  file    name\nmax_cyclomatic"
        in report.to_text()
    )
    assert gate(shop, baseline=FILE, update_baseline=True).passed
    assert json.loads((workspace / FILE).read_text())["violations"] == []


def test_what_a_laxer_threshold_lets_pass_is_not_fixed(shop: Workbench, write: Write) -> None:
    hours = {"max_technical_debt_hours": 0}
    chosen = {"checks": ["max_cyclomatic", *hours], "baseline": FILE}
    gate(shop, **chosen, thresholds=hours, update_baseline=True)
    lax = {"max_cyclomatic": 15, "max_technical_debt_hours": 50}

    def fixed() -> list[tuple[str, int | float]]:
        use = gate(shop, **chosen, thresholds=lax).baseline
        assert use is not None
        return [(it.check, it.value) for it in use.fixed]

    assert fixed() == []
    write("app.py", function("old", 9) + function("fine", 2))
    assert fixed() == [("max_cyclomatic", 13), ("max_technical_debt_hours", 0.8)]


def test_writing_it_anew_keeps_what_was_not_looked_at(
    shop: Workbench, write: Write, workspace: Path
) -> None:
    write("lib/b.py", function("other", 15))
    both = {"checks": ["max_cyclomatic", "max_file_lines"], "thresholds": {"max_file_lines": 20}}
    gate(shop, baseline=FILE, update_baseline=True, **both)
    before = (workspace / FILE).read_bytes()
    gate(shop, baseline=FILE, update_baseline=True, project_path="lib")
    assert (workspace / FILE).read_bytes() == before
    write("app.py", function("old", 2))
    gate(shop, baseline=FILE, update_baseline=True)
    left = json.loads((workspace / FILE).read_text())["violations"]
    assert [(it["threshold"], it["file"], it["name"]) for it in left] == [
        ("max_cyclomatic", "lib/b.py", "other"),
        ("max_file_lines", "app.py", ""),
        ("max_file_lines", "lib/b.py", ""),
    ]


def test_a_value_of_the_project_may_not_get_worse_than_recorded(
    shop: Workbench, write: Write
) -> None:
    write("docs.py", "def bare():\n    pass\n")
    hours = {"checks": ["max_technical_debt_hours"], "thresholds": {"max_technical_debt_hours": 0}}
    assert gate(shop, **hours).status == "failed"
    gate(shop, baseline=FILE, update_baseline=True, **hours)
    assert gate(shop, baseline=FILE, **hours).passed
    write("app.py", function("old", 10))
    assert gate(shop, baseline=FILE, **hours).passed
    write("app.py", function("old", 14))
    report = gate(shop, baseline=FILE, **hours)
    assert [(it.file, it.recorded) for it in report.violations] == [(None, 0.8)]
    write("app.py", "")
    fixed = gate(shop, baseline=FILE, **hours).baseline
    assert fixed is not None
    assert [(it.file, it.value) for it in fixed.fixed] == [(None, 0.8)]


def test_the_settings_may_name_the_baseline(workspace: Path, write: Write) -> None:
    write("app.py", function("old", 12))
    write("benchpin.toml", f'[analysis.gate]\nbaseline = "{FILE}"\n')
    shop = Workbench.open(workspace, allow=["write"])
    assert gate(shop, update_baseline=True).passed
    assert gate(shop).passed


def test_writing_needs_the_operators_leave(workspace: Path, write: Write) -> None:
    write("app.py", function("old", 12))
    with pytest.raises(EffectNotAllowed):
        gate(Workbench.open(workspace), baseline=FILE, update_baseline=True)
    assert not (workspace / FILE).exists()
    with pytest.raises(InvalidParams):
        gate(Workbench.open(workspace, allow=["write"]), update_baseline=True)


def test_no_other_file_is_overwritten(shop: Workbench, workspace: Path, tmp_path: Path) -> None:
    before = (workspace / "app.py").read_bytes()
    with pytest.raises(InvalidParams, match=r"app\.py is not a baseline"):
        gate(shop, baseline="app.py", update_baseline=True)
    assert (workspace / "app.py").read_bytes() == before
    outside = tmp_path / "outside.json"
    (workspace / "link.json").symlink_to(outside)
    refused: list[tuple[str, type[BenchpinError]]] = [
        ("link.json", PathOutsideWorkspace),
        ("../outside.json", PathOutsideWorkspace),
        (str(outside), PathOutsideWorkspace),
        (".git/known.json", AccessDenied),
        ("benchpin.toml", AccessDenied),
        (".", BenchpinError),
    ]
    for path, error in refused:
        with pytest.raises(error):
            gate(shop, baseline=path, update_baseline=True)
    assert not outside.exists()


def test_a_damaged_baseline_is_an_error(shop: Workbench, write: Write) -> None:
    write(FILE, "{")
    with pytest.raises(InvalidParams, match=FILE):
        gate(shop, baseline=FILE)


@pytest.fixture
def tree(workspace: Path) -> Tree:
    tree = Tree(workspace)
    tree.commit({})
    return tree


def test_only_what_changed_since_a_revision_counts(
    shop: Workbench, tree: Tree, write: Write
) -> None:
    report = gate(shop, diff="HEAD")
    assert report.passed
    assert report.checks[0].reason == "nothing that it measures changed since HEAD"
    assert report.diff is not None
    assert (report.diff.commit, report.diff.changed_files) == (tree.head(), 0)
    write("app.py", function("old", 12) + function("fine", 3))
    assert gate(shop, diff="HEAD").passed
    write("new.py", function("young", 12))
    assert found(gate(shop, diff="HEAD")) == [("young", 13, None)]
    write("app.py", function("old", 12).replace("a == 3", "a == 33"))
    assert found(gate(shop, diff="HEAD")) == [("old", 13, None), ("young", 13, None)]
    tree.commit({})
    assert gate(shop, diff="HEAD").passed
    assert len(gate(shop, diff="HEAD~1").violations) == 2


def test_a_value_of_the_project_is_that_of_what_changed(
    shop: Workbench, tree: Tree, write: Write
) -> None:
    documented = {
        "checks": ["min_documented_percent"],
        "thresholds": {"min_documented_percent": 90},
    }
    assert gate(shop, **documented).status == "failed"
    assert gate(shop, diff="HEAD", **documented).passed
    write("new.py", 'def told():\n    """Say."""\n')
    report = gate(shop, diff="HEAD", **documented)
    assert (report.passed, report.checks[0].value) == (True, 100)
    write("new.py", "def bare():\n    pass\n")
    assert gate(shop, diff="HEAD", **documented).violations[0].parts[0].file == "new.py"
    assert tree.commits == 1


def test_values_of_files_and_of_the_project_are_reported_unless_they_are_asked_for(
    shop: Workbench, tree: Tree, write: Write
) -> None:
    write("app.py", function("old", 12) + function("fine", 2) + "# a comment\n")
    limits = {"max_file_lines": 5, "min_documented_percent": 90, "max_cognitive": 10}
    report = gate(shop, diff="HEAD", checks=[], thresholds=limits, strict=False)
    told = {it.name: it for it in report.checks if it.status == "reported"}
    assert told.keys() == {"max_file_lines", "min_documented_percent"}
    assert report.passed
    assert report.violations == []
    assert told["min_documented_percent"].value == 0
    assert told["max_file_lines"].reason.startswith("reported, not checked: ")
    text = report.to_text()
    assert text.startswith("PASSED: 7 checks: 2 reported, ")
    assert "worst 37 at app.py:1; 1 file; reported, not checked: with diff, only functions" in text
    junit = gate(shop, diff="HEAD", checks=[], thresholds=limits, format="junit").to_text()
    assert "<system-out>37; reported, not checked: " in junit
    assert 'failures="0"' in junit
    asked = gate(shop, diff="HEAD", checks=["max_file_lines"], thresholds=limits)
    assert [(it.check, it.file) for it in asked.violations] == [("max_file_lines", "app.py")]
    assert gate(shop, checks=[], thresholds=limits).status == "failed"
    write("app.py", function("old", 13))
    worse = gate(shop, diff="HEAD", checks=[], thresholds=limits)
    assert {it.check for it in worse.violations} == {"max_cyclomatic", "max_cognitive"}
    assert tree.commits == 1


def test_a_branch_stands_for_the_commit_where_the_work_parted_from_it(
    shop: Workbench, tree: Tree, write: Write
) -> None:
    base = tree.head()
    tree.git("checkout", "--quiet", "-b", "topic")
    write("new.py", function("young", 12))
    tree.commit({})
    tree.git("checkout", "--quiet", "main")
    write("app.py", function("old", 12).replace("a == 3", "a == 33"))
    tree.commit({})
    tree.git("checkout", "--quiet", "topic")
    report = gate(shop, diff="main")
    assert found(report) == [("young", 13, None)]
    assert report.diff is not None
    assert (report.diff.commit, report.diff.is_merge_base) == (base, True)
    said = f"since main (compared with {base[:12]}, the merge base of main and HEAD): 1 file"
    assert said in report.to_text()


@pytest.mark.parametrize("revision", ["HEAD", "@"])
def test_before_the_first_commit_everything_is_new(
    shop: Workbench, workspace: Path, revision: str
) -> None:
    Tree(workspace)
    report = gate(shop, diff=revision)
    assert found(report) == [("old", 13, None)]
    assert report.diff is not None
    assert (report.diff.commit, report.diff.changed_files) == (None, 1)
    assert f"only what changed since {revision} (no commit yet): 1 file" in report.to_text()
    with pytest.raises(InvalidParams, match="no revision 'main'"):
        gate(shop, diff="main")


def test_a_baseline_and_a_revision_go_together(shop: Workbench, tree: Tree, write: Write) -> None:
    gate(shop, baseline=FILE, update_baseline=True)
    write("app.py", function("old", 12).replace("a == 3", "a == 33"))
    assert not gate(shop, diff="HEAD").passed
    assert gate(shop, diff="HEAD", baseline=FILE).passed
    with pytest.raises(InvalidParams):
        gate(shop, diff="HEAD", baseline=FILE, update_baseline=True)
    assert tree.commits == 1


def test_nothing_to_look_at_is_not_measured_whatever_changed(shop: Workbench, tree: Tree) -> None:
    assert gate(shop, diff="HEAD", include_patterns=["*.rb"]).status == "not_measured"
    assert tree.commits == 1


def test_without_a_repository_a_revision_is_an_error(shop: Workbench) -> None:
    with pytest.raises(NotARepository):
        gate(shop, diff="HEAD")


def test_an_unknown_revision_is_named(shop: Workbench, tree: Tree) -> None:
    with pytest.raises(InvalidParams, match="'--output=x'"):
        gate(shop, diff="--output=x")
    assert not (tree.root / "x").exists()


@pytest.mark.parametrize("narrowing", [{"toolchain": "python-uv"}, {"max_depth": 1}])
def test_a_narrower_look_leaves_the_rest_of_a_baseline_alone(
    shop: Workbench, write: Write, workspace: Path, narrowing: dict[str, object]
) -> None:
    cases = "".join(f"  if (a == {number}) return {number};\n" for number in range(12))
    write("deep/er/b.js", f"function other(a) {{\n{cases}  return 0;\n}}\n")
    gate(shop, baseline=FILE, update_baseline=True)
    known = (workspace / FILE).read_text()
    report = gate(shop, baseline=FILE, update_baseline=True, **narrowing)
    assert report.baseline is not None
    assert report.baseline.fixed_total == 0
    assert (workspace / FILE).read_text() == known


def test_a_baseline_that_another_run_wrote_meanwhile_is_not_replaced(
    shop: Workbench, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def write_behind(descriptor: int) -> None:
        (workspace / FILE).write_text("another run's")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", write_behind)
    with pytest.raises(FileChanged, match=rf"^{FILE} has changed"):
        gate(shop, baseline=FILE, update_baseline=True)
    assert (workspace / FILE).read_text() == "another run's"
