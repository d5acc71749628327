"""Pictures of the analyses: their rows come from the report, and what they show is true."""

from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import InvalidParams
from benchpin.present import Report
from benchpin.present.pictures import Drawn, PictureRow, to_svg
from benchpin.toolsets.analysis._landscape_pictures import PICTURES
from repositories import Tree
from toolsets.analysis.conftest import Write

TANGLED = "def f(a):\n" + "".join(f"    if a == {n}:\n        return {n}\n" for n in range(20))


def report(shop: Workbench, name: str, **arguments: object) -> Report:
    found = shop.call(name, format="html", **arguments)
    assert isinstance(found, Report)
    return found


def test_past_commits_are_measured_once_each_the_oldest_first(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.commit({"src/a.py": b"def f():\n    return 1\n"})
    tree.commits = 400
    tree.commit({"src/a.py": TANGLED.encode()})
    with_past = report(Workbench.open(tmp_path), "analyze_trends")
    picture = next(it for it in with_past.drawn() if it.name == "over-time")
    assert [row["over"] for row in picture.rows] == [0, 1]
    assert "from 0 to 1" in picture.alt


def test_files_of_a_map_are_coloured_by_what_is_known_of_them(
    shop: Workbench, write: Write
) -> None:
    write("src/a.py", TANGLED)
    write("src/b.py", "def g():\n    return 1\n")
    [treemap, *_] = report(shop, "analyze_comprehensive").drawn()
    cells = {row["name"]: row for row in treemap.rows if not row.get("is_open")}
    assert cells["a.py"]["health_class"] < cells["b.py"]["health_class"]  # type: ignore[operator]  # numbers
    assert treemap.link == "id"


@pytest.mark.slow
def test_a_hot_spot_of_unknown_risk_has_a_circle_and_its_name_stays_off_the_axis() -> None:
    named: PictureRow = {"lines": 9, "is_named": True, "name": f"{'long_' * 20}.py", "owner": "A"}
    rows: list[PictureRow] = [
        {"commits": 11, "complexity": 100, "defects": 0.5, "risk": "50%", "file": "a", **named},
        {"commits": 5, "complexity": 7, "risk": "not predicted", "file": "b", **named},
        {"commits": 6, "complexity": 5, "risk": "not predicted", "file": "c", **named},
    ]
    picture = next(it for it in PICTURES if it.name == "hotspots")
    assert isinstance(picture.spec, dict)
    drawn = Drawn(picture.name, picture.title, picture.spec, rows, "", "")
    svg = to_svg(drawn)
    assert svg.count('aria-roledescription="circle"') == 3
    assert svg.count("Bug fix within a year: not predicted") == 2
    assert "undefined" not in svg
    assert 'text-anchor="end"' in svg


def test_the_places_of_a_clone_are_shown_with_both_texts(shop: Workbench, write: Write) -> None:
    for name in ("a", "b"):
        write(f"{name}.py", TANGLED)
    [section] = report(shop, "analyze_duplicates").sections()
    assert section.html.count("if a == 3:") == 2
    assert "a.py:1" in section.html
    assert "b.py:1" in section.html


def test_debt_is_shown_beside_the_code_it_talks_about(shop: Workbench, write: Write) -> None:
    write("a.py", "x = 1\n# TODO: this is a hack, remove <b>it</b>\ny = 2\n")
    [section] = report(shop, "analyze_debt_comments").sections()
    assert "<span class=m><i>2</i># TODO: this is a hack, remove &lt;b&gt;it" in section.html
    assert "<i>3</i>y = 2" in section.html


def test_checks_that_fail_are_first_on_the_list(shop: Workbench, write: Write) -> None:
    write("a.py", TANGLED)
    picture = report(shop, "quality_gate").chosen_picture()
    assert (picture.rows[0]["check"], picture.rows[0]["mark"]) == ("max_cyclomatic", "✗")
    assert picture.alt.startswith("FAILED")


def test_an_image_of_a_tool_without_pictures_names_those_that_have_some(shop: Workbench) -> None:
    with pytest.raises(InvalidParams) as caught:
        shop.call("find_symbol", symbol="x", format="png")
    assert "analyze_comprehensive, " in caught.value.suggestion
    assert "find_symbol" not in caught.value.suggestion
