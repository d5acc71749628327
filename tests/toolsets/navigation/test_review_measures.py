"""The review asks the measures: clones, unused code and cycles that a change brings."""

from pathlib import Path

import pytest

import review_kit
from repositories import Tree

GO_STEPS = (
    "if err := check({0}, {1}); err != nil {{\n\t\treturn err\n\t}}",
    "{2} := {1}.Lookup({0}.Name())",
    "for at, part := range {2}.Parts() {{\n\t\t{1}.Keep(part, at*{3})\n\t}}",
    "{1}.total += len({2}.Parts()) - {0}.Size()/{3}",
    "switch {0}.Kind() {{\n\tcase kind{3}:\n\t\t{1}.Drop({2}, true)\n\t}}",
    "defer func() {{ _ = {0}.Close(); log.Println({2}.name) }}()",
    "{1}.parts = append({1}.parts[:{3}], *{2})",
    "go {1}.watch({2}, make(chan int, {3}))",
)
# No order repeats: code that repeats itself is a clone of itself.
ORDER = (0, 1, 4, 2, 6, 3, 7, 5, 1, 2, 0, 3, 4, 4, 6, 0, 5, 2, 7, 1, 3, 0, 4, 1, 6, 2, 2, 5, 3, 4)


def body(steps: tuple[str, ...], size: int, *names: str) -> list[str]:
    """Return so many lines of code, of whole steps, and of calls where none fits."""
    lines: list[str] = []
    for at, it in enumerate(ORDER * 2):
        step = steps[it % len(steps)].format(*names, at).split("\n")
        lines += step if len(lines) + len(step) <= size else ()
    return [*lines, *(f"finish{at}({names[0]})" for at in range(size - len(lines)))]


def go_function(name: str, names: tuple[str, ...] = ("root", "seen", "left")) -> str:
    """Return a function of 59 lines; with other names, it is a renamed copy."""
    head = f"func {name}({names[0]} *Folder, {names[1]} *Index) error {{"
    lines = [f"\t{it}" for it in body(GO_STEPS, 56, *names)]
    return "\n".join([head, *lines, "\treturn nil", "}"]) + "\n"


PYTHON_STEPS = (
    "for line in {0}.lines_{1}:\n    total += line.quantity * {1}",
    "if stock.limit_{1} is not None and total > stock.limit_{1}:\n    raise ValueError(stock, {1})",
    "stock.events.append(dict(kind='step-{1}', amount=total))",
    "allocated[{1}] = min(total, stock.free({0}.channel)) - stock.reserved",
    "with stock.lock(timeout={1}):\n    stock.save(update_fields=['quantity'])",
)


def python_function(name: str) -> str:
    """Return a function of 38 lines."""
    head = [f"def {name}(stock, order):", "    total, allocated = 0, {}"]
    lines = [f"    {it}" for it in body(PYTHON_STEPS, 35, "order")]
    return "\n".join([*head, *lines, "    return total"]) + "\n"


GO = "package versioner\n\n"
FILES = {
    "go.mod": "module example.org/sync\n\ngo 1.22\n",
    "lib/clean.go": GO + go_function("Clean"),
    "lib/use.go": GO + 'func Use() int {\n\treturn Clean("a", nil)\n}\n',
    "app/stock.py": python_function("increase_stock"),
    "app/main.py": "from app.stock import increase_stock\n\n\ndef run():\n"
    "    return increase_stock(1, 2)\n\n\nrun()\n",
    "tests/test_main.py": "from app.main import run\n\n\ndef test_run():\n    assert run\n",
}


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({name: text.encode() for name, text in FILES.items()})
    return made


def review(tree: Tree, files: dict[str, str], **given: object) -> list[tuple[str, str, int, str]]:
    found = review_kit.review(tree, files, **given)
    return [(it.rule, it.file, it.line, it.message) for it in found]


def places(found: list[tuple[str, str, int, str]], rule: str) -> list[tuple[str, int]]:
    return [(file, line) for name, file, line, _ in found if name == rule]


@pytest.mark.parametrize("path", ["lib/clean.go", "lib/tidy.go"])
def test_a_copy_of_59_lines_with_changed_names_in_go(tree: Tree, path: str) -> None:
    before = FILES.get(path, GO)
    found = review(tree, {path: before + "\n" + go_function("Tidy", ("folder", "known", "rest"))})
    line = before.count("\n") + 2
    assert places(found, "copied-code") == [(path, line)]
    [message] = [it[3] for it in found if it[0] == "copied-code"]
    assert message == "Tidy repeats Clean (lib/clean.go:3); call that instead"


def test_a_copy_of_38_lines_that_is_unused_and_untested(tree: Tree) -> None:
    new = FILES["app/stock.py"] + "\n\n" + python_function("add_stock")
    found = review(tree, {"app/stock.py": new})
    assert places(found, "copied-code") == [("app/stock.py", 41)]
    assert places(found, "unused-code") == [("app/stock.py", 41)]
    assert places(found, "missing-test") == [("app/stock.py", 41)]


def test_a_copy_with_lines_of_its_own(tree: Tree) -> None:
    lines = python_function("add_stock").split("\n")
    lines[12:12] = ["    audit(stock, total)", "    notify(total)"]
    found = review(tree, {"app/other.py": "\n".join(lines)})
    assert places(found, "copied-code") == [("app/other.py", 1)]
    assert "of its code with increase_stock" in next(
        it[3] for it in found if it[0] == "copied-code"
    )


def test_lines_pasted_into_a_function(tree: Tree) -> None:
    pasted = "\n".join(FILES["app/stock.py"].split("\n")[2:18]) + "\n"
    own = "".join(f"    order.note_{at}(stock, [{at}, total])\n" for at in range(20))
    before = f"def other(stock, order):\n    total, allocated = start(stock)\n{own}"
    tree.commit({"app/other.py": f"{before}    return total\n".encode()})
    found = review(tree, {"app/other.py": f"{before}{pasted}    return total\n"})
    assert places(found, "copied-code") == [("app/other.py", 23)]
    [message] = [it[3] for it in found if it[0] == "copied-code"]
    assert message == "This code repeats app/stock.py:3-18 (16 lines)"


def test_a_copy_in_a_patch_that_is_not_applied(tree: Tree) -> None:
    lines = python_function("add_stock").splitlines()
    head = f"--- /dev/null\n+++ b/app/other.py\n@@ -0,0 +1,{len(lines)} @@\n"
    found = review(tree, {}, patch=head + "".join(f"+{it}\n" for it in lines))
    assert places(found, "copied-code") == [("app/other.py", 1)]
    assert places(found, "unused-code") == [("app/other.py", 1)]


def test_copies_that_were_there_are_not_remarked(tree: Tree) -> None:
    twin = python_function("add_stock")
    tree.commit({"app/twin.py": twin.encode()})
    changed = twin.replace("dict(", "make(")
    moved = {"app/twin.py": "", "app/moved.py": twin}
    assert places(review(tree, {"app/twin.py": changed}), "copied-code") == []
    assert places(review(tree, moved), "copied-code") == []


def test_a_new_function_that_only_unused_code_names(tree: Tree) -> None:
    new = "def _helper(a):\n    return a\n\n\ndef _outer(a):\n    return _helper(a)\n"
    found = review(tree, {"app/other.py": new})
    assert places(found, "unused-code") == [("app/other.py", 5)]


def test_what_was_unused_before_is_not_remarked(tree: Tree) -> None:
    old = "def _unused(a):\n    return a\n"
    tree.commit({"app/other.py": old.encode()})
    found = review(tree, {"app/other.py": "LIMIT = 3\n\n\n" + old.replace("return a", "return 2")})
    assert places(found, "unused-code") == []


CYCLE = {
    "app/a.py": "from app.b import second\n\n\ndef first():\n    return second()\n",
    "app/b.py": "def second():\n    return 1\n",
    "app/c.py": "from app.a import first\n\n\ndef third():\n    return first()\n",
}


def test_a_new_import_cycle_of_python(tree: Tree) -> None:
    tree.commit({name: text.encode() for name, text in CYCLE.items()})
    found = review(tree, {"app/b.py": "import os\nfrom app.c import third\n\n\nsecond = third\n"})
    assert places(found, "new-cycle") == [("app/b.py", 2)]
    [message] = [it[3] for it in found if it[0] == "new-cycle"]
    assert "app/b.py → app/c.py → app/a.py → app/b.py" in message


def test_a_cycle_that_grows_and_one_that_was_there(tree: Tree) -> None:
    closed = CYCLE | {"app/b.py": "from app.a import first\n\n\ndef second():\n    return first\n"}
    tree.commit({name: text.encode() for name, text in closed.items()})
    same = closed["app/b.py"] + "\n\ndef more():\n    return first()\n"
    assert places(review(tree, {"app/b.py": same}), "new-cycle") == []
    grown = closed["app/b.py"] + "\n\nfrom app.c import third\n\nthird()\n"
    assert places(review(tree, {"app/b.py": grown}), "new-cycle") == [("app/b.py", 8)]


def test_a_type_import_closes_no_cycle(tree: Tree) -> None:
    tree.commit({name: text.encode() for name, text in CYCLE.items()})
    guarded = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from app.c import third\n"
    found = review(tree, {"app/b.py": f"{guarded}\n\ndef second():\n    return 1\n"})
    assert places(found, "new-cycle") == []


IN_ONE_PACKAGE = {
    "go": {"lib/use.go": GO + 'import "example.org/sync/lib"\n\nfunc Use() int {\n\treturn 1\n}\n'},
    "java": {
        "src/main/java/org/x/A.java": "package org.x;\n\nimport org.x.B;\n\nclass A {\n  B b;\n}\n",
        "src/main/java/org/x/B.java": "package org.x;\n\nimport org.x.A;\n\nclass B {\n  A a;\n}\n",
    },
    "rust": {
        "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n',
        "src/lib.rs": "mod a;\nmod b;\n\npub fn top() {}\n",
        "src/a.rs": "use crate::b::second;\n\npub fn first() {\n    second();\n}\n",
        "src/b.rs": "use crate::a::first;\n\npub fn second() {\n    first();\n}\n",
    },
}


@pytest.mark.parametrize("language", sorted(IN_ONE_PACKAGE))
def test_files_of_one_package_or_crate_may_import_one_another(tree: Tree, language: str) -> None:
    assert places(review(tree, IN_ONE_PACKAGE[language]), "new-cycle") == []


def test_packages_of_java_that_import_one_another(tree: Tree) -> None:
    one = "package org.x;\n\nimport org.y.B;\n\npublic class A {\n  B b;\n}\n"
    other = "package org.y;\n\npublic class B {\n}\n"
    tree.commit(
        {
            "src/main/java/org/x/A.java": one.encode(),
            "src/main/java/org/y/B.java": other.encode(),
        }
    )
    new = other.replace("public", "import org.x.A;\n\npublic").replace("{\n", "{\n  A a;\n")
    found = review(tree, {"src/main/java/org/y/B.java": new})
    assert places(found, "new-cycle") == [("src/main/java/org/y/B.java", 3)]
