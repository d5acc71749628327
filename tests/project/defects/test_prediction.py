import math
from pathlib import Path

import pytest

from benchpin.measures.coverage import CoverageReport, FileCoverage
from benchpin.measures.debt_gradient import Coupling
from benchpin.project.defects import (
    FEATURES,
    ProjectDefects,
    Surroundings,
    know,
    predict,
    shipped_weights,
)
from benchpin.project.defects._features import has_prediction, rows_of
from benchpin.project.defects._prediction import band_of, predict_rows
from made_sources import parsed
from selections import select_all

SMALL = "x = 1\n"
LARGE = "".join(f"def f{at}(value):\n    return value if value else {at}\n" for at in range(300))
TEXTS = {"small.py": SMALL, "large.py": LARGE, "tests/test_a.py": LARGE}


def judged(
    tmp_path: Path,
    coverage: CoverageReport | None = None,
    around: Surroundings | None = None,
) -> ProjectDefects:
    known = know(select_all(tmp_path, tmp_path / "cache"))
    return predict(parsed(TEXTS), around or Surroundings({}, None), known, coverage)


def test_contributions_and_base_are_the_log_odds(tmp_path: Path) -> None:
    around = Surroundings({"large.py": 0.5}, {"large.py": Coupling(9, 9)})
    for it in judged(tmp_path, around=around).files:
        total = (it.base or 0) + math.fsum(part or 0 for part in it.contributions.values())
        assert it.probability == pytest.approx(1 / (1 + math.exp(-total)), abs=1e-4)
        assert tuple(it.contributions) == FEATURES
        assert it.lower < it.probability < it.upper


def test_the_larger_file_is_likelier_and_tests_are_not_judged(tmp_path: Path) -> None:
    found = judged(tmp_path)
    assert [it.file for it in found.files] == ["large.py", "small.py"]
    assert found.skipped == 1


def test_features_that_are_not_known_have_a_reason_and_no_part(tmp_path: Path) -> None:
    found = judged(tmp_path)
    assert set(found.left_out) == {"churn", "coupling", "test_coverage"}
    assert found.files[0].contributions["coupling"] is None
    assert found.files[0].contributions["duplication"] is not None


def test_only_files_with_other_values_are_predicted_again(tmp_path: Path) -> None:
    known = know(select_all(tmp_path, tmp_path / "cache"))
    around = Surroundings({}, None)
    before = predict(parsed(TEXTS), around, known, None)
    changed = parsed({**TEXTS, "small.py": "if x:\n    y = 1\n"})
    rows = rows_of(filter(has_prediction, changed), around, known.past)
    after = predict_rows(rows, len(changed), known, None, before)
    assert after == predict(changed, around, known, None)
    kept = {it.file: it for it in before.files}
    assert [it.file for it in after.files if it is not kept[it.file]] == ["small.py"]
    report = CoverageReport({"large.py": FileCoverage(1, 2)}, (), ())
    covered = predict_rows(rows, len(changed), known, report, after)
    assert covered == predict(changed, around, known, report)


def test_without_a_history_a_prediction_is_less_sure() -> None:
    assert shipped_weights().history.spread < shipped_weights().static.spread


def report_of(**covered: int) -> CoverageReport:
    by_file = {f"{name}.py": FileCoverage(count, 10) for name, count in covered.items()}
    return CoverageReport(by_file, (), ())


def test_only_lines_and_commits_weigh(tmp_path: Path) -> None:
    around = Surroundings({"large.py": 0.5}, {"large.py": Coupling(9, 9)})
    found = judged(tmp_path, report_of(large=2, small=8), around)
    plain = {it.file: it.probability for it in judged(tmp_path).files}
    assert {it.file: it.probability for it in found.files} == plain
    large = found.files[0]
    assert large.features["test_coverage"] == 0.2
    adding = {name for name, added in large.contributions.items() if added}
    assert adding == {"complexity"}
    assert large.contributions["test_coverage"] == 0
    assert "test_coverage" not in found.left_out


def test_a_file_that_no_report_speaks_of_has_no_part_for_coverage(tmp_path: Path) -> None:
    found = {it.file: it for it in judged(tmp_path, report_of(large=5)).files}
    assert found["small.py"].contributions["test_coverage"] is None
    assert found["small.py"].features["test_coverage"] is None


@pytest.mark.parametrize(
    ("probability", "band"), [(0.7, "High"), (0.699, "Medium"), (0.3, "Medium"), (0.299, "Low")]
)
def test_bands(probability: float, band: str) -> None:
    assert band_of(probability) == band


def test_confidence_says_how_much_of_the_interval_bears_out_the_band(tmp_path: Path) -> None:
    for it in judged(tmp_path).files:
        if it.band == "Low":
            assert (it.confidence > 0.9) == (it.upper < 0.3)
        else:
            edge = 0.7 if it.band == "High" else 0.3
            assert (it.confidence > 0.9) == (it.lower > edge)


def test_nothing_to_judge_is_no_error(tmp_path: Path) -> None:
    known = know(select_all(tmp_path, tmp_path / "cache"))
    assert predict([], Surroundings(None, None), known, None).files == []
