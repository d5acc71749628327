"""Renames that cannot be certain: they are refused, or name what is left to decide."""

from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import InvalidParams


def rename(bench: Workbench, symbol: str, new_name: str) -> dict[str, object]:
    return bench.call("rename_symbol", symbol=symbol, new_name=new_name).model_dump()


def test_an_example_of_go_is_named_after_what_it_shows(workspace: Path) -> None:
    (workspace / "a.go").write_text("package a\n\nfunc New() {}\n\nfunc Newer() {}\n")
    example = "package a_test\n\nfunc ExampleNew_twice() {}\n"
    (workspace / "a_test.go").write_text(example)
    bench = Workbench.open(workspace, allow=("write",))
    note = "Rename what is named after it as well: a_test.go::ExampleNew_twice."
    assert rename(bench, "a.go::New", "Make")["note"] == note
    assert rename(bench, "a.go::Newer", "Make")["note"] == ""
    assert "which symbol it shows" in str(rename(bench, "ExampleNew_twice", "ExampleMake")["note"])


@pytest.mark.parametrize(
    ("path", "code", "symbol"),
    [
        (
            "a.go",
            "package a\n\nvar Hook func() int\n\nfunc f() {\n\tHook = func() int { return 1 }\n}\n",
            "f.Hook",
        ),
        ("a.ts", "let hook: any;\nfunction f() {\n  hook = () => 1;\n}\n", "f.hook"),
        ("b.ts", "class A { h: any; f() { this.h = () => 1; } }\n", "A.f.this.h"),
    ],
)
def test_a_function_that_is_given_to_a_variable_is_renamed_by_the_variable(
    workspace: Path, path: str, code: str, symbol: str
) -> None:
    (workspace / path).write_text(code)
    bench = Workbench.open(workspace, allow=("write",))
    with pytest.raises(InvalidParams, match="declared elsewhere"):
        rename(bench, f"{path}::{symbol}", "other")


def test_a_declaration_that_adds_to_another_one_is_left_to_decide(workspace: Path) -> None:
    (workspace / "a.ts").write_text("export interface Till {}\n")
    (workspace / "b.ts").write_text("declare module './a' {\n  interface Till { b: 1 }\n}\n")
    bench = Workbench.open(workspace, allow=("write",))
    left = rename(bench, "a.ts::Till", "Drawer")["undecided"]
    assert isinstance(left, list)
    assert [(it["file"], it["line"]) for it in left] == [("b.ts", 2)]
    with pytest.raises(InvalidParams, match="adds to a declaration"):
        rename(bench, "b.ts::./a.Till", "Drawer")


def test_functions_of_one_name_in_two_blocks_are_left_to_decide(workspace: Path) -> None:
    code = "{\n  const f = () => 1;\n  f();\n}\n{\n  const f = () => 2;\n  f();\n}\n"
    (workspace / "a.ts").write_text(code + "{\n  const g = () => 1;\n  g();\n}\n")
    bench = Workbench.open(workspace, allow=("write",))
    assert rename(bench, "a.ts::f", "h")["undecided_total"] == 2
    shown = rename(bench, "a.ts::g", "h")
    assert (shown["places"], shown["undecided_total"]) == (2, 0)


@pytest.mark.parametrize(
    ("declarations", "file", "declared", "code"),
    [
        ("a.pyi", "a.py", "def help() -> None: ...\n", "def help(): ...\n"),
        ("types/index.d.ts", "a.js", "export class help {}\n", "export class help {}\n"),
    ],
)
def test_what_is_declared_in_a_file_of_its_own_is_left_to_decide(
    workspace: Path, declarations: str, file: str, declared: str, code: str
) -> None:
    (workspace / declarations).parent.mkdir(exist_ok=True)
    (workspace / declarations).write_text(declared)
    (workspace / file).write_text(code)
    bench = Workbench.open(workspace, allow=("write",))
    for one, other in ((declarations, file), (file, declarations)):
        left = rename(bench, f"{one}::help", "assist")["undecided"]
        assert isinstance(left, list)
        assert [(it["file"], it["line"]) for it in left] == [(other, 1)]
