"""The review names the types that lack what an interface demands since a change."""

import pytest

from benchpin.app import Workbench
from benchpin.project.review import ReviewFinding
from benchpin.toolsets.navigation.review_change import ChangeReview
from repositories import Tree
from review_kit import Edit, Files, commit, review_edits

# Level, file, line.
Found = list[tuple[str, str, int]]

GO = {
    "go.mod": "module example.org/m\n",
    "su.go": "package m\n\ntype Store interface {\n\tLoad() int\n\tSave(x int)\n}\n\n"
    "type Disk struct{}\n\nfunc (d *Disk) Load() int { return 1 }\n"
    "func (d *Disk) Save(x int) {}\n\n"
    "type Wrap struct{ Store }\n",
}
JAVA = {
    "m/Store.java": "package m;\n\ninterface Store {\n    int load();\n}\n",
    "m/Disk.java": "package m;\n\nclass Disk implements Store {\n"
    "    public int load() {\n        return 1;\n    }\n}\n",
    "m/Half.java": "package m;\n\nabstract class Half implements Store {\n}\n",
    "m/Whole.java": "package m;\n\nclass Whole extends Half {\n"
    "    public int load() {\n        return 1;\n    }\n}\n",
}
PYTHON = {
    "p/__init__.py": "",
    "p/su.py": "from abc import ABC, abstractmethod\n\n\nclass Store(ABC):\n"
    "    @abstractmethod\n    def load(self): ...\n\n    def close(self):\n        return 1\n",
    "p/disk.py": "from p.su import Store\n\n\nclass Disk(Store):\n    def load(self):\n"
    "        return 1\n\n\nclass Fast(Disk):\n    pass\n",
}
RUST = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": "pub trait Store {\n    fn load(&self) -> u32;\n}\n\n#[derive(Debug)]\n"
    "pub struct Disk;\n\nimpl Store for Disk {\n    fn load(&self) -> u32 {\n        1\n    }\n}\n",
}
TYPESCRIPT = {
    "su.ts": "export interface Store {\n  load(): number;\n}\n\nexport abstract class Base {\n"
    "  close(): number {\n    return 1;\n  }\n}\n",
    "disk.ts": "import { Base, Store } from './su';\n\nexport class Disk implements Store {\n"
    "  load(): number {\n    return 1;\n  }\n}\n\nexport class Tape extends Base {}\n",
}


def findings(tree: Tree, files: Files, *edits: Edit) -> list[ReviewFinding]:
    """Return what is said about the contracts after edits of files."""
    commit(tree, files)
    return [it for it in review_edits(tree, files, *edits) if it.rule == "broken-contract"]


def contracts(tree: Tree, files: Files, *edits: tuple[str, str, str]) -> Found:
    return [(it.level, it.file, it.line) for it in findings(tree, files, *edits)]


@pytest.mark.parametrize(
    ("files", "path", "old", "new", "place"),
    [
        (GO, "su.go", "Load() int\n", "Load() int\n\tDrop()\n", ("su.go", 9)),
        (JAVA, "m/Store.java", "load();\n", "load();\n    int drop();\n", ("m/Disk.java", 3)),
        (
            PYTHON,
            "p/su.py",
            "    def close",
            "    @abstractmethod\n    def drop(self): ...\n\n    def close",
            ("p/disk.py", 4),
        ),
        (
            PYTHON,
            "p/su.py",
            "    def close",
            "    @abstractmethod\n    def close",
            ("p/disk.py", 4),
        ),
        (RUST, "src/lib.rs", "u32;\n}", "u32;\n    fn drop(&self);\n}", ("src/lib.rs", 7)),
        (
            TYPESCRIPT,
            "su.ts",
            "load(): number;",
            "load(): number;\n  drop(): void;",
            ("disk.ts", 3),
        ),
        (
            TYPESCRIPT,
            "su.ts",
            "  close(): number {\n    return 1;\n  }",
            "  abstract close(): number;",
            ("disk.ts", 9),
        ),
    ],
)
def test_a_type_that_lacks_a_method_demanded_since_the_change_is_an_error(
    tree: Tree, files: Files, path: str, old: str, new: str, place: tuple[str, int]
) -> None:
    found = contracts(tree, files, (path, old, new))
    assert ("error", *place) in found
    others = [it for it in found if it[1:] != place]
    # A class below an abstract one has to have the method in its place.
    assert others == ([("error", "m/Whole.java", 3)] if files is JAVA else [])


@pytest.mark.parametrize(
    ("files", "path", "old", "new"),
    [
        (JAVA, "m/Store.java", "load();\n", "load();\n    default int drop() { return 1; }\n"),
        (JAVA, "m/Store.java", "load();\n", "load();\n    String toString();\n    int A = 1;\n"),
        (
            PYTHON,
            "p/su.py",
            "    def close",
            "    def drop(self):\n        return 1\n\n    def close",
        ),
        (RUST, "src/lib.rs", "u32;\n}", "u32;\n    fn drop(&self) -> u32 { 1 }\n}"),
        (TYPESCRIPT, "su.ts", "load(): number;", "load(): number;\n  drop?(): void;"),
        (TYPESCRIPT, "su.ts", "  close()", "  drop(): void {}\n  close()"),
    ],
)
def test_a_method_with_a_body_or_that_is_optional_demands_nothing(
    tree: Tree, files: Files, path: str, old: str, new: str
) -> None:
    assert not contracts(tree, files, (path, old, new))


@pytest.mark.parametrize(
    ("files", "edits"),
    [
        (
            GO,
            [
                ("su.go", "Load() int\n", "Load() int\n\tDrop()\n"),
                ("su.go", "type Wrap", "func (d *Disk) Drop() {}\n\ntype Wrap"),
            ],
        ),
        (
            PYTHON,
            [
                ("p/su.py", "    def close", "    @abstractmethod\n    def close"),
                ("p/disk.py", "    pass", "    def close(self):\n        return 2"),
            ],
        ),
        (
            RUST,
            [
                ("src/lib.rs", "u32;\n}", "u32;\n    fn drop(&self);\n}"),
                ("src/lib.rs", "        1\n    }\n", "        1\n    }\n    fn drop(&self) {}\n"),
            ],
        ),
    ],
)
def test_a_type_that_gets_the_method_in_the_same_change_is_not_named(
    tree: Tree, files: Files, edits: list[tuple[str, str, str]]
) -> None:
    assert not contracts(tree, files, *edits)


def test_a_type_with_a_base_that_is_not_known_only_may_lack_the_method(tree: Tree) -> None:
    outside = "from elsewhere import Mixin\nfrom p.su import Store\n\n\nclass Disk(Mixin, Store):"
    files = {**PYTHON, "p/disk.py": f"{outside}\n    def load(self):\n        return 1\n"}
    found = contracts(
        tree, files, ("p/su.py", "    def close", "    @abstractmethod\n    def close")
    )
    assert found == [("warning", "p/disk.py", 5)]


@pytest.mark.parametrize(
    ("files", "path", "old", "new", "place"),
    [
        (
            PYTHON,
            "p/su.py",
            "    def close",
            (
                '    def drop(self):\n        """Drop."""\n        raise NotImplementedError(1)\n\n'
                "    def close"
            ),
            ("p/disk.py", 4),
        ),
        (
            TYPESCRIPT,
            "su.ts",
            "    return 1;",
            "    throw new Error('not implemented');",
            ("disk.ts", 9),
        ),
    ],
)
def test_a_method_that_only_raises_is_demanded(
    tree: Tree, files: Files, path: str, old: str, new: str, place: tuple[str, int]
) -> None:
    found = findings(tree, files, (path, old, new))
    assert [(it.level, it.file, it.line) for it in found] == [("warning", *place)]
    assert " lacks " in found[0].message


def test_a_method_that_raises_at_times_is_not_demanded(tree: Tree) -> None:
    body = "    def drop(self, a):\n        if a:\n            raise NotImplementedError\n\n"
    assert not contracts(tree, PYTHON, ("p/su.py", "    def close", f"{body}    def close"))


IMPL = (
    "pub struct Tape;\n\nunsafe impl Sync for Tape {}\n\nimpl Tape {\n    fn drop(&self) {}\n}\n\n"
)


@pytest.mark.parametrize(
    ("attribute", "body", "demanded", "level"),
    [
        ("#[cfg(windows)]\n#[async_trait]\n", "", "", "error"),
        ("#[delegate]\n", "", "", "warning"),
        ("", "    methods!(drop);\n", "", "warning"),
        ("", "", "    #[cfg(windows)]\n", "warning"),
        ("", "    fn drop(&self) {}\n", "", ""),
    ],
)
def test_the_block_of_a_trait_has_to_have_what_the_trait_demands(
    tree: Tree, attribute: str, body: str, demanded: str, level: str
) -> None:
    block = f"{attribute}impl Store for Tape {{\n    fn load(&self) -> u32 {{ 1 }}\n{body}}}\n"
    files = {**RUST, "tests/tape.rs": f"use m::Store;\n\n{IMPL}{block}"}
    edit = ("src/lib.rs", "u32;\n}", f"u32;\n{demanded}    fn drop(&self);\n}}")
    found = contracts(tree, files, edit)
    named = [it for it in found if it[1] != "src/lib.rs"]
    assert named == ([(level, "tests/tape.rs", 3)] if level else [])


def test_types_that_have_one_method_by_chance_are_not_meant_unless_the_code_says_so(
    tree: Tree,
) -> None:
    files = {
        "go.mod": "module example.org/m\n",
        "su.go": "package m\n\ntype Closer interface {\n\tClose()\n}\n\n"
        "var _ Closer = (*Disk)(nil)\n",
        "disk.go": "package m\n\ntype Disk struct{}\n\nfunc (d *Disk) Close() {}\n",
        "other/door.go": "package other\n\ntype Door struct{}\n\nfunc (d *Door) Close() {}\n",
    }
    found = contracts(tree, files, ("su.go", "Close()\n", "Close()\n\tFlush()\n"))
    assert found == [("error", "disk.go", 3)]


def test_five_types_are_named_and_the_others_counted(tree: Tree) -> None:
    classes = "\n".join(
        f"class C{at}(Store):\n    def load(self):\n        return 1\n" for at in range(7)
    )
    files = {**PYTHON, "p/disk.py": f"from p.su import Store\n\n{classes}"}
    found = findings(
        tree, files, ("p/su.py", "    def close", "    @abstractmethod\n    def close")
    )
    assert len(found) == 5
    assert found[0].message == "C0 lacks close, which Store demands now"
    assert found[-1].message.endswith("; so do 2 more types")


OVERRIDES = {
    "su.go": GO["su.go"],
    "go.mod": GO["go.mod"],
    "m/Store.java": JAVA["m/Store.java"],
    "m/Disk.java": JAVA["m/Disk.java"],
    "p/__init__.py": "",
    "p/su.py": PYTHON["p/su.py"],
    "p/disk.py": PYTHON["p/disk.py"],
    "Cargo.toml": RUST["Cargo.toml"],
    "src/lib.rs": RUST["src/lib.rs"],
    "su.ts": TYPESCRIPT["su.ts"],
    "disk.ts": TYPESCRIPT["disk.ts"],
    "cake.js": "class Cake {\n  weight() {\n    return 1;\n  }\n}\n\n"
    "class Pie extends Cake {\n  weight() {\n    return 2;\n  }\n}\n",
}


@pytest.mark.parametrize(
    ("path", "old", "new", "place"),
    [
        ("su.go", "Disk) Load() int {", "Disk) Load() int64 {", ("error", "su.go", 10)),
        ("su.go", "Save(x int)\n}", "Save(x int64)\n}", ("error", "su.go", 11)),
        ("m/Disk.java", "load()", "load(int depth)", ("error", "m/Disk.java", 4)),
        ("m/Store.java", "load()", "load(int depth)", ("error", "m/Disk.java", 4)),
        ("p/disk.py", "load(self)", "load(self, depth)", ("warning", "p/disk.py", 5)),
        ("p/su.py", "load(self)", "load(self, depth)", ("warning", "p/disk.py", 5)),
        ("src/lib.rs", "u32 {", "u64 {", None),
        (
            "src/lib.rs",
            "load(&self) -> u32 {",
            "load(&self, a: u8) -> u32 {",
            ("error", "src/lib.rs", 9),
        ),
        (
            "src/lib.rs",
            "load(&self) -> u32;",
            "load(&self, a: u8) -> u32;",
            ("error", "src/lib.rs", 9),
        ),
        ("disk.ts", "load()", "load(depth: number)", ("error", "disk.ts", 4)),
        ("su.ts", "load(): number", "load(): string", ("error", "disk.ts", 4)),
        (
            "cake.js",
            "weight() {\n    return 2",
            "weight(a) {\n    return 2",
            ("warning", "cake.js", 8),
        ),
        ("p/disk.py", "load(self)", "load(self, depth=1)", None),
        ("p/disk.py", "load(self)", "load(self, *depth)", None),
        ("su.ts", "load()", "load(depth: number)", None),
    ],
)
def test_an_override_that_no_longer_fits_is_named(
    tree: Tree, path: str, old: str, new: str, place: tuple[str, str, int] | None
) -> None:
    found = contracts(tree, OVERRIDES, (path, old, new))
    assert found == ([] if place is None else [place])


def test_an_override_that_changes_with_what_it_overrides_is_not_named(tree: Tree) -> None:
    edits = [
        ("su.go", "Load() int\n", "Load() int64\n"),
        ("su.go", "Load() int {", "Load() int64 {"),
    ]
    paths = ("m/Store.java", "m/Disk.java")
    edits += [(path, "load()", "load(int depth)") for path in paths]
    paths = ("p/su.py", "p/disk.py")
    edits += [(path, "load(self)", "load(self, depth)") for path in paths]
    assert not contracts(tree, OVERRIDES, *edits)


def test_an_overload_beside_an_override_is_not_named(tree: Tree) -> None:
    more = "    public int load(int depth) {\n        return depth;\n    }\n}\n"
    body = "        return 1;\n    }\n}\n"
    edit = ("m/Disk.java", body, body[:-2] + more)
    assert not contracts(tree, OVERRIDES, edit)


def test_an_override_that_did_not_fit_before_is_not_named(tree: Tree) -> None:
    files = {**PYTHON, "p/disk.py": PYTHON["p/disk.py"].replace("load(self)", "load(self, a)")}
    assert not contracts(tree, files, ("p/disk.py", "load(self, a)", "load(self, a, b)"))


STRUCTS = {
    "go.mod": "module example.org/m\n",
    "box.go": "package m\n\ntype Box struct {\n\tA int\n\tB int\n}\n\nvar x = Box{1, 2}\n"
    "var y = &Box{A: 1}\nvar z = []Box{x, x}\n\nfunc f() *Box { return y }\n",
    "Cargo.toml": RUST["Cargo.toml"],
    "src/lib.rs": "#[derive(Default)]\npub struct Jar {\n    a: u32,\n    b: u32,\n}\n\n"
    "pub fn make(a: u32) -> Jar {\n    let one = Jar { a, b: 2 };\n"
    "    let Jar { a, .. } = one;\n    Jar { a, ..Default::default() }\n}\n",
}


@pytest.mark.parametrize(
    ("path", "old", "new", "place"),
    [
        ("box.go", "B int\n", "B int\n\tC int\n", ("error", "box.go", 9)),
        ("src/lib.rs", "b: u32,\n}", "b: u32,\n    c: u32,\n}", ("error", "src/lib.rs", 9)),
        ("src/lib.rs", "b: u32,\n}", "b: u32,\n    #[cfg(unix)]\n    c: u32,\n}", None),
    ],
)
def test_a_value_that_lacks_a_new_field_of_its_struct_is_named(
    tree: Tree, path: str, old: str, new: str, place: tuple[str, str, int] | None
) -> None:
    found = contracts(tree, STRUCTS, (path, old, new))
    assert found == ([] if place is None else [place])


def test_a_value_that_gives_the_new_field_is_not_named(tree: Tree) -> None:
    edits = [
        ("box.go", "B int\n", "B int\n\tC int\n"),
        ("box.go", "Box{1, 2}", "Box{1, 2, 3}"),
        ("src/lib.rs", "b: u32,\n}", "b: u32,\n    c: u32,\n}"),
        ("src/lib.rs", "b: 2 }", "b: 2, c: a }"),
    ]
    assert not contracts(tree, STRUCTS, *edits)


def test_no_findings_is_said_with_what_was_checked(tree: Tree) -> None:
    files = {**PYTHON, "p/run.py": "from p.disk import Disk\n\n\ndef run():\n    return Disk()\n"}
    tree.commit({name: text.encode() for name, text in files.items()})
    tree.write({"p/run.py": files["p/run.py"].replace("Disk()", "Disk().load()").encode()})
    bench = Workbench.open(tree.root)
    try:
        shown = bench.call("review_change")
    finally:
        bench.close()
    assert isinstance(shown, ChangeReview)
    assert shown.checked.startswith("1 function, 1 call, 0 uses of what is gone, 1 language")
    assert shown.checked.endswith("types not checked (no checker)")
    assert any(f"checked: {shown.checked}" in line for line in shown.headline())
