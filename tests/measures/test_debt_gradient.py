import math

import pytest

from benchpin.facts import Function
from benchpin.measures.debt_gradient import (
    Coupling,
    DebtGradient,
    FileInputs,
    debt_gradient,
    estimated_hours,
    gather_inputs,
    rank_gradients,
    severity_of,
)


def values(gradient: DebtGradient) -> dict[str, float | None]:
    return {term.name: term.value for term in gradient.terms}


def function(cyclomatic: int) -> Function:
    return Function(
        "f", "function", 1, 9, cyclomatic, 0, 0, 0, 9, 0, 0, "f()", True, False, decorators=()
    )


def test_all_terms_of_a_file_as_worked_out_by_hand() -> None:
    gradient = debt_gradient(
        FileInputs(
            "src/auth/login.py",
            cyclomatic=(4, 16),
            code_lines=50,
            commits=6,
            coupling=Coupling(depends_on=6, dependents=2),
            duplication=0.15,
        )
    )
    # 0.4 · 10/5 + 0.2 · 6/3 + 0.2 · 1 + 0.2 · 0.5; ln(1 + 6/3) / 2; 6/15 + 2 · 6/8; auth; 15 % / 30
    assert values(gradient) == pytest.approx(
        {
            "complexity": 1.5,
            "churn": 0.549306,
            "coupling": 1.9,
            "domain_risk": 2.0,
            "duplication": 0.5,
        }
    )
    # 0.30 · 1.5 + 0.35 · 0.549306 + 0.15 · 1.9 + 0.10 · 2 + 0.10 · 0.5
    assert gradient.score == pytest.approx(1.177257)
    assert gradient.measured_weight == pytest.approx(1)
    assert gradient.severity == "normal"
    # 2 · 1.8^1.177257
    assert gradient.estimated_hours == pytest.approx(3.99525, abs=1e-4)


def test_the_contributions_of_the_terms_are_the_score() -> None:
    gradient = debt_gradient(FileInputs("src/db.py", (3, 9), 80, commits=12))
    added = math.fsum(term.contribution for term in gradient.terms if term.contribution is not None)
    assert added == pytest.approx(gradient.score)


def test_what_was_not_measured_is_left_out_with_the_reason_and_the_rest_is_scaled_up() -> None:
    gradient = debt_gradient(FileInputs("src/shapes.py", (5,), 100))
    # 0.4 · 5/5 + 0 + 0.2 · 0.5 + 0.2 · 1, times 0.30 of the 0.40 that was measured
    assert gradient.score == pytest.approx(0.7 * 0.30 / 0.40)
    assert gradient.measured_weight == pytest.approx(0.40)
    missing = {term.name: term.basis for term in gradient.terms if term.value is None}
    assert missing == {
        "churn": "not measured: the file has no git history",
        "coupling": "not measured: the file is in no import graph",
        "duplication": "not measured: duplicates were not searched",
    }
    assert all(term.contribution is None for term in gradient.terms if term.name in missing)


def test_no_duplicates_is_a_measure_and_lowers_the_score() -> None:
    unknown = debt_gradient(FileInputs("a.py", (5,), 100))
    clean = debt_gradient(FileInputs("a.py", (5,), 100, duplication=0.0))
    assert values(clean)["duplication"] == 0
    assert clean.score < unknown.score


def test_a_file_without_functions_has_only_its_lines() -> None:
    assert values(debt_gradient(FileInputs("a.py", (), 50)))["complexity"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("coupling", "expected"),
    [
        (Coupling(0, 0), 0.0),
        (Coupling(0, 9), 0.0),
        (Coupling(15, 15), 1 + 1.0),
        (Coupling(21, 0), 21 / 15 + 2 + 1),
        (Coupling(90, 0), 5.0),
    ],
)
def test_coupling_has_width_instability_and_a_point_for_more_than_twenty(
    coupling: Coupling, expected: float
) -> None:
    gradient = debt_gradient(FileInputs("a.py", (), 0, coupling=coupling))
    assert values(gradient)["coupling"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/shapes.py", 0.0),
        ("src/author.py", 0.0),
        ("src/OAuthClient.java", 0.0 + 2.0),
        ("lib/crypto/security.c", 2.0),
        ("app/migrations/0001_initial.py", 1.5),
        ("api/auth/database.go", 4.5),
    ],
)
def test_risk_comes_from_whole_words_of_the_path_once_a_kind(path: str, expected: float) -> None:
    assert values(debt_gradient(FileInputs(path, (), 0)))["domain_risk"] == expected


@pytest.mark.parametrize(
    ("score", "band"),
    [(0.0, "normal"), (1.5, "normal"), (1.51, "warning"), (2.5, "warning"), (2.51, "critical")],
)
def test_bands(score: float, band: str) -> None:
    assert severity_of(score) == band


def test_hours_are_two_for_no_debt_and_grow_by_four_fifths_a_point() -> None:
    assert [estimated_hours(score) for score in (0, 1, 2)] == pytest.approx([2, 3.6, 6.48])


def test_the_score_never_passes_five() -> None:
    worst = FileInputs("auth/api/database.py", (900,), 9000, 10**9, Coupling(90, 0), 1.0)
    gradient = debt_gradient(worst)
    assert all(term.value is not None and term.value <= 5 for term in gradient.terms)
    assert gradient.score <= 5
    assert gradient.severity == "critical"


def test_files_are_ranked_by_score_and_then_by_path() -> None:
    files = [FileInputs(path, (it,), 10) for path, it in (("b", 2), ("c", 9), ("a", 2))]
    assert [it.file for it in rank_gradients(files).ranked] == ["c", "a", "b"]


def test_a_gradient_is_computed_again_only_if_its_inputs_changed() -> None:
    files = [FileInputs(path, (it,), 10) for path, it in (("b", 2), ("c", 9), ("a", 2))]
    before = rank_gradients(files)
    files[0] = FileInputs("b", (40,), 10)
    after = rank_gradients(files, before)
    assert after == rank_gradients(files)
    kept = {it.file: it for it in before.ranked}
    assert [it.file for it in after.ranked if it is not kept[it.file]] == ["b"]


def test_inputs_are_put_together_by_path() -> None:
    files = {"a.py": ((3, 4), 20), "b.py": ((), 10)}
    linked = {"a.py": Coupling(1, 2)}
    assert gather_inputs(files, {"a.py": 5, "b.py": 0}, linked, {"b.py": 0.5}) == [
        FileInputs("a.py", (3, 4), 20, 5, Coupling(1, 2), None),
        FileInputs("b.py", (), 10, 0, None, 0.5),
    ]


def test_without_history_graph_and_duplicates_those_inputs_are_unknown() -> None:
    (inputs,) = gather_inputs({"a.py": ((2,), 10)}, None, None, None)
    assert inputs == FileInputs("a.py", (2,), 10, None, None, None)
