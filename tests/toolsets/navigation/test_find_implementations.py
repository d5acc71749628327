from contextlib import closing
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from benchpin.app import Workbench
from benchpin.core.errors import InvalidParams
from benchpin.toolsets.navigation._references import ImplementationReport
from benchpin.toolsets.navigation.find_implementations import (
    FindImplementationsParams,
    find_implementations,
)

SHAPES = """\
from abc import ABC, abstractmethod


class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...


class Disc(Shape):
    def area(self) -> float:
        return 1.0


def total(shapes: list[Shape]) -> float:
    return sum(it.area() for it in shapes)
"""


def run(shop: Workbench, workspace: Path, symbol: str) -> ImplementationReport:
    (workspace / "shapes.py").write_text(SHAPES, encoding="utf-8")
    (workspace / "tests/test_shapes.py").write_text(
        "from shapes import Shape\nclass Flat(Shape):\n    def area(self): return 0\n",
        encoding="utf-8",
    )
    return shop.run(find_implementations, FindImplementationsParams(symbol=symbol))


def test_types_are_listed_those_of_tests_last(shop: Workbench, workspace: Path) -> None:
    assert run(shop, workspace, "Shape").to_text() == snapshot("""\
shapes.py::Shape:4: 2 types implement it (2 certain, 0 possible, 1 in tests)

id    location                defines  text
Disc  shapes.py:9             area     class Disc(Shape):
Flat  tests/test_shapes.py:2  area     class Flat(Shape):\
""")


def test_scope_leaves_out_those_of_tests(shop: Workbench, workspace: Path) -> None:
    run(shop, workspace, "Shape")
    params = FindImplementationsParams.model_validate({"symbol": "Shape", "scope": "production"})
    found = shop.run(find_implementations, params)
    assert [it.id for it in found.implementations] == ["shapes.py::Disc"]
    assert (found.total, found.in_tests) == (1, 0)


def test_the_line_with_the_name_is_shown_below_what_decorates_it(
    shop: Workbench, workspace: Path
) -> None:
    code = "interface Source {}\n\n@Api(\n  since = 1)\ninterface UriSource extends Source {}\n"
    (workspace / "Source.java").write_text(code, encoding="utf-8")
    found = shop.run(find_implementations, FindImplementationsParams(symbol="Source"))
    assert [it.text for it in found.implementations] == ["interface UriSource extends Source {}"]


def test_methods_are_listed_in_both_directions(shop: Workbench, workspace: Path) -> None:
    assert run(shop, workspace, "Disc.area").to_text() == snapshot("""\
shapes.py::Disc.area:10: 0 methods override it

Overrides itself
id          location     text
Shape.area  shapes.py:6  def area(self) -> float: ...\
""")
    assert [it.id for it in run(shop, workspace, "Shape.area").implementations] == snapshot(
        ["shapes.py::Disc.area", "tests/test_shapes.py::Flat.area"]
    )


def test_a_function_outside_of_types_is_said_to_be_one(shop: Workbench, workspace: Path) -> None:
    assert run(shop, workspace, "total").to_text() == (
        "shapes.py::total:14 is neither a type nor a method of one."
    )


def test_a_method_without_a_body_is_found_where_it_is_no_symbol(
    shop: Workbench, workspace: Path
) -> None:
    (workspace / "Shape.cs").write_text(
        "interface IShape { double Area(); }\nclass Round : IShape {\n"
        "  public double Area() => 1;\n}\n",
        encoding="utf-8",
    )
    found = run(shop, workspace, "IShape.Area")
    assert [it.id for it in found.implementations] == ["Shape.cs::Round.Area"]
    with pytest.raises(InvalidParams):
        run(shop, workspace, "IShape.Nothing")


COLUMNS = """\
class Column:
    def __init__(self): ...
    def render(self): ...
    def value(self): ...
    def order(self): ...


class Link(Column):
    def __init__(self): ...
    def render(self): ...


class Plain(Column): ...


class Far(Link):
    def value(self): ...


class Last(Far): ...
"""


def test_each_type_says_which_methods_it_has_itself(shop: Workbench, workspace: Path) -> None:
    (workspace / "columns.py").write_text(COLUMNS, encoding="utf-8")
    found = run(shop, workspace, "Column")
    assert {it.id.rpartition("::")[2]: it.defines for it in found.implementations} == {
        "Link": ("render",),
        "Plain": (),
        "Far": ("value",),
        "Last": (),
    }


def test_who_inherits_a_method_is_said_with_whom_it_is_from(
    shop: Workbench, workspace: Path
) -> None:
    (workspace / "columns.py").write_text(COLUMNS, encoding="utf-8")
    found = run(shop, workspace, "Column.render")
    assert [it.id for it in found.implementations] == ["columns.py::Link.render"]
    assert found.inherited == {"Column": ["Plain"], "Link": ["Far", "Last"]}
    assert "inherit it: Plain from Column; Far, Last from Link" in found.to_text()


def test_only_what_differs_between_rows_is_shown_and_csv_has_all(
    shop: Workbench, workspace: Path
) -> None:
    (workspace / "columns.py").write_text(COLUMNS, encoding="utf-8")
    params = FindImplementationsParams(symbol="Column", format="csv")
    [heading, first, *_] = shop.run(find_implementations, params).to_text().splitlines()
    assert heading.startswith("certainty,how,kind,")
    assert first.startswith("certain,says so,class,")


# Two interfaces of one name, and a type for each.
OF_ONE_NAME = {
    "go": "type Visit interface{ F() }\n\ntype X struct{}\n\nfunc (X) F() {}\n",
    "java": "interface Visit { void F(); }\nclass X implements Visit { public void F() {} }\n",
    "py": "class Visit:\n    def F(self): ...\n\n\nclass X(Visit):\n    def F(self): ...\n",
    "rs": "pub trait Visit { fn F(&self); }\nstruct X;\nimpl Visit for X { fn F(&self) {} }\n",
    "ts": "export interface Visit { F(): void }\nclass X implements Visit { F() {} }\n",
}
_HEADS = {"go": "package {}\n\n", "java": "package {};\n"}


@pytest.mark.parametrize("language", OF_ONE_NAME)
def test_of_interfaces_that_share_a_name_each_is_answered(workspace: Path, language: str) -> None:
    for folder, method, heir in (("one", "Start", "A"), ("two", "Stop", "B")):
        code = OF_ONE_NAME[language].replace("X", heir).replace("F", method)
        (workspace / folder).mkdir()
        head = _HEADS.get(language, "").format(folder)
        (workspace / folder / f"Visit.{language}").write_text(head + code)
    with closing(Workbench.open(workspace)) as bench:
        found = bench.call("find_implementations", symbol="Visit").model_dump(mode="json")
    answers = [found, *found["further"]]
    named = [[it["id"].rpartition("::")[2] for it in one["implementations"]] for one in answers]
    assert named == [["A"], ["B"]]


def test_bases_of_java_are_found_by_their_package_and_inside_of_what_is_inherited(
    workspace: Path,
) -> None:
    base = "public class Client { public static class Part {} }"
    heir = "public class Heir extends org.base.Client { static class Wheel extends Part {} }"
    files = {
        "org/base/Client.java": f"package org.base;\n{base}\n",
        "org/other/Client.java": (
            "package org.other;\npublic class Client extends org.base.Client {}\n"
        ),
        "org/other/Heir.java": f"package org.other;\n{heir}\n",
    }
    for path, code in files.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(code)
    with closing(Workbench.open(workspace)) as bench:
        clients = bench.call("find_implementations", symbol="org/base/Client.java::Client")
        parts = bench.call("find_implementations", symbol="Client.Part")
    named = [it["id"] for it in clients.model_dump(mode="json")["implementations"]]
    assert named == ["org/other/Client.java::Client", "org/other/Heir.java::Heir"]
    assert [it["id"] for it in parts.model_dump(mode="json")["implementations"]] == [
        "org/other/Heir.java::Heir.Wheel"
    ]
