"""Checkers of a project: which it has, and what they say that they did not say before."""

import json
from contextlib import suppress
from pathlib import Path, PurePosixPath

import pytest

from benchpin.core.calls import Permissions
from benchpin.run.checkers import CheckerMessage, find_checkers, new_messages
from benchpin.run.checkers._checkers import CHECKERS, UnreadableOutput, messages_of
from benchpin.run.tests import ProjectView

FILES = {
    "pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[tool.pyright]\n[tool.ty]\n",
    "tsconfig.json": "{}",
    "eslint.config.js": "",
    "go.mod": "module m\n",
    "Cargo.toml": "",
    "p/a.py": "",
    "web/a.ts": "",
    "a.go": "",
    "src/lib.rs": "",
    "src/main/java/m/A.java": "",
}
SAID = {
    "ruff": (
        json.dumps(
            [{"filename": "p/a.py", "location": {"row": 3}, "code": "F401", "message": "unused"}]
        ),
        ("p/a.py", 3, "F401", "unused", False),
    ),
    "mypy": (
        "p/a.py:4: error: Name 'x' is not defined  [name-defined]\np/a.py:4: note: See it\n",
        ("p/a.py", 4, "name-defined", "Name 'x' is not defined", True),
    ),
    "pyright": (
        json.dumps(
            {
                "generalDiagnostics": [
                    {
                        "file": "p/a.py",
                        "severity": "error",
                        "message": "no",
                        "rule": "reportX",
                        "range": {"start": {"line": 4}},
                    }
                ]
            }
        ),
        ("p/a.py", 5, "reportX", "no", True),
    ),
    "ty": (
        "error[unresolved-reference] p/a.py:6:4: Name `x` used when not defined\n",
        ("p/a.py", 6, "unresolved-reference", "Name `x` used when not defined", True),
    ),
    "tsc": (
        "web/a.ts(7,3): error TS2304: Cannot find name 'x'.\n",
        ("web/a.ts", 7, "TS2304", "Cannot find name 'x'.", True),
    ),
    "eslint": (
        json.dumps(
            [
                {
                    "filePath": "web/a.ts",
                    "messages": [{"line": 8, "severity": 2, "ruleId": "no-undef", "message": "x"}],
                }
            ]
        ),
        ("web/a.ts", 8, "no-undef", "x", True),
    ),
    "go vet": (
        "# m\nvet: ./a.go:9:2: undefined: x\n",
        ("a.go", 9, "", "undefined: x", True),
    ),
    "cargo check": (
        "src/lib.rs:10:5: error[E0425]: cannot find value `x`\nerror: could not compile\n",
        ("src/lib.rs", 10, "E0425", "cannot find value `x`", True),
    ),
    "javac": (
        "src/main/java/m/A.java:11: error: cannot find symbol\n  symbol: x\n1 error\n",
        ("src/main/java/m/A.java", 11, "", "cannot find symbol", True),
    ),
}


@pytest.fixture
def project(workspace: Path) -> ProjectView:
    for path, text in FILES.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text)
    return ProjectView(workspace.resolve(), PurePosixPath(), Permissions())


def test_a_project_has_the_checkers_that_its_files_name(project: ProjectView) -> None:
    found = find_checkers(project, list(FILES))
    assert [it.name for it, _ in found] == list(SAID)
    assert {it.name: files for it, files in found}["mypy"] == ["p/a.py"]
    assert [it.name for it, _ in find_checkers(project, ["a.go"])] == ["go vet"]


@pytest.mark.parametrize(
    ("file", "text", "asked"),
    [
        ("pyproject.toml", '[tool.mypy]\nfiles = ["src", "tests/typing"]\n', ["src/a.py"]),
        ("pyproject.toml", '[tool.mypy]\nexclude = "^tests/"\n', ["src/a.py"]),
        ("pyproject.toml", '[tool.mypy]\nexclude = ["(?=a)", "src/"]\n', ["tests/test_a.py"]),
        ("mypy.ini", "[mypy]\nfiles = src,\n    lib/*.py\n", ["src/a.py"]),
        ("setup.cfg", "[mypy]\npackages = src\n", ["src/a.py"]),
        ("pyproject.toml", "[tool.mypy]\nfiles = '.'\n", ["src/a.py", "tests/test_a.py"]),
        ("pyproject.toml", '[tool.pyright]\ninclude = ["src/**"]\n', ["src/a.py"]),
        ("pyrightconfig.json", '{"exclude": ["**/test_*.py"]}', ["src/a.py"]),
        ("pyproject.toml", '[tool.ty.src]\nexclude = ["tests"]\n', ["src/a.py"]),
    ],
)
def test_a_checker_is_asked_about_the_files_that_its_settings_name(
    workspace: Path, file: str, text: str, asked: list[str]
) -> None:
    (workspace / file).write_text(text)
    view = ProjectView(workspace.resolve(), PurePosixPath(), Permissions())
    assert [it[1] for it in find_checkers(view, ["src/a.py", "tests/test_a.py"])] == [asked]


def test_a_project_without_settings_has_only_the_compiler(workspace: Path) -> None:
    bare = ProjectView(workspace.resolve(), PurePosixPath(), Permissions())
    assert [it.name for it, _ in find_checkers(bare, list(FILES))] == ["javac"]


@pytest.mark.parametrize("name", SAID)
def test_what_a_checker_prints_is_read(project: ProjectView, name: str) -> None:
    checker = next(it for it in CHECKERS if it.name == name)
    printed, (file, line, code, message, is_error) = SAID[name]
    [found] = messages_of(checker, printed, "", project)
    assert found == CheckerMessage(name, file, line, code, message, is_error)


@pytest.mark.parametrize("name", SAID)
def test_output_of_any_form_is_no_problem(project: ProjectView, name: str) -> None:
    checker = next(it for it in CHECKERS if it.name == name)
    for text in ("", "{", "[", "Traceback\n  x: 1", "null", "a" * 10_000, "x:1:1:" * 1_000):
        with suppress(UnreadableOutput):
            assert list(messages_of(checker, text, text, project)) == []


@pytest.mark.parametrize("name", ["ruff", "pyright", "eslint"])
@pytest.mark.parametrize(
    "text", ["[1]", '{"generalDiagnostics": 1}', "[" * 9_999, '[{"messages": [1]}]']
)
def test_json_of_another_form_is_refused_and_not_taken_for_no_problem(
    project: ProjectView, name: str, text: str
) -> None:
    checker = next(it for it in CHECKERS if it.name == name)
    with pytest.raises(UnreadableOutput):
        list(messages_of(checker, text, "", project))


def test_only_what_was_not_there_before_is_new() -> None:
    old = CheckerMessage("mypy", "a.py", 3, "x", "no")
    moved = CheckerMessage("mypy", "a.py", 9, "x", "no")
    again = CheckerMessage("mypy", "a.py", 12, "x", "no")
    assert new_messages([old], [moved, again]) == [again]


def test_a_compiler_without_libraries_says_only_what_it_knows(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("")
    javac = next(it for it in CHECKERS if it.name == "javac")
    project = ProjectView(tmp_path, PurePosixPath(), Permissions())
    known = "A.java:9: error: incompatible types: String cannot be converted to int\n"
    unknown = "A.java:7: error: cannot find symbol\n"

    def lines(text: str) -> list[int]:
        return [it.line for it in messages_of(javac, "", text, project)]

    assert lines(unknown + known) == [7, 9]
    assert lines(f"A.java:1: error: package org.junit does not exist\n{unknown}{known}") == [9]
