"""The review says which tests check less, which checks are silenced, and which names are lost."""

from pathlib import Path

import pytest

from benchpin.app import Workbench
from repositories import Tree
from review_kit import commit, review_edits

PYTHON = (
    "import io\nimport pytest\n\n\ndef test_total(desk):\n    assert desk.total == [1, 2]\n"
    "    assert desk.fee == pytest.approx(0.5, abs=0.001)\n    assert io\n\n\n"
    "def test_other(desk):\n    assert desk.open\n\n\n"
    "class TestDesk:\n    def test_size(self, desk):\n        assert desk.size\n"
)
GO = (
    'package a\n\nimport (\n\t"math"\n\t"testing"\n)\n\nfunc TestFee(t *testing.T) {\n'
    "\tif math.Abs(fee()-1) > 0.001 {\n\t\tt.Error(1)\n\t}\n}\n\n"
    "func TestName(t *testing.T) {\n\tif got != want {\n\t\tt.Error(2)\n\t}\n}\n"
)
JAVA = (
    "class FeeTest {\n    @Test\n    void costs() {\n        assertEquals(2, fee(1));\n"
    "        assertEquals(0.5, fee(2), 0.001);\n    }\n}\n"
)
SCRIPT = (
    'it("costs", () => {\n  expect(fee(1)).toEqual([2])\n  expect(fee(2)).toBeCloseTo(0.5, 5)\n})\n'
)
RUST = (
    "#[test]\nfn costs() {\n    assert_eq!(fee(1), 2);\n"
    "    assert!((fee(2) - 1.0).abs() < 0.001);\n}\n"
)
FILES = {
    "tests/test_a.py": PYTHON,
    "a_test.go": GO,
    "src/test/java/FeeTest.java": JAVA,
    "web/fee.test.ts": SCRIPT,
    "tests/fee.rs": RUST,
    ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: mypy src\n"
    "      - run: pytest -q\n",
    "app.py": "class Box:\n    def __init__(self):\n        self.size = 1\n\n    def show(self):\n"
    "        return self.size\n",
}


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({name: text.encode() for name, text in FILES.items()})
    return made


def review(tree: Tree, path: str, *edits: tuple[str, str]) -> list[tuple[str, int, str]]:
    """Return the findings about a file, without notes on what no test reaches."""
    found = review_edits(tree, FILES, *((path, *it) for it in edits))
    return [(it.rule, it.line, it.message) for it in found if it.rule != "missing-test"]


@pytest.mark.parametrize(
    ("path", "old", "new", "line", "said"),
    [
        ("tests/test_a.py", "def test_other", "@pytest.mark.skip\ndef test_other", 12, "skipped"),
        ("tests/test_a.py", "    assert desk.open\n", "    desk.open\n", 11, "checks nothing"),
        ("tests/test_a.py", "desk.total == [1, 2]", "desk.total", 6, "no longer compares"),
        ("tests/test_a.py", "abs=0.001", "abs=0.1", 7, "a bigger difference"),
        ("tests/test_a.py", "def test_other", "def check_other", 11, "Removed: test_other"),
        ("a_test.go", "> 0.001", "> 2", 10, "a bigger difference"),
        ("a_test.go", "T) {\n", "T) {\n\tt.Skip()\n", 8, "skipped"),
        ("a_test.go", "got != want", "got == nil", 16, "no longer compares"),
        ("a_test.go", "got != want", "got == 0", 16, "what is expected"),
        ("tests/test_a.py", "class TestDesk", "@pytest.mark.skip\nclass TestDesk", 17, "skipped"),
        ("src/test/java/FeeTest.java", "0.001", "5", 5, "a bigger difference"),
        ("src/test/java/FeeTest.java", "(2, fee(1))", "(fee(1))", 3, ""),
        ("web/fee.test.ts", "toEqual([2])", "toBeTruthy()", 2, "no longer compares"),
        ("web/fee.test.ts", "0.5, 5)", "0.5, 1)", 3, "a bigger difference"),
        ("web/fee.test.ts", "it(", "it.skip(", 1, "skipped"),
        ("tests/fee.rs", "_eq!(fee(1), 2)", "!(fee(1) > 0)", 3, "no longer compares"),
        ("tests/fee.rs", "_eq!(fee(1), 2)", "!(fee(1) <= 2)", 3, "no longer compares"),
        ("tests/fee.rs", "_eq!(fee(1), 2)", "!(!fee(1).is_empty())", 3, "no longer compares"),
        ("tests/test_a.py", "desk.total == [1, 2]", "1 in desk.total", 6, "asks for less"),
        ("tests/test_a.py", "desk.total == [1, 2]", "desk.total >= [1]", 6, "no longer compares"),
        ("web/fee.test.ts", "toEqual([2])", "toContain(2)", 2, "asks for less"),
        ("src/test/java/FeeTest.java", "Equals(2, fee(1))", "True(fee(1) > 0)", 4, "whole value"),
        (
            "tests/fee.rs",
            RUST[RUST.index(" {") : -2],
            " {\n    assert!(fee(1) <= 2);\n",
            3,
            "no longer compares",
        ),
        ("tests/fee.rs", "#[test]", "#[test]\n#[ignore]", 3, "skipped"),
        ("tests/fee.rs", "    assert_eq!(fee(1), 2);\n", "", 2, "checks less"),
    ],
)
def test_a_test_that_checks_less_is_named(
    tree: Tree, path: str, old: str, new: str, line: int, said: str
) -> None:
    found = [it for it in review(tree, path, (old, new)) if it[0] == "weakened-test"]
    assert [it[1] for it in found] == ([line] if said else [])
    assert all(said in it[2] for it in found)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("tests/test_a.py", "[1, 2]", "[1, 2, 3]"),
        ("tests/test_a.py", "approx(0.5,", "approx(0.7,"),
        ("tests/test_a.py", "abs=0.001", "abs=0.0001"),
        ("web/fee.test.ts", "toEqual([2])", "toEqual([5])"),
        ("src/test/java/FeeTest.java", "assertEquals(2,", "assertEquals(7,"),
    ],
)
def test_another_value_or_a_smaller_difference_is_no_weaker_test(
    tree: Tree, path: str, old: str, new: str
) -> None:
    assert review(tree, path, (old, new)) == []


SAME_TWICE = (
    "class SizeTest {\n    @Test\n    void sizes() {\n        String a = text(1);\n"
    "        assertNotNull(a);\n        a = text(2);\n        {}\n    }\n}\n"
)


def test_a_weaker_check_that_reads_like_one_above_is_named(workspace: Path) -> None:
    before = {"src/test/java/SizeTest.java": SAME_TWICE.replace("{}\n", "assertEquals(a, 2);\n")}
    made = Tree(workspace)
    made.commit({name: text.encode() for name, text in before.items()})
    edit = ("src/test/java/SizeTest.java", "assertEquals(a, 2)", "assertNotNull(a)")
    [found] = review_edits(made, before, edit)
    assert (found.line, found.rule) == (7, "weakened-test")
    assert "no longer compares" in found.message


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        (
            "src/tests/sort.rs",
            'fn same(a: &[u8], b: &[u8]) {\n    assert_eq!(a, b, "ids");\n}\n',
            "a, b,",
            "a.len(), b.len(),",
        ),
        (
            "tests/desk.py",
            "def check_same(a, b):\n    assert a == b\n",
            "a == b",
            "len(a) == len(b)",
        ),
        (
            "web/desk.test.ts",
            "function same(a: string, b: string) {\n  expect(a).toEqual(b)\n}\n",
            "expect(a).toEqual(b)",
            "expect(a.length).toEqual(b.length)",
        ),
    ],
)
def test_a_helper_of_tests_that_compares_only_sizes_is_named(
    workspace: Path, path: str, text: str, old: str, new: str
) -> None:
    made = Tree(workspace)
    made.commit({path: text.encode()})
    found = review_edits(made, {path: text}, (path, old, new))
    [weaker] = [it for it in found if it.rule == "weakened-test"]
    assert (weaker.line, "compares only sizes" in weaker.message) == (2, True)


def test_a_test_that_is_renamed_is_not_gone(tree: Tree) -> None:
    assert review(tree, "tests/test_a.py", ("def test_total", "def test_the_total")) == []


def test_a_step_of_ci_that_is_gone_and_one_with_other_options(tree: Tree) -> None:
    path = ".github/workflows/ci.yml"
    found = review(tree, path, ("      - run: mypy src\n", ""), ("pytest -q", "pytest -q -x"))
    assert found == [("silenced-check", 4, "No step runs `mypy src` any more")]


def test_a_silenced_check_is_a_note_unless_the_text_is_quoted(tree: Tree) -> None:
    found = review(tree, "app.py", ("self.size = 1", "self.size = '1'  # type: ignore"))
    assert found == [("silenced-check", 3, "A checker is silenced here: # type: ignore")]
    assert review(tree, "app.py", ("self.size = 1", 'self.size = "# type: ignore"')) == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("return self.size", "return sizes", [("broken-reference", 6)]),
        ("return self.size", "return self.sizes", [("broken-reference", 6)]),
        (
            "        self.size = 1\n",
            "        self.size = 1\n        self.sum += 1\n",
            [("broken-reference", 4)],
        ),
        ("class Box:", "import json\n\n\nclass Box:", [("unused-code", 1)]),
        ("class Box:", "import json  # noqa\n\n\nclass Box:", [("silenced-check", 1)]),
        ("class Box:", "from app.none import x\n\n\nclass Box:\n    y = x\n", []),
        ("return self.size", "return [size for size in (self.size, 2)]", []),
        ("return self.size", "return (lambda size: size)(self.size)", []),
    ],
)
def test_names_of_new_code_that_nothing_defines(
    tree: Tree, old: str, new: str, found: list[tuple[str, int]]
) -> None:
    said = [(rule, line) for rule, line, _ in review(tree, "app.py", (old, new))]
    assert [it for it in said if it[0] != "broken-reference" or found] == found


def test_a_deleted_import_that_is_still_used(tree: Tree) -> None:
    found = review(tree, "tests/test_a.py", ("import io\n", ""))
    assert found == [("broken-reference", 7, "io is used here, and its import is gone")]


def test_names_in_types_of_functions_and_of_the_language_are_not_undefined(tree: Tree) -> None:
    code = (
        "package a\n\nfunc Run(keep func(value string) bool) (count int, err error) {\n"
        "\tcount = 1\n\treturn count, err\n}\n"
    )
    tree.write({"run.go": code.encode()})
    bench = Workbench.open(tree.root)
    found = bench.call("review_change")
    bench.close()
    assert found.model_dump()["is_clean"]


def test_a_function_that_a_macro_of_rust_makes_is_not_missing(tree: Tree) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "m"\n',
        "src/lib.rs": "pub mod made;\npub mod user;\n",
        "src/made.rs": "macro_rules! make { ($n:ident) => { pub fn $n() {} } }\nmake!(query);\n",
        "src/user.rs": "use crate::made;\n\npub fn run() {}\n",
    }
    commit(tree, files)
    assert review_edits(tree, files, ("src/user.rs", "{}", "{ made::query() }")) == []
