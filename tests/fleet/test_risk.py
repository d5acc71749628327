from pathlib import Path

import pytest

from benchpin.fleet import Steps
from benchpin.measures.debt_gradient import Coupling
from benchpin.project.defects import Surroundings, know, predict
from defect_kit import BUGGIEST, three_years
from repositories import Tree
from selections import select_all

from .conftest import Fleet

ALONE = Coupling(0, 0)


def predicted(tree: Tree, cache: Path, **coupled: Coupling) -> list[tuple[str, float]]:
    """Return what the model of the package says of a work tree."""
    selection = select_all(tree.root, cache)
    known = know(selection)
    files = selection.read("outline", "links").files
    coupling = {it.path: coupled.get(Path(it.path).stem, ALONE) for it in files}
    found = predict(files, Surroundings(None, coupling), known, None)
    selection.session.close()
    return [(it.file, it.probability) for it in found.files]


@pytest.mark.slow
def test_risk_is_predicted_from_code_and_history(tmp_path: Path, steps: Steps) -> None:
    tree = three_years(tmp_path / "work" / "old")
    fleet = Fleet(tree.root.parent, str(tmp_path / "place"), steps)
    fleet.measure()
    risk = fleet.ask("risk")

    assert [(it["path"], it["risk"]) for it in risk] == predicted(tree, tmp_path / "cache")
    assert (risk[0]["path"], risk[0]["basis"]) == (BUGGIEST, "code and history")


def test_a_short_history_leaves_the_code_alone_and_the_answer_says_so(
    fleet: Fleet, one: Tree, tmp_path: Path
) -> None:
    fleet.measure()
    risk = [it for it in fleet.ask("risk") if it["repository"] == "one"]

    coupled = {"app": Coupling(1, 0), "shared": Coupling(0, 1)}
    expected = predicted(one, tmp_path / "cache", **coupled)
    assert [(it["path"], it["risk"]) for it in risk] == expected
    assert {it["basis"] for it in risk} == {"code alone: the history is shorter than half a year"}


def test_a_repository_of_tests_alone_has_no_risk_and_says_why(fleet: Fleet) -> None:
    Tree(fleet.root / "checks").commit({"tests/test_a.py": b"def test_a(): pass\n"})
    fleet.measure()

    sql = "SELECT risk_basis FROM repositories WHERE repository = 'checks'"
    assert fleet.query(sql) == [["no file of its product"]]
