import pytest

from navigation_kit import uses

SHOP = """
class Till:
    def open(self): ...
    def close(self): self.open()

class Shop:
    till: Till
    def __init__(self):
        self.drawer = Till()
        self.maybe = None
        self.maybe = Till()
    def morning(self, other: Till, unknown):
        self.drawer.open()
        self.till.open()
        self.maybe.open()
        other.open()
        made = Till()
        made.open()
        unknown.open()
        got = make()
        got.open()
        open("file")

def make() -> "Till | None":
    return Till()

class Other:
    def open(self): ...

def other(it: Other):
    it.open()
"""


def test_the_three_rules_of_types_make_calls_certain() -> None:
    found = uses({"shop.py": SHOP}, "Till.open")
    lines = [it.split()[0].partition(":")[2] for it in found["certain"]]
    assert lines == ["4", "13", "14", "15", "16", "18", "21"]


def test_a_call_on_an_object_of_unknown_type_is_possible() -> None:
    assert uses({"shop.py": SHOP}, "Till.open")["possible"] == ["shop.py:19 call Shop.morning"]


def test_a_call_on_another_type_is_no_use() -> None:
    found = uses({"shop.py": SHOP}, "Other.open")
    assert found["certain"] == ["shop.py:31 call other"]
    assert found["possible"] == ["shop.py:19 call Shop.morning"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("from lib import helper\nhelper()", "call"),
        ("from lib import helper as h\nh()", "call"),
        ("import lib\nlib.helper()", "call"),
        ("import lib as l\nx = l.helper", "read"),
        ("from lib import *\nhelper()", "call"),
        ("from lib import helper\n@helper\ndef f(): ...", "call"),
    ],
)
def test_an_imported_function_is_certain(code: str, kind: str) -> None:
    found = uses({"lib.py": "def helper(): ...", "main.py": code}, "helper")["certain"]
    assert [it.split()[1] for it in found if "import" not in it] == [kind]


@pytest.mark.parametrize(
    "code",
    [
        "def f(helper): helper()",
        "def f():\n    helper = 1\n    return helper",
        "def f(xs):\n    for helper in xs: helper()",
        "def f(x):\n    with x as helper: helper()",
        "f = lambda helper: helper()",
        "call(helper=1)",
        "import other\nother.helper()",
        "from other import helper\nhelper()",
    ],
)
def test_something_else_of_the_same_name_is_no_use(code: str) -> None:
    found = uses({"lib.py": "def helper(): ...", "main.py": code}, "helper")
    assert found == {"certain": [], "possible": [], "mention": []}


def test_a_parameter_named_like_a_module_does_not_hide_it_in_its_own_type() -> None:
    main = "import nodes\ndef f(nodes: nodes.Node): nodes.visit()\n"
    found = uses({"nodes.py": "class Node:\n    def visit(self): ...", "main.py": main}, "visit")
    assert found["certain"] == ["main.py:2 call f"]


def test_a_name_that_two_imports_bind_is_possible_only() -> None:
    main = "try:\n    from a import f\nexcept ImportError:\n    from b import f\nf()\n"
    files = {"a.py": "def f(): ...", "b.py": "def f(): ...", "main.py": main}
    assert "main.py:5 call" in uses(files, "a.py::f")["possible"]
    assert uses(files, "b.py::f")["certain"] == ["main.py:4 import"]


def test_a_call_through_the_base_is_a_possible_use_of_the_override() -> None:
    code = """
class Base:
    def run(self): ...
class Child(Base):
    def run(self): super().run()
def f(it: Base): it.run()
def g(it: Child): it.run()
"""
    assert uses({"a.py": code}, "Base.run")["certain"] == [
        "a.py:5 call Child.run",
        "a.py:6 call f",
    ]
    assert uses({"a.py": code}, "Child.run") == {
        "certain": ["a.py:7 call g"],
        "possible": ["a.py:6 call f"],
        "mention": [],
    }


def test_the_name_in_strings_and_comments_is_a_mention() -> None:
    code = (
        'def helper():\n    """Text.\n\n    See helper.\n    """\n# helpers, helper\nx = "helper"'
    )
    assert uses({"a.py": code}, "helper")["mention"] == [
        "a.py:4 string helper",
        "a.py:6 comment",
        "a.py:7 string",
    ]


def test_a_class_is_used_by_inheriting_annotating_and_calling() -> None:
    code = "class A: ...\nclass B(A): ...\ndef f(x: A) -> list[A]: return [A()]\nA.x = 1"
    found = uses({"a.py": code}, "A")["certain"]
    assert [it.split()[1] for it in found] == ["inherit", "call", "type", "read"]


def test_making_an_object_is_a_use_of_its_constructor() -> None:
    code = "class A:\n    def __init__(self): ...\nA()\n"
    assert uses({"a.py": code}, "A.__init__")["certain"] == ["a.py:3 call"]


def test_variables_and_fields_are_symbols_and_their_definitions_no_uses() -> None:
    files = {
        "a.py": "LIMIT = 3\nclass A:\n    size: int = LIMIT\n    def f(self): return self.size\n",
        "b.py": "from a import LIMIT\nprint(LIMIT)\n",
    }
    assert uses(files, "LIMIT")["certain"] == ["a.py:3 read A", "b.py:1 import", "b.py:2 read"]
    assert uses(files, "A.size")["certain"] == ["a.py:4 read A.f"]


def test_a_later_assignment_is_a_write() -> None:
    code = (
        "x = 1\nclass A:\n    def __init__(self): self.y = 1\n    def f(self): self.y = x\nx = 2\n"
    )
    assert uses({"a.py": code}, "x")["certain"] == ["a.py:4 read A.f", "a.py:5 write"]
    assert uses({"a.py": code}, "A.y")["certain"] == ["a.py:4 write A.f"]


def test_a_chain_of_calls_follows_results_and_fluent_methods() -> None:
    code = """
class Query:
    def where(self): return self
    def all(self) -> list["Row"]: ...
class Row:
    def save(self): ...
def f():
    for row in Query().where().all():
        row.save()
"""
    assert uses({"a.py": code}, "Row.save")["certain"] == ["a.py:9 call f"]


def test_variables_of_comprehensions_and_lambdas_are_visible_in_these() -> None:
    code = """def items(): ...

ALL = [items for items in items()]
LATER = items()

class A:
    own = {items: 1 for items in items()}
    more = items

def f():
    a = [items for items in items() if items]
    b = [items for row in items() for items in row if items]
    c = sorted(a, key=lambda items: items)
    d = lambda items=items: items
    return items()
"""
    found = uses({"a.py": code}, "items")["certain"]
    lines = [int(it.partition(" ")[0].partition(":")[2]) for it in found]
    assert lines == [3, 4, 7, 8, 11, 12, 14, 15]


QUOTED = """
from typing import Annotated, List, Literal, cast

import lib

class Till: ...

def opened(till: "Till", tills: List["Till"]) -> "dict[str, Till | None]":
    found: "lib.Till" = cast("Till", till)
    mode: Literal["Till"] = "Till"
    other: Annotated[int, "Till"] = 1
    return {"Till": "Till"}
"""


def test_a_type_in_quotes_is_a_certain_use() -> None:
    found = uses({"shop.py": QUOTED, "lib.py": "class Till: ...\n"}, "shop.py::Till")
    assert found["certain"] == ["shop.py:8 type opened", "shop.py:9 type opened"]
    lines = [it.split()[0] for it in found["mention"]]
    assert lines == ["shop.py:9", "shop.py:10", "shop.py:11", "shop.py:12"]
    found = uses({"shop.py": QUOTED, "lib.py": "class Till: ...\n"}, "lib.py::Till")
    assert found["certain"] == ["shop.py:9 type opened"]


def test_the_first_method_of_a_class_is_no_use_of_a_function_of_its_name_before() -> None:
    code = "def reserve(): ...\n\nclass Shelf:\n    def reserve(self): ...\n"
    assert uses({"shop.py": code}, "shop.py::reserve")["certain"] == []
