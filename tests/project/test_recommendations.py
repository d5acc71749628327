from dataclasses import replace

import msgspec
import pytest

from benchpin.measures.churn import CoupledFiles
from benchpin.measures.debt_gradient import FileInputs, debt_gradient
from benchpin.project import ANALYSES, Findings
from benchpin.project.scores import Recommendation, recommend
from benchpin.project.scores._parts import parts_of
from benchpin.project.scores._recommendations import MAX_RECOMMENDATIONS
from findings_kit import (
    admitted,
    changed,
    churn,
    clone,
    covered,
    dead,
    dead_code,
    debt,
    duplicates,
    function,
    graph,
    source,
)

QUIET = Findings(
    [source("a.py", function("easy", 3, 2)), source("b.py")],
    graph=graph(["a.py", "b.py"], (0, 1)),
    cycles=[],
    churn=churn(changed("a.py", 9, 1.0)),
    dead_code=dead_code(total_lines=200),
    debt=debt(),
    duplicates=duplicates(),
    gradients=[debt_gradient(FileInputs("a.py", (3,), 100))],
    covered=covered({"a.py": 0.9}),
    defects={"a.py": 0.1},
)


def rules(found: Findings) -> list[str]:
    return [it.rule for it in recommend(found)]


def only(found: Findings) -> Recommendation:
    [it] = recommend(found)
    return it


def test_a_project_in_order_gets_no_advice() -> None:
    assert recommend(QUIET) == []


def test_an_empty_project_gets_none_either() -> None:
    assert recommend(Findings([])) == []


def test_hot_functions_of_a_file_are_one_recommendation_with_all_of_them() -> None:
    hard = [function("hard", 15, 20, line=1), function("harder", 18, 25, line=50)]
    found = replace(QUIET, files=[source("a.py", *hard)], covered=None)
    it = only(found)
    assert it.rule == "hot-functions"
    assert (it.title, it.priority) == ("Break up harder and 1 more in a.py", "High")
    assert [(place.line, place.what) for place in it.evidence] == [
        (50, "harder: cyclomatic 18, cognitive 25; 9 commits in 30 days"),
        (1, "hard: cyclomatic 15, cognitive 20; 9 commits in 30 days"),
    ]
    # 5 and 10 points over a threshold, 15 minutes each
    assert it.estimated_effort.secs == 3.7 * 3600


def test_a_file_that_changed_once_does_not_keep_changing() -> None:
    hard = source("a.py", function("hard", 15, 20))
    found = replace(QUIET, files=[hard], covered=None, churn=churn(changed("a.py", 1, 1.0)))
    assert rules(found) == []


def test_tangled_functions_are_named_the_worst_first() -> None:
    files = [source("a.py", function("bad", 25, 40)), source("b.py", function("worse", 21, 90))]
    worse, bad = recommend(Findings(files))
    assert (worse.rule, worse.priority) == ("complex-functions", "Medium")
    assert worse.title == "Simplify worse in b.py: cognitive complexity 90"
    assert bad.title == "Simplify bad in a.py: cognitive complexity 40"
    assert worse.estimated_effort.secs == 8 * 3600


def test_a_flat_switch_and_a_container_of_closures_are_not_to_be_simplified() -> None:
    flat, container = function("fmt", 240, 1), function("component", 4, 270)
    assert recommend(Findings([source("a.py", flat), source("b.py", container)])) == []


def test_big_clones_are_to_be_joined_unless_they_lie_in_a_bigger_one() -> None:
    files = [source(it, function(code_lines=500), code_lines=500) for it in ("a.py", "b.py")]
    groups = [
        clone(("a.py", 1, 100), ("b.py", 1, 100)),
        clone(("a.py", 20, 80), ("b.py", 20, 80)),
        clone(("a.py", 200, 210), ("b.py", 200, 210)),
    ]
    it = only(Findings(files, duplicates=duplicates(*groups)))
    assert (it.rule, it.title) == ("clones", "Join 2 copies of 100 lines in a.py, b.py")
    assert it.estimated_effort.secs == 100 * 60
    assert it.impact == "High"


def test_copies_of_declarations_and_of_tests_beside_the_code_are_not_to_be_joined() -> None:
    test = msgspec.structs.replace(function(code_lines=500), decorators=("#[test]",))
    declared = source("types.d.ts", code_lines=500)
    tested = source("lib.rs", test, code_lines=500)
    groups = [clone((it, 1, 100), (it, 200, 299)) for it in ("types.d.ts", "lib.rs")]
    assert recommend(Findings([declared, tested], duplicates=duplicates(*groups))) == []


def shop(*back: tuple[int, int]) -> Findings:
    """Return a project of two packages of which one imports the other in six places."""
    paths = [f"src/shop/{part}/{at}.py" for part in ("sales", "stock") for at in range(6)]
    links = graph(paths, *((at, 6 + at) for at in range(6)), *back)
    return Findings([source(path) for path in paths], graph=links, cycles=[])


def test_the_one_import_that_leads_back_is_to_be_cut() -> None:
    it = only(shop((8, 2)))
    assert (it.rule, it.priority, it.evidence_total) == ("mutual-imports", "Low", 1)
    assert it.title == "Cut the import from src/shop/stock back to src/shop/sales"
    assert "imports src/shop/stock in 6 places" in it.description
    assert (it.evidence[0].file, it.evidence[0].what) == (
        "src/shop/stock/2.py",
        "imports src/shop/sales/2.py",
    )


def test_cycles_inside_a_part_and_parts_that_need_one_another_are_no_advice() -> None:
    assert recommend(shop((0, 1), (1, 2), (2, 0))) == []
    assert recommend(shop(*((6 + at, at) for at in range(6)))) == []


@pytest.mark.parametrize(
    ("paths", "parts"),
    [
        (["src/a/x.py", "src/b/y.py"], ["src/a", "src/b"]),
        (["src/one/a/x.py", "src/one/b/y.py"], ["src/one/a", "src/one/b"]),
        (["packages/a/src/x.ts", "packages/b/src/y.ts"], ["packages/a", "packages/b"]),
        (["crates/a/src/lib.rs", "crates/b/src/lib.rs"], ["crates/a", "crates/b"]),
        (["main.go", "internal/db/x.go"], ["main.go", "internal/db"]),
    ],
)
def test_a_part_is_a_package_or_a_top_module(paths: list[str], parts: list[str]) -> None:
    assert list(parts_of(paths).values()) == parts


def test_dead_code_weighs_by_its_lines_not_by_its_files() -> None:
    found = Findings(
        [source("a.py", code_lines=1000)],
        dead_code=dead_code(dead("a.py", 5, 10), total_lines=1000),
    )
    it = only(found)
    assert (it.rule, it.impact) == ("dead-code", "Low")
    assert it.title == "Remove old in a.py, which nothing uses"


def test_a_hot_file_that_tests_hardly_run_is_to_be_tested() -> None:
    found = replace(QUIET, covered=covered({"a.py": 0.2, "b.py": 0.0}))
    it = only(found)
    assert (it.rule, it.title) == ("untested", "Test a.py")
    assert it.estimated_effort.secs == 2 * 3600


def test_grave_comments_about_defects_and_security_count() -> None:
    items = [
        admitted("a.py", "Critical", "Security"),
        admitted("a.py", "High", "Design"),
        admitted("a.py", "Low", "Defect"),
    ]
    it = only(Findings([source("a.py")], debt=debt(*items)))
    assert (it.rule, it.priority, it.evidence_total) == ("grave-comments", "High", 1)


def test_imports_that_lead_nowhere_are_to_be_checked() -> None:
    links = graph(["a.py", "b.py"], (0, 1), lost=["a.py"])
    it = only(Findings([source("a.py")], graph=links, cycles=[]))
    assert (it.rule, it.evidence[0].what) == ("unresolved-imports", "gone: no file")
    assert it.evidence_total == 1


def test_files_that_do_too_much_are_to_be_split() -> None:
    many = [function(f"f{number}", line=number) for number in range(40)]
    big, long = source("a.py", *many, code_lines=1200), source("b.py", code_lines=5000)
    assert only(Findings([big, long])).evidence[0].file == "a.py"


def test_files_that_change_together_without_an_import_are_hidden_coupling() -> None:
    pairs = [CoupledFiles("a.py", "b.py", 6, 0.9), CoupledFiles("b.py", "c.py", 6, 0.9)]
    files = [source(path) for path in ("a.py", "b.py", "c.py")]
    links = graph(["a.py", "b.py", "c.py"], (0, 1))
    found = Findings(files, churn=churn(coupling=pairs), graph=links, cycles=[])
    it = only(found)
    assert it.rule == "hidden-coupling"
    assert it.evidence[0].what == "with c.py in 6 commits, degree 0.90"


def test_files_that_most_likely_need_a_bug_fix_are_to_be_reviewed() -> None:
    it = only(Findings([source("a.py")], defects={"a.py": 0.7, "b.py": 0.9, "c.py": 0.69}))
    assert [place.file for place in it.evidence] == ["b.py", "a.py"]


def test_the_urgent_stand_first_and_there_are_not_too_many() -> None:
    paths = [f"{number:02}.py" for number in range(60)]
    hard = [source(path, function("hard", 90, 90, code_lines=300)) for path in paths]
    groups = [clone((path, 1, 99), (path, 200, 299)) for path in paths]
    found = Findings(
        hard,
        cycles=[],
        graph=graph(paths, (0, 1), lost=paths),
        churn=churn(*(changed(path, 5, 1.0) for path in paths)),
        duplicates=duplicates(*groups),
        defects=dict.fromkeys(paths, 0.9),
        debt=debt(admitted("00.py", "High", "Defect")),
    )
    advice = recommend(found)
    assert len(advice) <= MAX_RECOMMENDATIONS
    order = ["High", "Medium", "Low"]
    assert [it.priority for it in advice] == sorted((it.priority for it in advice), key=order.index)
    assert recommend(found) == advice


def test_what_was_not_asked_for_gives_no_advice() -> None:
    hard = source("a.py", function("hard", 90))
    assert rules(Findings([hard], wanted=frozenset(ANALYSES) - {"complexity"})) == []
