"""The review names who relies on what a change alters: fields, results, defaults."""

import pytest

from repositories import Tree
from review_kit import Edit, Files, commit, places, review_edits

PYTHON = {
    "p/__init__.py": "",
    "p/su.py": "from dataclasses import dataclass, field\nfrom typing import NamedTuple\n\n\n"
    "@dataclass(frozen=True)\nclass Order:\n    number: int\n    paid: bool = False\n"
    "    lines: list = field(default_factory=list)\n\n\n"
    "class Place(NamedTuple):\n    row: int\n\n\n"
    "@dataclass\nclass Big(Order):\n    size: int = 1\n\n\n"
    "def find(number: int, deep: bool = False) -> list[int]:\n    return [number]\n",
    "p/use.py": "from p.su import Big, Order, Place, find\n\n\n"
    "def made():\n    return [\n        Order(1, True),\n        Order(number=1, paid=True),\n"
    "        Big(2),\n        Place(3),\n    ]\n\n\n"
    "def found():\n    find(2, True)\n    return find(1)\n",
}
GO = {
    "go.mod": "module example.org/m\n",
    "su.go": "package m\n\nfunc Find(n int) int {\n\treturn n\n}\n\nfunc Use() int {\n"
    "\tx := Find(1)\n\tFind(2)\n\treturn x\n}\n",
}
SCRIPT = {
    "su.ts": "export interface Order {\n  id: number\n  note?: string\n}\n\n"
    "export const find = (id: number, deep = false): Order => ({ id })\n",
    "use.ts": "import { find, type Order } from './su'\n\nexport const one: Order = { id: 1 }\n"
    "export function two(): Order {\n  const inner = () => ({ id: 0 })\n  return {\n"
    "    id: inner().id,\n  }\n}\nexport const many: Order[] = [{ id: 1 }, { ...one }]\n"
    "export const part: Partial<Order> = { id: 3 }\nexport const three = find(3)\n",
}
JAVA = {
    "m/Place.java": "package m;\n\nrecord Place(int row, int column) {\n"
    "    Place(int row) {\n        this(row, 0);\n    }\n}\n",
    "m/Use.java": "package m;\n\nclass Use {\n    Object made() {\n"
    "        return new Object[] {new Place(1), new Place(1, 2)};\n    }\n}\n",
}


@pytest.mark.parametrize(
    ("files", "edit", "lines"),
    [
        (PYTHON, ("p/su.py", "int\n    paid", "int\n    buyer: str\n    paid"), [7, 8]),
        (PYTHON, ("p/su.py", "    paid: bool = False", "    paid: bool"), [8]),
        (PYTHON, ("p/su.py", "    row: int\n", "    row: int\n    column: int\n"), [9]),
        (PYTHON, ("p/su.py", "    row: int\n", "    row: int\n    column: int = 0\n"), []),
        (PYTHON, ("p/su.py", "    paid: bool = False\n", ""), [7]),
        (PYTHON, ("p/su.py", "False\n    lines", "False\n    more: str = ''\n    lines"), []),
        (PYTHON, ("p/su.py", "@dataclass\nclass Big", "@dataclass(kw_only=True)\nclass Big"), []),
        (
            PYTHON,
            ("p/su.py", "@dataclass(frozen=True)\nclass O", "@dataclass(kw_only=True)\nclass O"),
            [6, 8],
        ),
        (JAVA, ("m/Place.java", "int column)", "int column, int depth)"), [5]),
    ],
)
def test_calls_that_give_the_fields_of_a_type(
    tree: Tree, files: Files, edit: Edit, lines: list[int]
) -> None:
    commit(tree, files)
    found = review_edits(tree, files, edit)
    said = [line for file, line in places(found, "broken-call") if "se." in file]
    assert said == lines


def test_a_value_without_a_required_field_in_typescript(tree: Tree) -> None:
    commit(tree, SCRIPT)
    found = review_edits(
        tree, SCRIPT, ("su.ts", "  id: number\n", "  id: number\n  paid: boolean\n")
    )
    lines = [("su.ts", 7), ("use.ts", 3), ("use.ts", 6), ("use.ts", 10)]
    assert sorted(places(found, "broken-contract")) == lines
    assert {it.level for it in found if it.rule == "broken-contract"} == {"error"}


def test_a_value_may_leave_out_an_optional_field_in_typescript(tree: Tree) -> None:
    commit(tree, SCRIPT)
    found = review_edits(
        tree, SCRIPT, ("su.ts", "  id: number\n", "  id: number\n  paid?: boolean\n")
    )
    assert places(found, "broken-contract") == []


@pytest.mark.parametrize(
    ("files", "edit", "rule", "level", "place"),
    [
        (
            PYTHON,
            ("p/su.py", "-> list[int]", "-> list[int] | None"),
            "changed-result",
            "warning",
            ("p/use.py", 15),
        ),
        (
            PYTHON,
            ("p/su.py", "-> list[int]", "-> list[str]"),
            "changed-result",
            "note",
            ("p/su.py", 21),
        ),
        (
            PYTHON,
            ("p/su.py", "deep: bool = False", "deep: bool = True"),
            "changed-default",
            "warning",
            ("p/su.py", 21),
        ),
        (
            GO,
            ("su.go", "int) int {\n\treturn n", "int) (int, error) {\n\treturn n, nil"),
            "broken-call",
            "error",
            ("su.go", 8),
        ),
        (
            SCRIPT,
            ("su.ts", "): Order =>", "): Promise<Order> =>"),
            "changed-result",
            "warning",
            ("use.ts", 12),
        ),
        (
            SCRIPT,
            ("su.ts", "deep = false", "deep = true"),
            "changed-default",
            "warning",
            ("su.ts", 6),
        ),
    ],
)
def test_callers_of_another_result_or_default(
    tree: Tree, files: Files, edit: Edit, rule: str, level: str, place: tuple[str, int]
) -> None:
    commit(tree, files)
    found = review_edits(tree, files, edit)
    assert [(it.level, it.file, it.line) for it in found if it.rule == rule] == [(level, *place)]


@pytest.mark.parametrize(
    "edit",
    [
        ("p/su.py", "-> list[int]", '-> "list[int]"'),
        ("p/su.py", "number: int, deep", "number: int, wide: bool = True, deep"),
        ("p/use.py", "return find(1)", "return [find(1)]"),
    ],
)
def test_a_change_that_callers_do_not_notice(tree: Tree, edit: Edit) -> None:
    commit(tree, PYTHON)
    found = review_edits(tree, PYTHON, edit)
    assert places(found, "changed-result", "changed-default") == []


EXCEPTION = {
    "p/__init__.py": "",
    "p/err.py": "class Failed(Exception):\n    def __init__(self, text, code=1):\n"
    "        super().__init__(text)\n\n\ndef run():\n    raise Failed('a')\n",
}


def test_the_constructor_of_an_exception(tree: Tree) -> None:
    commit(tree, EXCEPTION)
    found = review_edits(tree, EXCEPTION, ("p/err.py", "code=1", "code"))
    assert places(found, "broken-call") == [("p/err.py", 7)]


LIKELY = {
    "m.py": "class DataSource:\n    def sync(self):\n        return 1\n\n\n"
    "class Other:\n    def sync(self):\n        return 2\n",
    "use.py": "def run(all, data_source, datasource, other):\n    for self_source in all:\n"
    "        self_source.sync()\n    other.sync()\n    data_source.sync()\n"
    "    datasource.sync(1, 2, 3)\n",
}
HANDED_PYTHON = {
    "p.py": "from functools import partial\n\n\ndef double(a):\n    return a\n\n\n"
    "def all(given):\n    same = double\n    part = partial(double, 1)\n"
    "    return same, part, map(double, given), sorted(given, key=double)\n",
}
HANDED_SCRIPT = {
    "a.ts": "export function double(a: number) {\n  return a\n}\n",
    "b.ts": "import { double } from './a'\n\nexport const all = [1].map(double)\n"
    "export { double }\n",
}
HANDED_GO = {
    "go.mod": "module example.org/m\n",
    "a.go": "package m\n\nfunc Double(a int) int { return a }\n\n"
    "func each(f func(int) int) int { return f(1) }\n\n"
    "func Use() int {\n\treturn each(Double)\n}\n",
}
HANDED_JAVA = {
    "m/A.java": "package m;\n\nclass A {\n    static String show(int a) {\n"
    "        return null;\n    }\n}\n",
    "m/B.java": "package m;\n\nclass B {\n    Object all(java.util.Optional<Integer> a) {\n"
    "        return a.map(A::show).orElse(null);\n    }\n}\n",
}


@pytest.mark.parametrize(
    ("files", "edit", "found"),
    [
        (LIKELY, ("m.py", "def sync(self)", "def sync(self, to)"), [("use.py", 5)]),
        (LIKELY, ("m.py", "def sync(self)", "def sync(self, to=1)"), []),
        (HANDED_PYTHON, ("p.py", "double(a)", "double(a, b)"), [("p.py", 11)]),
        (HANDED_PYTHON, ("p.py", "double(a)", "double(a, b=1)"), []),
        (HANDED_SCRIPT, ("a.ts", "a: number", "a: number, b: string"), [("b.ts", 3)]),
        (HANDED_SCRIPT, ("a.ts", "a: number", "a: number, b?: string"), []),
        (HANDED_GO, ("a.go", "Double(a int)", "Double(a, b int)"), [("a.go", 8)]),
        (HANDED_JAVA, ("m/A.java", "int a", "int a, int b"), [("m/B.java", 5)]),
        (
            HANDED_JAVA,
            (
                "m/A.java",
                "    static",
                "    static String show(int a, int b) { return null; }\n    static",
            ),
            [],
        ),
    ],
)
def test_what_hardly_fits_a_function_any_more(
    tree: Tree, files: Files, edit: Edit, found: list[tuple[str, int]]
) -> None:
    commit(tree, files)
    said = [it for it in review_edits(tree, files, edit) if it.rule == "broken-call"]
    assert [(it.file, it.line) for it in said] == found
    assert {it.level for it in said} <= {"warning"}
