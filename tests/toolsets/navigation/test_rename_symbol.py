from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError, FileChanged, InvalidParams

LIBRARY = """\
def load(path):
    \"\"\"Load it; load() may fail.\"\"\"
    return path


class Base:
    def feed(self):
        return load(1)


class Parser(Base):
    def feed(self):
        return 2

    def reset(self):
        return self.reset
"""
MAIN = """\
from lib import load, Parser


def run(other):
    parser = Parser()
    parser.reset()
    other.reset()
    load = None
    return load


def again():
    return load(2), "load"
"""


@pytest.fixture
def bench(workspace: Path) -> Workbench:
    (workspace / "lib.py").write_text(LIBRARY)
    (workspace / "main.py").write_text(MAIN)
    return Workbench.open(workspace, allow=("write",))


def rename(bench: Workbench, symbol: str, new_name: str, **given: object) -> dict[str, object]:
    found = bench.call("rename_symbol", symbol=symbol, new_name=new_name, **given)
    return found.model_dump()


def test_certain_uses_are_renamed_and_the_others_are_listed(
    bench: Workbench, workspace: Path
) -> None:
    shown = rename(bench, "lib.py::Parser.reset", "restart")
    assert not shown["is_written"]
    done = rename(bench, "lib.py::Parser.reset", "restart", apply=shown["digest"])
    assert done["is_written"]
    library, main = (workspace / "lib.py").read_text(), (workspace / "main.py").read_text()
    assert "    def restart(self):\n        return self.restart\n" in library
    assert "    parser.restart()\n    other.reset()\n" in main
    left = shown["undecided"]
    assert isinstance(left, list)
    assert [(it["certainty"], it["line"]) for it in left] == [("possible", 7)]


def test_a_local_variable_of_the_same_name_is_left_alone(bench: Workbench, workspace: Path) -> None:
    shown = rename(bench, "lib.py::load", "read")
    rename(bench, "lib.py::load", "read", apply=shown["digest"])
    main = (workspace / "main.py").read_text()
    assert "from lib import read, Parser" in main
    assert "    load = None\n    return load\n" in main


def test_on_a_line_that_also_mentions_the_name_the_mention_is_left_to_the_caller(
    bench: Workbench, workspace: Path
) -> None:
    shown = rename(bench, "lib.py::load", "read")
    rename(bench, "lib.py::load", "read", apply=shown["digest"])
    assert 'return read(2), "load"' in (workspace / "main.py").read_text()
    left = shown["undecided"]
    assert isinstance(left, list)
    assert ("main.py", 13) in {(it["file"], it["line"]) for it in left}


@pytest.mark.parametrize(
    ("symbol", "new_name", "message"),
    [
        ("lib.py::load", "2x", "cannot be a name"),
        ("lib.py::load", "class", "is a keyword of python"),
        ("lib.py::load", "load", "called 'load' already"),
        ("lib.py::load", "Parser", "has the name Parser already"),
        ("lib.py::Parser.feed", "eat", "override or be overridden"),
        ("feed", "eat", "2 symbols are called feed"),
        ("nothing", "eat", "No symbol is called"),
    ],
)
def test_a_rename_that_would_break_something_is_refused(
    bench: Workbench, workspace: Path, symbol: str, new_name: str, message: str
) -> None:
    with pytest.raises(InvalidParams, match=message) as caught:
        rename(bench, symbol, new_name)
    assert caught.value.suggestion
    assert (workspace / "lib.py").read_text() == LIBRARY


def test_a_file_that_changed_since_the_preview_stops_the_rename(
    bench: Workbench, workspace: Path
) -> None:
    shown = rename(bench, "lib.py::Parser.reset", "restart")
    (workspace / "main.py").write_text(MAIN + "# more\n")
    with pytest.raises(FileChanged):
        rename(bench, "lib.py::Parser.reset", "restart", apply=shown["digest"])
    assert (workspace / "lib.py").read_text() == LIBRARY


def test_renaming_needs_the_permission_to_write(workspace: Path) -> None:
    (workspace / "lib.py").write_text(LIBRARY)
    with pytest.raises(BenchpinError, match="write"):
        rename(Workbench.open(workspace), "lib.py::load", "read")


JAVA = """\
package p;

public class Till {
  public Till() {}

  public Till(int size) { this(); }

  void open() {}

  void open(int times) { open(); }

  static Till make() { return new Till(1); }
}
"""
RUST = """\
pub struct Till {
    size: u32,
}

impl Till {
    pub fn new(size: u32) -> Self {
        Till { size }
    }

    fn grow(&self) -> u32 {
        self.size
    }
}

impl Clone for Till {
    fn clone(&self) -> Self {
        Till::new(self.size)
    }
}
"""


def test_a_class_of_java_is_renamed_with_its_constructors(workspace: Path) -> None:
    (workspace / "Till.java").write_text(JAVA)
    shown = rename(Workbench.open(workspace, allow=("write",)), "Till.java::Till", "Drawer")
    assert (shown["places"], shown["undecided_total"]) == (5, 0)
    assert shown["note"] == "Rename the file as well, to Drawer.java."


def test_overloads_of_java_are_renamed_together(workspace: Path) -> None:
    (workspace / "Till.java").write_text(JAVA)
    shown = rename(Workbench.open(workspace, allow=("write",)), "Till.open", "unlock")
    assert (shown["places"], shown["undecided_total"]) == (3, 0)


def test_a_type_of_rust_is_renamed_and_what_is_a_variable_too_is_left_to_decide(
    workspace: Path,
) -> None:
    (workspace / "lib.rs").write_text(RUST)
    bench = Workbench.open(workspace, allow=("write",))
    assert rename(bench, "lib.rs::Till", "Drawer")["places"] == 5
    shown = rename(bench, "Till.size", "width")
    assert (shown["places"], shown["undecided_total"]) == (3, 1)
    with pytest.raises(InvalidParams, match="implements a trait"):
        rename(bench, "Till.clone", "copy")


@pytest.mark.parametrize(
    ("files", "symbol", "expected"),
    [
        (
            {
                "help.js": "export default function help() {}\n",
                "b.js": "import help from './help';\nhelp();\n",
                "c.js": "import other from './help';\nother();\n",
            },
            "help.js::help",
            {
                "help.js": "export default function new_() {}\n",
                "b.js": "import new_ from './help';\nnew_();\n",
                "c.js": "import other from './help';\nother();\n",
            },
        ),
        (
            {"a.ts": "function help() {}\nuse({ help });\nuse({ a, help }, help);\n"},
            "help",
            {"a.ts": "function new_() {}\nuse({ help: new_ });\nuse({ a, help: new_ }, new_);\n"},
        ),
        (
            {"a.tsx": "function help() {}\nconst a = <A b={help}>{help}</A>;\nexport { help };\n"},
            "help",
            {"a.tsx": "function new_() {}\nconst a = <A b={new_}>{new_}</A>;\nexport { new_ };\n"},
        ),
        (
            {
                "help.py": '__all__ = ["help", "other"]\n\ndef help(): ...\n',
                "b.py": "from help import (\n    help as h,\n    help,\n)\nd = {help: 'help'}\n",
            },
            "help.py::help",
            {
                "help.py": '__all__ = ["new_", "other"]\n\ndef new_(): ...\n',
                "b.py": "from help import (\n    new_ as h,\n    new_,\n)\nd = {new_: 'help'}\n",
            },
        ),
        (
            {
                "a.js": "exports.help = help;\nfunction help() {}\n",
                "b.cjs": "const {\n  other,\n  help,\n} = require('./a.js');\nhelp();\n",
            },
            "a.js::help",
            {
                "a.js": "exports.new_ = new_;\nfunction new_() {}\n",
                "b.cjs": "const {\n  other,\n  new_,\n} = require('./a.js');\nnew_();\n",
            },
        ),
        (
            {"a.ts": "const { help, more } = make();\nhelp();\n"},
            "a.ts::help",
            {"a.ts": "const { help: new_, more } = make();\nnew_();\n"},
        ),
        (  # imports of what is in the type: they are not among the tokens
            {
                "lib.rs": "pub enum Kind { A, B }\nfn f(k: Kind) {\n    use crate::Kind::*;\n}\n"
                "fn g() {\n    use self::Kind::{A, B};\n    use Kind as K;\n    K::A;\n}\n"
            },
            "lib.rs::Kind",
            {
                "lib.rs": "pub enum new_ { A, B }\nfn f(k: new_) {\n    use crate::new_::*;\n}\n"
                "fn g() {\n    use self::new_::{A, B};\n    use new_ as K;\n    K::A;\n}\n"
            },
        ),
        (
            {
                "p/Shop.java": "package p;\nclass Shop {\n  static int two() { return 2; }\n}\n",
                "q/User.java": "package q;\nimport static p.Shop.two;\nimport static p.Shop.*;\n"
                "class User { int x = two(); }\n",
            },
            "Shop",
            {
                "p/Shop.java": "package p;\nclass new_ {\n  static int two() { return 2; }\n}\n",
                "q/User.java": "package q;\nimport static p.new_.two;\nimport static p.new_.*;\n"
                "class User { int x = two(); }\n",
            },
        ),
    ],
)
def test_every_certain_place_is_renamed_and_nothing_beside_it(
    workspace: Path, files: dict[str, str], symbol: str, expected: dict[str, str]
) -> None:
    for path, text in files.items():
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text(text)
    bench = Workbench.open(workspace, allow=("write",))
    rename(bench, symbol, "new_", apply=rename(bench, symbol, "new_")["digest"])
    assert {path: (workspace / path).read_text() for path in files} == expected


def test_a_method_of_go_may_be_required_by_an_interface_elsewhere(workspace: Path) -> None:
    (workspace / "a.go").write_text("package a\n\ntype T int\n\nfunc (t T) WriteHeader() {}\n")
    shown = rename(Workbench.open(workspace, allow=("write",)), "T.WriteHeader", "Head")
    assert shown["note"] == "Check that no interface outside of the workspace requires WriteHeader."


def test_a_generated_file_is_renamed_too(workspace: Path) -> None:
    (workspace / "go.mod").write_text("module shop\n\ngo 1.22\n")
    (workspace / "price.go").write_text("package shop\n\nfunc Price() int { return 1 }\n")
    made = "// Code generated by gen. DO NOT EDIT.\npackage shop\n\nvar all = Price()\n"
    (workspace / "made.go").write_text(made)
    bench = Workbench.open(workspace, allow=("write",))
    shown = rename(bench, "price.go::Price", "Cost")
    rename(bench, "price.go::Price", "Cost", apply=shown["digest"])
    assert "var all = Cost()" in (workspace / "made.go").read_text()


def test_a_variable_of_types_is_renamed_in_quotes(workspace: Path) -> None:
    code = 'import typing as t\n\nR = t.TypeVar("R")\n\ndef f(x: "list[R]") -> R:\n'
    (workspace / "a.py").write_text(code + '    return t.cast("dict[str, R]", x)\n')
    bench = Workbench.open(workspace, allow=("write",))
    assert rename(bench, "a.py::R", "Result")["places"] == 5
    bench.close()


def test_types_in_quotes_are_renamed(workspace: Path) -> None:
    code = 'class Till: ...\n\ndef f(x: "Till", y: list["None | Till"]) -> "Till":\n    return x\n'
    (workspace / "till.py").write_text(code)
    bench = Workbench.open(workspace, allow=("write",))
    shown = rename(bench, "till.py::Till", "Drawer")
    rename(bench, "till.py::Till", "Drawer", apply=shown["digest"])
    assert (workspace / "till.py").read_text() == code.replace("Till", "Drawer")
    assert not shown["undecided"]


@pytest.mark.parametrize(
    ("exported", "renamed"),
    [
        ("module.exports = { width, depth: 1 }", "module.exports = { breadth, depth: 1 }"),
        ("exports.width = width", "exports.breadth = breadth"),
        ("module.exports.width = width", "module.exports.breadth = breadth"),
    ],
)
def test_what_a_script_exports_and_requires_is_renamed_together(
    workspace: Path, exported: str, renamed: str
) -> None:
    (workspace / "lib.js").write_text(f"function width(x) {{ return x }}\n{exported}\n")
    use = (
        "const { width } = require('./lib')\n"
        "const { width: other } = require('./lib')\n"
        "const lib = require('./lib')\n"
        "console.log(width(1), other(2), lib.width(3))\n"
    )
    (workspace / "use.js").write_text(use)
    bench = Workbench.open(workspace, allow=("write",))
    # By its bare name: what requires it is no symbol of its own.
    shown = rename(bench, "width", "breadth")
    rename(bench, "width", "breadth", apply=shown["digest"])
    library = (workspace / "lib.js").read_text()
    assert library == f"function breadth(x) {{ return x }}\n{renamed}\n"
    assert (workspace / "use.js").read_text() == use.replace("width", "breadth")
    bench.close()


def test_a_key_of_another_object_keeps_its_name(workspace: Path) -> None:
    (workspace / "a.js").write_text("function width(x) {}\nconst box = { width, depth: 1 }\n")
    bench = Workbench.open(workspace, allow=("write",))
    shown = rename(bench, "width", "breadth")
    rename(bench, "width", "breadth", apply=shown["digest"])
    assert "{ width: breadth, depth: 1 }" in (workspace / "a.js").read_text()
    bench.close()


@pytest.mark.parametrize("call", ["TypeVar({0})", "typing.NewType({0}, int)"])
def test_a_type_that_says_its_own_name_says_the_new_one(workspace: Path, call: str) -> None:
    text = "import typing\nfrom typing import TypeVar\n\nT = " + call + "\nprint('T', [T])\n"
    (workspace / "a.py").write_text(text.format('"T"'))
    bench = Workbench.open(workspace, allow=("write",))
    shown = rename(bench, "a.py::T", "Item")
    rename(bench, "a.py::T", "Item", apply=shown["digest"])
    expected = text.replace("T = ", "Item = ").replace("[T]", "[Item]").format('"Item"')
    assert (workspace / "a.py").read_text() == expected
    bench.close()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/main.rs", "fn main() {}\n"),
        ("main.go", "package main\n\nfunc main() {}\n"),
        ("a_test.go", "package a\n\nfunc TestMain(m *testing.M) {}\n"),
    ],
)
def test_where_programs_start_is_not_renamed(workspace: Path, path: str, text: str) -> None:
    (workspace / path).parent.mkdir(exist_ok=True)
    (workspace / path).write_text(text)
    bench = Workbench.open(workspace, allow=("write",))
    name = text.partition("(")[0].rpartition(" ")[2]
    with pytest.raises(InvalidParams, match="Programs start at") as caught:
        rename(bench, f"{path}::{name}", "begin")
    assert caught.value.suggestion
    bench.close()
