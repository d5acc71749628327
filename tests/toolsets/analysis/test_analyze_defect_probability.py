import csv
import io
import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import InvalidParams
from benchpin.toolsets.analysis.analyze_defect_probability import DefectReport
from defect_kit import BUGGIEST, COLD, HOT, three_years
from repositories import Tree

from .conftest import Write

TOOL = "analyze_defect_probability"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository in which some files are fixed again and again."""
    return three_years(tmp_path_factory.mktemp("made") / "workspace").root


def report(shop: Workbench, **arguments: object) -> DefectReport:
    found = shop.call(TOOL, **arguments)
    assert isinstance(found, DefectReport)
    return found


def test_the_file_that_is_fixed_most_often_is_first(made: Path) -> None:
    found = report(Workbench.open(made), explain=True, min_confidence=0, limit=100)
    assert found.model.weighed == ["code_lines", "commits"]
    assert found.predictions[0].file == BUGGIEST
    assert {it.file.partition("/")[0] for it in found.predictions[:HOT]} == {"src"}
    assert sum(found.summary.bands.values()) == HOT + COLD
    assert found.looked_at.skipped == {"tests": 1}
    assert found.summary.expected == round(sum(it.probability for it in found.predictions), 1)
    assert list(found.model.left_out) == ["test_coverage"]
    first = found.predictions[0]
    assert first.contributions is not None
    assert first.contributions["churn"] is not None
    assert first.contributions["churn"] > 0
    assert first.contributions["test_coverage"] is None


def test_every_format_has_the_same_numbers(made: Path) -> None:
    shop = Workbench.open(made)
    found = report(shop, format="json", explain=True, limit=100)
    first = found.predictions[0]
    assert json.loads(found.to_text())["predictions"][0]["probability"] == first.probability
    rows = list(csv.DictReader(io.StringIO(report(shop, format="csv", explain=True).to_text())))
    assert [float(row["probability"]) for row in rows] == [
        it.probability for it in found.predictions
    ]
    assert rows[0]["churn adds"] == str((first.contributions or {})["churn"])
    log = json.loads(report(shop, sarif=True).to_text())["runs"][0]["results"]
    assert {it["properties"]["probability"] for it in log} == {
        it.probability for it in found.predictions if it.band != "Low"
    }
    assert f"{first.probability:.3f}" in report(shop, format="summary").to_text()
    assert f"{first.probability:.3f}" in report(shop, format="detailed").to_text()
    assert f"| {first.probability:.3f} |" in report(shop, format="markdown").to_text()


def test_the_same_call_gives_the_same_bytes_with_a_warm_and_a_cold_cache(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = report(Workbench.open(made), format="json").to_text()
    assert report(Workbench.open(made), format="json").to_text() == first
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    assert report(Workbench.open(made), format="json").to_text() == first


def test_a_part_of_the_workspace_has_the_churn_and_model_of_the_whole(made: Path) -> None:
    shop = Workbench.open(made)
    whole = {it.file: it for it in report(shop, min_confidence=0, limit=100).predictions}
    part = report(shop, project_path="src", min_confidence=0).predictions
    assert len(part) == HOT
    for it in part:
        assert it.features["bug_fixes"] == whole[it.file].features["bug_fixes"]
        assert it.probability == whole[it.file].probability


def test_files_that_are_not_sure_are_left_out_and_counted(made: Path) -> None:
    shop = Workbench.open(made)
    every = report(shop, min_confidence=0, limit=100)
    least = sorted(it.confidence for it in every.predictions)[5]
    some = report(shop, min_confidence=least)
    hidden = sum(some.summary.below_confidence.values())
    assert (hidden, some.total) == (5, every.total - 5)
    assert "left out below min_confidence: 5 files" in some.to_text()
    surest = report(shop, min_confidence=1).predictions
    assert all(it.confidence == 1 for it in surest)


def test_coverage_is_shown_when_there_is_a_report_and_weighs_nothing(tmp_path: Path) -> None:
    root = three_years(tmp_path / "workspace").root
    lines = '<line number="1" hits="0"/><line number="2" hits="0"/>'
    (root / "coverage.xml").write_text(
        f'<coverage><class filename="{BUGGIEST}"><lines>{lines}</lines></class>'
        '<class filename="lib/cold00.py"><lines><line number="1" hits="1"/></lines></class>'
        "</coverage>",
        encoding="utf-8",
    )
    found = report(Workbench.open(root), explain=True)
    first = found.predictions[0]
    assert first.features["test_coverage"] == 0
    assert first.contributions["test_coverage"] == 0
    (root / "coverage.xml").write_text("<broken", encoding="utf-8")
    broken = report(Workbench.open(root))
    assert broken.model.left_out["test_coverage"].startswith("coverage.xml: it is not whole XML")


def test_without_git_the_static_model_judges(shop: Workbench, write: Write) -> None:
    write("a.py", "def first(value):\n    return value\n")
    found = report(shop, min_confidence=0, limit=100)
    assert found.model.weighed == ["code_lines"]
    assert set(found.model.left_out) == {"churn", "test_coverage"}
    assert found.predictions[0].features["commits"] is None
    assert "public histories; No git repository contains" in found.to_text()


def test_a_repository_without_commits_is_judged_like_one_without_git(
    workspace: Path, shop: Workbench, write: Write
) -> None:
    Tree(workspace)
    write("a.py", "x = 1\n")
    assert report(shop).model.reason == "the repository has no commits"


def test_a_shallow_clone_is_judged_like_a_folder_without_git(made: Path, tmp_path: Path) -> None:
    place = tmp_path / "clone"
    Tree(made, is_new=False).git("clone", "--quiet", "--depth=9", f"file://{made}", str(place))
    tree = Tree(place, is_new=False)
    shop = Workbench.open(place)
    shallow = report(shop, min_confidence=0, limit=100)
    tree.git("fetch", "--quiet", "--unshallow")
    whole = report(shop, min_confidence=0, limit=100)
    shutil.rmtree(place / ".git")
    without = report(shop, min_confidence=0, limit=100)
    assert shallow.predictions == without.predictions
    assert shallow.model.left_out["churn"] == shallow.model.reason
    assert "model: code lines, fitted on" in shallow.to_text()
    assert "public histories; the clone is shallow and lacks commits before" in shallow.to_text()
    assert whole.model.reason == ""
    assert whole.predictions != shallow.predictions
    assert max(it.confidence for it in shallow.predictions) < 1


def test_the_gate_says_when_no_history_takes_part(made: Path, tmp_path: Path) -> None:
    place = tmp_path / "clone"
    Tree(made, is_new=False).git("clone", "--quiet", "--depth=9", f"file://{made}", str(place))
    checks = ["max_defect_probability"]
    shallow = Workbench.open(place).call("quality_gate", checks=checks).to_text()
    assert "without history: the clone is shallow and lacks commits before" in shallow
    whole = Workbench.open(made).call("quality_gate", checks=checks).to_text()
    assert "without history" not in whole


def test_an_empty_workspace_says_so(shop: Workbench) -> None:
    found = report(shop)
    assert (found.total, found.summary.total_files) == (0, 0)
    assert "Nothing to predict" in found.to_text()
    assert json.loads(report(shop, format="sarif").to_text())["runs"][0]["results"] == []


def test_only_tests_are_nothing_to_judge(shop: Workbench, write: Write) -> None:
    write("tests/test_a.py", "def test_a(): pass\n")
    found = report(shop)
    assert (found.total, found.summary.tests_and_generated) == (0, 1)


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_a_confidence_is_from_0_to_1(shop: Workbench, value: float) -> None:
    with pytest.raises(InvalidParams):
        report(shop, min_confidence=value)


def test_the_counts_are_those_of_the_list_in_every_report(made: Path) -> None:
    shop = Workbench.open(made)
    every = report(shop, min_confidence=0, limit=1000)
    confidences = sorted(it.confidence for it in every.predictions)
    middle = confidences[len(confidences) // 2]
    found = report(shop, min_confidence=middle, limit=1000)
    listed = Counter(it.band for it in found.predictions)
    assert found.summary.bands == {band: listed[band] for band in found.summary.bands}
    together = Counter(found.summary.bands) + Counter(found.summary.below_confidence)
    assert together == Counter(every.summary.bands)
    whole = shop.call("analyze_comprehensive", confidence_threshold=middle, min_lines=0)
    defects = whole.model_dump()["defects"]
    assert defects["bands"] == found.summary.bands
    assert defects["below_confidence"] == found.summary.below_confidence
