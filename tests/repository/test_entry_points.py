"""Where programs start, in each ecosystem; the traits are those of real projects."""

from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.repository import read_manifests
from benchpin.repository._commands import find_entry_points
from repository_kit import tree_of

GO = "package main\n\nfunc main() {\n}\n"
GRADLE = 'application {\n  mainClass.set("org.example.RunKt")\n}\n'
POM = (
    "<project><groupId>g</groupId><artifactId>a</artifactId><build><plugins><plugin>"
    "<configuration><mainClass>{}</mainClass></configuration></plugin></plugins></build></project>"
)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"a.gemspec": "s.executables = all.grep(%r!^exe/!)\n", "exe/jewel": "#!ruby\n"},
            [("jewel", "main file", "exe/jewel")],
        ),
        (
            {"a.gemspec": 's.bindir = "exe"\ns.executables = ["jewel"]\n', "exe/jewel": "\n"},
            [("jewel", "executable", "exe/jewel")],
        ),
        (
            {
                "cmd/promtool/analyze.go": "package main\n\nfunc help() {}\n",
                "cmd/promtool/main.go": GO,
                "cmd/checker/check.go": GO,
                "cmd/checker/check_test.go": GO,
                "internal/cmd/lib/lib.go": "package lib\n",
            },
            [
                ("checker", "main file", "cmd/checker/check.go"),
                ("promtool", "main file", "cmd/promtool/main.go"),
            ],
        ),
        (
            {
                "Cargo.toml": '[package]\nname = "root"\n',
                "src/main.rs": "fn main() {}\n",
                "cli/Cargo.toml": '[package]\nname = "the-cli"\n\n[[bin]]\nname = "the-cli"\n',
                "cli/src/main.rs": "fn main() {}\n",
                "src/bin/extra.rs": "fn main() {}\n",
                "src/bin/more/main.rs": "fn main() {}\n",
                "fuzz/Cargo.toml": '[package]\nname = "f"\n\n[[bin]]\nname = "f"\npath = "f.rs"\n',
            },
            [
                ("the-cli", "executable", "src/main.rs"),
                ("root", "main file", "src/main.rs"),
                ("extra", "main file", "src/bin/extra.rs"),
                ("more", "main file", "src/bin/more/main.rs"),
            ],
        ),
        (
            {"app/build.gradle.kts": GRADLE, "app/src/main/kotlin/Run.kt": "fun main() {}\n"},
            [("RunKt", "executable", "org.example.RunKt")],
        ),
        ({"app/build.gradle.kts": GRADLE}, []),
        (
            {"pom.xml": POM.format("org.example.Run"), "src/main/java/Run.java": "class Run {}\n"},
            [("Run", "executable", "org.example.Run")],
        ),
        ({"pom.xml": POM.format("com.android.tools.r8.R8")}, []),
        (
            {
                "package.json": '{"name": "a", "bin": "cli.js", "main": "a.js"}',
                "playground/x/package.json": '{"name": "x", "main": "x.js"}',
                "docs/site/package.json": '{"name": "d", "main": "d.js"}',
                "deps/lib/CMakeLists.txt": "add_executable(test test.c)\n",
            },
            [("a", "executable", "cli.js"), ("a", "library", "a.js")],
        ),
        (
            {"composer.json": '{"name": "v/a", "bin": ["bin/tool"]}'},
            [("tool", "executable", "bin/tool")],
        ),
    ],
)
def test_programs_are_found(
    tmp_path: Path, files: dict[str, str], expected: list[tuple[str, str, str]]
) -> None:
    tree = tree_of(tmp_path, files)
    manifests, _ = read_manifests(tree, Job())
    found = find_entry_points(tree, manifests)
    assert [(it.name, it.kind, it.runs) for it in found] == expected
