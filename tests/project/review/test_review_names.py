"""The review looks up what a change removes by what it is, and compares calls whole."""

import pytest

from benchpin.app import Workbench
from repositories import Tree
from review_kit import commit, review_edits

Found = list[tuple[str, str, int]]
PYTHON = {
    "p/__init__.py": "",
    "p/su.py": "LIMIT = 3\n\n\ndef f():\n    return 1\n",
    "p/other.py": "def f():\n    return 2\n",
    "p/box.py": "class Box:\n    size: int = 0\n\n    def open(self):\n        return self.size\n",
    "p/use.py": (
        "import p.su\nfrom p import su as tools\nfrom p.box import Box\n\n\ndef run(box: Box):\n"
        "    p.su.f()\n    tools.f()\n    print(tools.LIMIT, box.size)\n    return box.open()\n"
    ),
}
SCRIPT = {
    "su.ts": "export const LIMIT = 3\nexport function f() {\n  return 1\n}\n",
    "other.ts": "export function f() {\n  return 2\n}\n",
    "use.ts": "import * as su from './su'\n\nexport const all = [su.f(), su.LIMIT]\n",
}
GO = {
    "go.mod": "module example.org/m\n",
    "su/su.go": "package su\n\nconst Limit = 3\n\ntype Box struct{ Size int }\n\n"
    "func (b *Box) Open() int { return 1 }\n\nfunc F() int { return Limit }\n",
    "other/other.go": "package other\n\nfunc F() int { return 2 }\n",
    "use.go": 'package m\n\nimport "example.org/m/su"\n\n'
    "func Run(b *su.Box) int {\n\tx := su.F()\n\treturn x + b.Open() +\n\t\tb.Size + su.Limit\n}\n",
}
RUST = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": "pub mod su;\npub mod other;\npub mod using;\n",
    "src/su.rs": "pub const LIMIT: u32 = 3;\npub fn f() -> u32 {\n    1\n}\n",
    "src/other.rs": "pub fn f() -> u32 {\n    2\n}\n",
    "src/using.rs": "use crate::su;\n\npub fn run() -> u32 {\n    su::f() + su::LIMIT\n}\n",
}
JAVA = {
    "m/Su.java": "package m;\n\nclass Su {\n    int limit;\n    static int f() {\n"
    "        return 1;\n    }\n    boolean isPresent(String a) {\n        return true;\n    }\n}\n",
    "m/Other.java": "package m;\n\nclass Other {\n    static int f() {\n"
    "        return 2;\n    }\n}\n",
    "m/Use.java": "package m;\n\nclass Use {\n    int run(Su su, java.util.Optional<String> o) {\n"
    "        o.isPresent();\n        su.isPresent(null);\n        return Su.f() + su.limit;\n"
    "    }\n}\n",
}


def review(tree: Tree, files: dict[str, str], path: str, *edits: tuple[str, str]) -> Found:
    """Return the findings about edits of one file, as rule, file and line."""
    commit(tree, files)
    found = review_edits(tree, files, *((path, *it) for it in edits))
    return [(it.rule, it.file, it.line) for it in found if it.level != "note"]


def broken(found: Found) -> list[tuple[str, int]]:
    return [(file, line) for rule, file, line in found if rule == "broken-reference"]


@pytest.mark.parametrize(
    ("files", "path", "old", "new", "places"),
    [
        (PYTHON, "p/su.py", "def f(", "def g(", [("p/use.py", 7), ("p/use.py", 8)]),
        (PYTHON, "p/su.py", "LIMIT = 3\n", "", [("p/use.py", 9)]),
        (PYTHON, "p/box.py", "def open(", "def show(", [("p/use.py", 10)]),
        (PYTHON, "p/box.py", "    size: int = 0\n", "", [("p/box.py", 4), ("p/use.py", 9)]),
        (SCRIPT, "su.ts", "function f(", "function g(", [("use.ts", 3)]),
        (SCRIPT, "su.ts", "export const LIMIT = 3\n", "", [("use.ts", 3)]),
        (GO, "su/su.go", "func F(", "func G(", [("use.go", 6)]),
        (GO, "su/su.go", "Open() int {", "Show() int {", [("use.go", 7)]),
        (GO, "su/su.go", "Size int", "Size2 int", [("use.go", 8)]),
        (RUST, "src/su.rs", "fn f(", "fn g(", [("src/using.rs", 4)]),
        (RUST, "src/su.rs", "pub const LIMIT: u32 = 3;\n", "", [("src/using.rs", 4)]),
        (JAVA, "m/Su.java", "int f(", "int g(", [("m/Use.java", 7)]),
        (JAVA, "m/Su.java", "    int limit;\n", "", [("m/Use.java", 7)]),
        # A method of the same name of a class of the JDK is no use of it.
        (JAVA, "m/Su.java", "isPresent(", "isThere(", [("m/Use.java", 6)]),
    ],
)
def test_what_is_gone_is_found_where_it_is_used_also_with_another_of_its_name(
    tree: Tree, files: dict[str, str], path: str, old: str, new: str, places: list[tuple[str, int]]
) -> None:
    assert sorted(broken(review(tree, files, path, (old, new)))) == places


def test_what_moved_and_is_imported_again_is_not_gone(tree: Tree) -> None:
    moved = "from p.other import f\n\nLIMIT = 3\n"
    assert review(tree, PYTHON, "p/su.py", (PYTHON["p/su.py"], moved)) == []


def test_a_removed_method_that_a_base_elsewhere_may_have_is_no_error(tree: Tree) -> None:
    view = (
        "from web import View\n\n\nclass Page(View):\n    def get_rows(self):\n        return 1\n\n"
        "    def show(self):\n        return self.get_rows()\n"
    )
    tree.commit({"page.py": view.encode()})
    tree.write(
        {"page.py": view.replace("    def get_rows(self):\n        return 1\n\n", "").encode()}
    )
    bench = Workbench.open(tree.root)
    found = bench.call("review_change").model_dump()
    bench.close()
    assert found["is_clean"]


CALLS = {
    "m/Base.java": "package m;\n\nclass Base {\n    void put(int a) {}\n}\n",
    "m/Su.java": "package m;\n\nclass Su extends Base {\n    Su(int a) {}\n"
    "    void put(int a, int b) {}\n    static int sum(int... all) {\n"
    "        return 0;\n    }\n}\n",
    "m/Use.java": "package m;\n\nclass Use {\n    void run(Su su) {\n        su.put(1);\n"
    "        su.put(1, 2);\n        Su.sum(1, 2, 3);\n        new Su(1);\n    }\n}\n",
}


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("su.put(1, 2)", "su.put(1, 2, 3)", 6),
        ("new Su(1)", "new Su(1, 2)", 8),
        ("su.put(1);", "su.put();", 5),
    ],
)
def test_a_call_of_java_that_fits_no_overload(tree: Tree, old: str, new: str, line: int) -> None:
    assert review(tree, CALLS, "m/Use.java", (old, new)) == [("broken-call", "m/Use.java", line)]


def test_a_parameter_more_of_a_method_and_a_constructor_of_java(tree: Tree) -> None:
    found = review(tree, CALLS, "m/Su.java", ("Su(int a)", "Su(int a, int b)"))
    assert found == [("broken-call", "m/Use.java", 8)]


def test_any_number_of_arguments_fits_variable_parameters_of_java(tree: Tree) -> None:
    assert review(tree, CALLS, "m/Use.java", ("sum(1, 2, 3)", "sum()")) == []


def test_an_associated_function_of_rust_is_compared_without_a_receiver(tree: Tree) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/lib.rs": "pub struct A;\n\nimpl A {\n    pub fn new(x: u8) -> A {\n        A\n    }\n"
        "    pub fn show(&self, x: u8) {}\n}\n\npub fn run(a: A) {\n    A::new(1);\n"
        "    A::show(&a, 1);\n}\n",
    }
    found = review(tree, files, "src/lib.rs", ("new(x: u8)", "new(x: u8, y: u8)"))
    assert found == [("broken-call", "src/lib.rs", 11)]


SWAPS = {
    "a.py": "def find(books: list, isbn: str):\n    return isbn in books\n\n\n"
    "def run(books: list, isbn: str):\n    return find(books, isbn)\n",
    "a.go": "package a\n\nfunc find(kind Kind, height int) int { return height }\n\n"
    "type Kind int\n\nfunc run(top int, k Kind) int { return find(k, top) }\n",
}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.py", "find(books, isbn)\n", "find(isbn, books)\n"),
        ("a.go", "find(k, top)", "find(top, k)"),
    ],
)
def test_arguments_whose_names_or_types_cross(tree: Tree, path: str, old: str, new: str) -> None:
    found = review(tree, SWAPS, path, (old, new))
    assert [it[0] for it in found] == ["broken-call"]


def test_results_of_a_call_of_go_may_be_all_arguments(tree: Tree) -> None:
    files = {
        "a.go": "package a\n\nfunc pair() (int, int) { return 1, 2 }\n\n"
        "func Sum(a int, b int) int { return a + b }\n\nfunc Run() int { return Sum(1, 2) }\n"
    }
    assert review(tree, files, "a.go", ("Sum(1, 2)", "Sum(pair())")) == []
