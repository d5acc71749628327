import difflib
import json
import os
from pathlib import Path

import pytest

import review_kit
from benchpin.app import Workbench
from repositories import Tree

STEPS = "".join(f"    total = step_{at}(total, {at})\n    log(total)\n" for at in range(5))
LOADER = f'''def load(path, encoding):
    """Load it.

    Args:
        path: Where it is.
        encoding: How it is written.
    """
    total = open(path, encoding=encoding)
{STEPS}    return total
'''
FILES = {
    "app/loader.py": LOADER,
    "app/main.py": "from app.loader import load\n\n\ndef run():\n    return load('a', 'utf-8')\n",
    "app/other.py": "def unrelated():\n    return 1\n",
    "tests/test_loader.py": "from app.loader import load\n\n\ndef test_load():\n    assert load\n",
    "README.md": "# App\n\nCall `run_everything` first.\n",
}


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({name: text.encode() for name, text in FILES.items()})
    return made


def review(tree: Tree, files: dict[str, str | None], **given: object) -> list[tuple[str, str, int]]:
    return [(it.rule, it.file, it.line) for it in review_kit.review(tree, files, **given)]


def test_a_harmless_change_has_no_remark(tree: Tree) -> None:
    assert review(tree, {"app/other.py": "def unrelated():\n    return 2\n"}) == []


def test_the_names_of_what_changed_are_reconciled_with_a_plain_search(tree: Tree) -> None:
    new = LOADER.replace("total = open", "total = None or open")
    (tree.root / "app/loader.py").write_text(new, encoding="utf-8")
    text = Workbench.open(tree.root).call("review_change").to_text()
    said = next(it for it in text.splitlines() if it.startswith("`load`: "))
    assert said == (
        "`load`: 5 lines in 3 files: production 1 definition, 1 call, 1 import; "
        "tests 1 import, 1 other use; nothing else"
    )


def test_names_are_not_searched_for_where_many_functions_changed_inside_only(tree: Tree) -> None:
    names = "abc"
    texts = {
        value: "".join(f"def {it}():\n    return {value}\n\n\n" for it in names) for value in (1, 2)
    }
    tree.commit({"app/many.py": texts[1].encode()})
    (tree.root / "app/many.py").write_text(texts[2], encoding="utf-8")
    report = Workbench.open(tree.root).call("review_change").model_dump()
    assert (report["symbol_total"], report["accounts"]) == (3, [])
    new = texts[2].replace("def b():", "def b(more=0):")
    (tree.root / "app/many.py").write_text(new, encoding="utf-8")
    report = Workbench.open(tree.root).call("review_change").model_dump()
    assert [it["name"] for it in report["accounts"]] == ["b"]


def test_a_call_that_no_longer_fits_and_documentation_that_lies(tree: Tree) -> None:
    new = LOADER.replace("path, encoding)", "path)", 1).replace(", encoding=encoding", "")
    assert review(tree, {"app/loader.py": new}) == [
        ("broken-call", "app/main.py", 5),
        ("stale-documentation", "app/loader.py", 6),
    ]


def test_imports_of_what_is_gone(tree: Tree) -> None:
    new = LOADER.replace("def load(", "def load_all(").replace(STEPS, "    y = [{}]\n")
    found = review(tree, {"app/loader.py": new})
    assert ("broken-reference", "app/main.py", 1) in found
    assert ("broken-reference", "tests/test_loader.py", 1) in found


def test_imports_of_a_file_that_is_gone(tree: Tree) -> None:
    found = review(tree, {"app/loader.py": None})
    assert ("broken-reference", "app/main.py", 1) in found


def test_a_use_in_the_same_file_of_what_is_gone(tree: Tree) -> None:
    tree.commit(
        {"app/pair.py": b"def helper():\n    return 1\n\n\ndef use():\n    return helper()\n"}
    )
    found = review(tree, {"app/pair.py": "def use():\n    return helper()\n"})
    assert ("broken-reference", "app/pair.py", 2) in found


def test_a_bare_name_is_judged_in_a_module_that_makes_its_members(tree: Tree) -> None:
    lazy = "def __getattr__(name):\n    return name\n\n\ndef use():\n    return helper()\n"
    user = "from app import lazy\n\n\ndef run():\n    return lazy.anything()\n"
    found = review(tree, {"app/lazy.py": lazy, "app/user.py": user})
    broken = [(file, line) for rule, file, line in found if rule == "broken-reference"]
    assert broken == [("app/lazy.py", 6)]


def test_a_copied_function_also_under_other_names(tree: Tree) -> None:
    copy = LOADER.replace("def load(", "def fetch(").replace("total", "amount")
    assert ("copied-code", "app/other.py", 1) in review(tree, {"app/other.py": copy})


def test_a_copy_with_a_new_line(tree: Tree) -> None:
    copy = LOADER.replace("def load(", "def fetch(").replace(
        "    return", "    extra(1)\n    return"
    )
    assert ("copied-code", "app/other.py", 1) in review(tree, {"app/other.py": copy})


def test_a_private_function_that_nothing_uses(tree: Tree) -> None:
    new = FILES["app/other.py"] + "\n\ndef _unused_helper(a):\n    return a\n"
    assert review(tree, {"app/other.py": new}) == [("unused-code", "app/other.py", 5)]


def test_a_secret_is_named_and_its_value_is_not(tree: Tree) -> None:
    secret = "ghp_" + "".join(chr(97 + at * 7 % 26) for at in range(36))
    tree.write({"app/other.py": f'TOKEN = "{secret}"\n'.encode()})
    bench = Workbench.open(tree.root)
    text = bench.call("review_change").to_text()
    bench.close()
    assert "secret" in text
    assert secret not in text


def test_a_new_cycle_is_named_with_its_way(tree: Tree) -> None:
    new = "from app.main import run\n" + LOADER + "\n\nrun()\n"
    tree.write({"app/loader.py": new.encode()})
    bench = Workbench.open(tree.root)
    text = bench.call("review_change").to_text()
    bench.close()
    assert "app/loader.py → app/main.py → app/loader.py" in text


def test_debt_complexity_and_a_missing_test(tree: Tree) -> None:
    cases = "".join(f"    if a == {at}:\n        return {at}\n" for at in range(12))
    new = f"def choose(a):\n    # TODO: handle strings\n{cases}    return a\n"
    rules = {rule for rule, _, _ in review(tree, {"app/other.py": new})}
    assert {"complexity", "new-debt", "missing-test"} <= rules


def test_a_document_that_describes_what_is_gone(tree: Tree) -> None:
    tree.commit({"app/all.py": b"def run_everything():\n    return 1\n"})
    found = review(tree, {"app/all.py": "def run_all_now(a):\n    return [a, 3, {}]\n"})
    assert ("stale-documentation", "README.md", 3) in found


def test_a_patch_is_reviewed_before_it_is_applied(tree: Tree) -> None:
    patch = (
        "--- a/app/other.py\n+++ b/app/other.py\n@@ -1,2 +1,4 @@\n def unrelated():\n"
        "     return 1\n+def _never_used():\n+    return 2\n"
    )
    assert review(tree, {}, patch=patch) == [("unused-code", "app/other.py", 3)]


def test_sarif_has_a_rule_for_each_remark(tree: Tree) -> None:
    code = FILES["app/other.py"] + "\n\ndef _unused_helper(a):\n    return a\n"
    tree.write({"app/other.py": code.encode()})
    bench = Workbench.open(tree.root)
    sarif = json.loads(bench.call("review_change", format="sarif").to_text())
    bench.close()
    run = sarif["runs"][0]
    known = {it["id"] for it in run["tool"]["driver"]["rules"]}
    assert {it["ruleId"] for it in run["results"]} <= known
    assert run["results"]


def test_sarif_names_a_file_whose_name_is_not_utf_8(tree: Tree) -> None:
    tree.write({os.fsdecode(b"app/\n\xff.py"): b"def _unused_helper(a):\n    return a\n"})
    bench = Workbench.open(tree.root)
    sarif = json.loads(bench.call("review_change", format="sarif").to_text())
    bench.close()
    places = [it["locations"][0]["physicalLocation"] for it in sarif["runs"][0]["results"]]
    assert {it["artifactLocation"]["uri"] for it in places} == {"app/%0A%FF.py"}


def test_a_line_that_does_not_parse(tree: Tree) -> None:
    found = review(tree, {"app/other.py": "def unrelated(:\n    return 1\n"})
    assert ("syntax-error", "app/other.py", 1) in found


def test_uses_of_a_method_that_is_gone(tree: Tree) -> None:
    code = (
        "class A:\n    def find_root(self):\n        return 1\n\n    def b(self):\n        pass\n"
    )
    tree.commit({"app/a.py": code.encode(), "app/b.py": b"def f(a):\n    return a.find_root()\n"})
    found = review(tree, {"app/a.py": "class A:\n    def b(self):\n        pass\n"})
    assert ("broken-reference", "app/b.py", 2) in found


def test_uses_in_the_same_package_of_go(tree: Tree) -> None:
    helper = "package a\n\nfunc helper() int {\n\treturn 1\n}\n"
    user = "package a\n\nfunc user() int {\n\treturn helper()\n}\n"
    tree.commit({"go.mod": b"module a\n", "x.go": helper.encode(), "y.go": user.encode()})
    assert ("broken-reference", "y.go", 4) in review(tree, {"x.go": "package a\n"})


MAIN = FILES["app/main.py"]


def patch_of(path: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"a/{path}", f"b/{path}", lineterm=""
    )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("is_patch", [False, True])
@pytest.mark.parametrize(
    ("old", "new", "rule", "line"),
    [
        ("load('a', 'utf-8')", "load('a')", "broken-call", 5),
        ("load('a', 'utf-8')", "load('a', 'utf-8', 3)", "broken-call", 5),
        ("load('a', 'utf-8')", "load('a', coding='utf-8')", "broken-call", 5),
        ("load('a', 'utf-8')", "load_it('a', 'utf-8')", "broken-reference", 5),
        ("import load\n", "import load, loads\n", "broken-reference", 1),
        ("from app.loader import load\n", "from app import loader\n", "broken-reference", 5),
    ],
)
def test_new_code_that_does_not_fit_what_is_there(
    tree: Tree, old: str, new: str, rule: str, line: int, *, is_patch: bool
) -> None:
    after = MAIN.replace(old, new)
    if is_patch:
        found = review(tree, {}, patch=patch_of("app/main.py", MAIN, after))
    else:
        found = review(tree, {"app/main.py": after})
    assert found == [(rule, "app/main.py", line)]


def test_a_method_and_a_member_of_a_module_that_do_not_exist(tree: Tree) -> None:
    before = "class Box:\n    def open(self):\n        return 1\n\n    def use(self):\n"
    tree.commit({"app/box.py": f"{before}        return self.open()\n".encode()})
    tree.commit({"app/use.py": b"from app import box\n\n\ndef run():\n    return box.Box()\n"})
    found = review(
        tree,
        {
            "app/box.py": f"{before}        return self.opne()\n",
            "app/use.py": "from app import box\n\n\ndef run():\n    return box.Bax()\n",
        },
    )
    assert found == [
        ("broken-reference", "app/box.py", 6),
        ("broken-reference", "app/use.py", 5),
    ]


def test_a_call_of_several_lines_that_loses_an_argument(tree: Tree) -> None:
    tree.commit({"app/main.py": MAIN.replace("('a', ", "(\n        'a',\n        ").encode()})
    found = review(tree, {"app/main.py": MAIN.replace("('a', ", "(\n        ")})
    assert found == [("broken-call", "app/main.py", 5)]


def test_calls_that_were_wrong_before_or_may_fit_are_not_remarked(tree: Tree) -> None:
    text = """from app.loader import load
from elsewhere import *


class Base(Elsewhere):
    def use(self):
        return self.inherited(1)


def run(*given, **named):
    local = lambda: 1
    local()
    print(load('a'))
    load(*given)
    load(**named)
    return anything(load('a', encoding='utf-8'))
"""
    tree.commit({"app/other.py": b"from app.loader import load\nload('a')\n"})
    assert not [it for it in review(tree, {"app/other.py": text}) if it[0].startswith("broken")]


def test_overloads_of_typescript_and_java_are_not_judged_by_the_first(tree: Tree) -> None:
    files = {
        "web/a.ts": "export function f(a: string): void;\n"
        "export function f(a: string, b: number): void;\n"
        "export function f(a: string, b?: number): void {}\n",
        "web/b.ts": "import { f } from './a';\n\nexport function g() {\n  f('x');\n}\n",
        "j/A.java": "class A {\n  static void f(int a) {}\n  static void f(int a, int b) {}\n"
        "  static void g() {\n    f(1);\n  }\n}\n",
    }
    tree.commit({name: text.encode() for name, text in files.items()})
    changed: dict[str, str | None] = {
        "web/b.ts": files["web/b.ts"].replace("f('x')", "f('x', 2)"),
        "j/A.java": files["j/A.java"].replace("f(1)", "f(1, 2)"),
    }
    assert review(tree, changed) == []


def test_functions_of_an_object_in_a_nameless_function_are_not_called_unused(tree: Tree) -> None:
    text = (
        "import { add, run, stop } from 'elsewhere'\n"
        "run(() => {\n  return add('x', () => {\n    return { teardown() { stop() } }\n  })\n})\n"
    )
    assert review(tree, {"web/bench.ts": text}) == []


def test_a_new_class_or_function_is_no_call(tree: Tree) -> None:
    base = "class Base:\n    def __init__(self, a, b):\n        self.pair = a, b\n"
    tree.commit({"app/base.py": base.encode()})
    new = "\n\nclass Derived(Base):\n    def load(self, x):\n        return x\n"
    found = review(tree, {"app/base.py": base + new})
    assert not [it for it in found if it[0].startswith("broken")]


def test_a_call_of_a_function_with_a_signature_of_several_hundred_characters(tree: Tree) -> None:
    names = [f"parameter_number_{at}" for at in range(30)]
    wide = f"def wide({', '.join(names)}):\n    return 1\n"
    call = "from app.wide import wide\n\n\ndef run():\n    return wide({})\n"
    passed = [str(at) for at in range(30)]
    tree.commit({"app/wide.py": wide.encode()})
    tree.commit({"app/use.py": call.format(", ".join(passed)).encode()})
    found = review(tree, {"app/use.py": call.format(", ".join(passed[1:]))})
    assert found == [("broken-call", "app/use.py", 5)]
