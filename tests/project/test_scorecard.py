from dataclasses import replace

import pytest

from benchpin.measures.complexity import measure_file
from benchpin.project import FileCycle, Findings
from benchpin.project.scores import Scorecard, score_project
from benchpin.project.scores._quantiles import standing
from findings_kit import (
    admitted,
    covered,
    dead,
    dead_code,
    debt,
    duplicates,
    function,
    graph,
    source,
)


def scores(card: Scorecard) -> dict[str, float | None]:
    return {part.name: part.score for part in card.parts}


def hours(card: Scorecard) -> dict[str, float | None]:
    return {part.name: part.hours for part in card.debt}


def everything() -> Findings:
    files = [
        source("a.py", function("calm", 5, 0, code_lines=30), function("wild", 30, 0)),
        source("b.py", code_lines=300),
    ]
    return Findings(
        files,
        graph=graph(["x/a.py", "y/b.py"], (0, 1)),
        cycles=[],
        dead_code=dead_code(dead("a.py", 1, 20), total_lines=400),
        debt=debt(admitted("a.py", "High"), admitted("b.py", "Low")),
        duplicates=duplicates(shares={"a.py": 60}),
        covered=covered({"a.py": 0.5, "b.py": 0.9}),
        defects={"a.py": 0.4, "b.py": 0.2},
    )


def test_every_part_as_worked_out_by_hand() -> None:
    found = everything()
    card = score_project(found)
    index = [measure_file(file.outline).maintainability_index for file in found.files]
    mean = (100 * index[0] + 300 * index[1]) / 400
    assert card.maintainability_index == pytest.approx(mean, abs=0.05)
    values = {part.name: part.value for part in card.parts}
    assert values == pytest.approx(
        {
            # 30 lines at half a threshold, 10 at three times one
            "complexity": (30 * 100 / 1.5 + 10 * 100 / 4) / 40,
            "maintainability": mean,
            "duplication": 15.0,
            "coverage": 100 * (500 + 900) / 2000,
            "modularity": 0.0,
            "debt_comments": 6.25,  # 2.5 hours in 400 lines of code
            "dead_code": 5.0,
            "defects": 100 * (100 * 0.4 + 300 * 0.2) / 400,
        },
        abs=0.05,
    )
    assert scores(card) == pytest.approx(
        {it.name: standing(it.name, it.value or 0) for it in card.parts}, abs=0.5
    )


def test_health_is_the_weighted_mean_of_the_parts() -> None:
    card = score_project(everything())
    assert card.measured_weight == 1
    weighted = sum(part.weight * (part.score or 0) for part in card.parts)
    assert card.overall_health == pytest.approx(weighted, abs=0.1)


def test_debt_hours_are_the_sum_of_what_is_shown() -> None:
    card = score_project(everything())
    # wild is 20 over 10 and more than twice as complex: 30 minutes a point, and 8 hours at most
    assert hours(card) == {
        "complexity": 8.0,
        "debt_comments": 2.5,
        "duplication": 1.0,
        "dead_code": 0.2,
    }
    assert card.technical_debt_hours == pytest.approx(11.7)


def test_what_was_not_measured_has_no_score_and_leaves_its_weight_to_the_others() -> None:
    found = Findings([source("a.py", function())], reasons={"duplicates": "out of time"})
    card = score_project(found)
    measured = {name for name, score in scores(card).items() if score is not None}
    assert measured == {"complexity", "maintainability"}
    assert card.measured_weight == pytest.approx(0.45)
    assert card.overall_health == pytest.approx(
        (0.3 * (scores(card)["complexity"] or 0) + 0.15 * (scores(card)["maintainability"] or 0))
        / 0.45,
        abs=0.1,
    )
    reasons = {part.name: part.basis for part in card.parts}
    assert reasons["duplication"] == "out of time"
    assert hours(card)["duplication"] is None


def test_an_empty_project_has_no_health() -> None:
    card = score_project(Findings([], debt=debt(), dead_code=dead_code(total_lines=0)))
    assert card.overall_health is None
    assert set(scores(card).values()) == {None}


def test_where_there_are_only_tests_they_count() -> None:
    tests = source("tests/test_a.py", function(cyclomatic=30))
    card = score_project(Findings([tests]))
    assert card.files == 1
    assert card.complexity_score == pytest.approx(standing("complexity", 25), abs=0.05)


def test_imports_that_lead_back_between_parts_lower_modularity() -> None:
    paths = [f"src/shop/{part}/{at}.py" for part in ("sales", "stock") for at in range(3)]
    links = graph(paths, (0, 3), (1, 4), (2, 5), (5, 2))
    card = score_project(Findings([source(it) for it in paths], graph=links, cycles=[]))
    assert {it.name: it.value for it in card.parts}["modularity"] == 25


def test_cycles_of_the_files_of_one_part_do_not_lower_modularity() -> None:
    paths = [f"src/shop/{part}/{at}.py" for part in ("sales", "stock") for at in range(3)]
    links = graph(paths, (0, 3), (0, 1), (1, 2), (2, 0))
    cycle = FileCycle(tuple(paths[:3]), tuple(paths[:3]))
    card = score_project(Findings([source(it) for it in paths], graph=links, cycles=[cycle]))
    assert {it.name: it.value for it in card.parts}["modularity"] == 0


def test_without_imports_between_parts_modularity_is_not_measured() -> None:
    card = score_project(Findings([source("a.py")], graph=graph(["a.py"]), cycles=[]))
    assert scores(card)["modularity"] is None


@pytest.mark.parametrize("cyclomatic", [1, 5, 10, 20, 100])
def test_more_complexity_never_scores_better_and_never_ends(cyclomatic: int) -> None:
    better = score_project(Findings([source("a.py", function("f", cyclomatic))]))
    worse = score_project(Findings([source("a.py", function("f", cyclomatic * 2))]))
    assert (worse.complexity_score or 0) < (better.complexity_score or 0)
    assert (worse.technical_debt_hours or 0) >= (better.technical_debt_hours or 0)


def test_a_project_of_which_only_a_part_was_read_has_no_scores() -> None:
    card = score_project(replace(everything(), unread_files=8))
    assert card.overall_health is None
    assert card.technical_debt_hours is None
    assert {part.basis for part in card.parts} == {"there was time for 2 of 10 files only"}
