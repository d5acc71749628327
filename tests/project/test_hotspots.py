import pytest

from benchpin.project import Findings
from benchpin.project.scores import find_hotspots
from benchpin.project.scores._hotspots import priority_of
from findings_kit import changed, churn, covered, function, source

HARD = function("hard", 30, 0, line=7)
"""Three times the threshold: 0.75 of complexity."""


def test_the_score_is_the_geometric_mean_of_all_three_terms() -> None:
    found = Findings(
        [source("a.py", HARD)],
        churn=churn(changed("a.py", 4, 0.5)),
        covered=covered({"a.py": 0.2}),
    )
    [spot] = find_hotspots(found)
    assert [(it.name, it.value) for it in spot.terms] == [
        ("complexity", 0.75),
        ("churn", 0.5),
        ("uncovered", 0.8),
    ]
    assert spot.composite_score == pytest.approx((0.75 * 0.5 * 0.8) ** (1 / 3), abs=1e-4)
    where = spot.location
    assert (where.file, where.line, where.function) == ("a.py", 7, "hard")
    # 20 points over the threshold, more than twice as complex
    assert spot.refactoring_effort.estimated_hours == 8
    assert spot.refactoring_effort.priority == "High"


def test_without_history_and_coverage_complexity_is_left_and_the_reasons_are_told() -> None:
    found = Findings([source("a.py", HARD)], reasons={"churn": "no git", "coverage": "no report"})
    [spot] = find_hotspots(found)
    assert spot.composite_score == 0.75
    assert [it.basis for it in spot.terms[1:]] == ["no git", "no report"]


def test_a_quiet_period_says_nothing_about_churn() -> None:
    found = Findings([source("a.py", HARD)], churn=churn(), period_days=30)
    [spot] = find_hotspots(found)
    assert spot.terms[1].value is None
    assert spot.terms[1].basis == "no file here changed in the last 30 days"


def test_what_did_not_change_or_is_covered_in_full_is_no_hotspot() -> None:
    files = [source("still.py", HARD), source("covered.py", HARD), source("hot.py", HARD)]
    found = Findings(
        files,
        churn=churn(changed("hot.py", 2, 0.4), changed("covered.py", 2, 0.4)),
        covered=covered({"still.py": 0.0, "hot.py": 0.0, "covered.py": 1.0}),
    )
    assert [it.location.file for it in find_hotspots(found)] == ["hot.py"]


def test_functions_under_the_thresholds_are_none() -> None:
    files = [source("a.py", function("easy", 10, 15)), source("b.py", function())]
    assert not find_hotspots(Findings(files))


def test_the_hottest_stands_first_and_a_function_over_both_thresholds_once() -> None:
    worse = function("worse", 60, 90, line=40)
    found = Findings([source("a.py", HARD, worse)])
    assert [it.location.function for it in find_hotspots(found)] == ["worse", "hard"]


def test_bands() -> None:
    assert [priority_of(it) for it in (0.5, 0.49, 0.25, 0.2)] == ["High", "Medium", "Medium", "Low"]
