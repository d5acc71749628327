"""Which runner a project has, and how it is started."""

from pathlib import Path, PurePosixPath

import pytest

from benchpin.core.calls import Permissions
from benchpin.core.errors import InvalidParams
from benchpin.run.tests import ProjectView, choose_runner
from benchpin.run.tests._runners import RUNNERS, find_runners

MOCHA = (
    '{"scripts": {"test": "npm run lint && NODE_ENV=test mocha -r ./env.js --reporter spec test/"},'
    ' "devDependencies": {"mocha": "^10"}}'
)
PROJECTS: dict[str, dict[str, str]] = {
    "pytest": {"pyproject.toml": "[dependency-groups]\ndev = ['pytest']\n"},
    "unittest": {"tests/test_a.py": "import unittest\n", "setup.py": ""},
    "go": {"go.mod": "module example.com/m\n"},
    "cargo": {"Cargo.toml": "[package]\n"},
    "vitest": {"package.json": '{"devDependencies": {"vitest": "^3"}}'},
    "jest": {"package.json": '{"scripts": {"test": "cross-env CI=1 jest --coverage"}}'},
    "mocha": {"package.json": MOCHA},
    "node": {"package.json": '{"scripts": {"test": "node --test test/*.js"}}'},
    "npm": {"package.json": '{"scripts": {"test": "tape test/*.js"}}'},
    "maven": {"pom.xml": "<project/>"},
    "gradle": {"build.gradle.kts": ""},
    "phpunit": {"phpunit.xml.dist": "<phpunit/>", "composer.json": "{}"},
    "make": {"Makefile": "all:\n\ntest: all\n\ttrue\n"},
}


def made(workspace: Path, files: dict[str, str], folder: str = ".") -> ProjectView:
    for path, content in files.items():
        place = workspace / folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    return ProjectView(workspace, PurePosixPath(folder), Permissions())


def argv(workspace: Path, name: str, *tests: str) -> tuple[str, ...]:
    runner = next(it for it in RUNNERS if it.name == name)
    command = runner.command(ProjectView(workspace, PurePosixPath(), Permissions()), tests)
    return (*command.argv, *command.globs)


@pytest.mark.parametrize("name", PROJECTS)
def test_the_runner_is_found_by_the_files_of_the_project(name: str, workspace: Path) -> None:
    chosen, others = choose_runner(made(workspace, PROJECTS[name]), (), None)
    assert (chosen.name, others) == (name, [])


def test_every_runner_is_in_this_test() -> None:
    assert {it.name for it in RUNNERS} == set(PROJECTS)


def test_settings_that_are_named_like_tests_do_not_make_a_runner(workspace: Path) -> None:
    project = made(workspace, {"tests/test_sqlite.py": "DATABASES = {}\n", "setup.py": ""})
    assert not find_runners(project)
    made(workspace, {"tests/test_a.py": "def test_a():\n    pass\n"})
    again = ProjectView(workspace, PurePosixPath(), Permissions())
    assert [it.name for it in find_runners(again)] == ["pytest"]


def test_the_file_of_a_test_decides_between_runners(workspace: Path) -> None:
    project = made(workspace, PROJECTS["pytest"] | PROJECTS["vitest"])
    assert [it.name for it in find_runners(project)] == ["pytest", "vitest"]
    for test, expected in (("web/a.test.ts", "vitest"), ("tests/test_a.py::test_b", "pytest")):
        assert choose_runner(project, [test], None)[0].name == expected


def test_a_folder_without_a_runner_names_the_folders_that_have_one(workspace: Path) -> None:
    made(workspace, PROJECTS["go"], "server")
    made(workspace, PROJECTS["jest"], "web")
    with pytest.raises(InvalidParams, match="No test runner") as caught:
        choose_runner(made(workspace, {"README.md": ""}), (), None)
    assert caught.value.suggestion == "Give one of these as path: server (go), web (jest)."


def test_a_denied_manifest_is_not_read(workspace: Path) -> None:
    made(workspace, {".env.local/package.json": PROJECTS["jest"]["package.json"]})
    assert not find_runners(ProjectView(workspace, PurePosixPath(".env.local"), Permissions()))


def test_pytest_runs_with_the_interpreter_of_the_project(workspace: Path) -> None:
    made(workspace, PROJECTS["pytest"])
    command = argv(workspace, "pytest", "tests/test_a.py::test_b")
    assert command[:3] == ("python3", "-m", "pytest")
    (workspace / ".venv" / "bin").mkdir(parents=True)
    (workspace / ".venv" / "bin" / "python").symlink_to("/nowhere/python")
    command = argv(workspace, "pytest", "tests/test_a.py::test_b")
    assert command[:3] == (".venv/bin/python", "-m", "pytest")
    assert command[-1] == "tests/test_a.py::test_b"


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ((), ("./...",)),
        (("./sub",), ("./sub",)),
        (("sub/a_test.go",), ("-run", "^(TestA|FuzzB)$", "./sub")),
        (("example.com/m/sub.TestA/case",), ("-run", "^TestA$/^case$", "example.com/m/sub")),
        (("TestA",), ("-run", "^TestA$", "./...")),
        (("TestA", "TestB/x"), ("-run", "^(TestA|TestB)$", "./...")),
    ],
)
def test_go_takes_files_packages_and_names(
    tests: tuple[str, ...], expected: tuple[str, ...], workspace: Path
) -> None:
    made(workspace, {"sub/a_test.go": "func TestA(t *T) {}\nfunc FuzzB(f *F) {}\n"})
    assert argv(workspace, "go", *tests) == ("go", "test", "-json", *expected)


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ((), ()),
        (("tests/it.rs",), ("--test", "it")),
        (("a::b", "c"), ("--", "a::b", "c")),
        (("src/a/b.rs",), ("--", "a::b")),
        (("src/lib.rs",), ("--", "tests")),
    ],
)
def test_cargo_takes_files_and_names(
    tests: tuple[str, ...], expected: tuple[str, ...], workspace: Path
) -> None:
    assert argv(workspace, "cargo", *tests) == ("cargo", "test", "--no-fail-fast", *expected)


def test_the_options_of_the_script_are_kept_and_its_files_replaced(workspace: Path) -> None:
    made(workspace, {**PROJECTS["mocha"], "test/a.js": ""})
    everything = argv(workspace, "mocha")
    assert everything[:5] == ("mocha", "-r", "./env.js", "--reporter", "spec")
    assert everything[-1] == "test/"
    some = argv(workspace, "mocha", "test/a.js", "adds (1+1)")
    assert some[-3:] == ("--grep", r"adds \(1\+1\)", "test/a.js")
    assert "test/" not in some


def test_an_option_is_not_given_twice(workspace: Path) -> None:
    made(workspace, {"package.json": '{"scripts": {"test": "tsc && vitest --run --coverage"}}'})
    assert argv(workspace, "vitest")[:3] == ("vitest", "--coverage", "--run")
    made(workspace, {"package.json": '{"scripts": {"test": "vitest run src"}}'})
    assert argv(workspace, "vitest")[:2] == ("vitest", "--run")
    assert argv(workspace, "vitest")[-1] == "src"


def test_globs_of_node_are_expanded_because_it_may_not_do_so(workspace: Path) -> None:
    made(workspace, {**PROJECTS["node"], "test/a.js": ""})
    assert argv(workspace, "node")[-1] == "test/*.js"
    assert argv(workspace, "node", "test/a.js")[-1] == "test/a.js"


def test_java_classes_are_named_by_their_files(workspace: Path, home: Path) -> None:
    made(workspace, {"mvnw": ""})
    given = ("src/test/java/a/TwoTest.java", "a.B#c")
    assert argv(workspace, "maven", *given)[0] == "mvn"
    (home / ".m2" / "wrapper" / "dists").mkdir(parents=True)
    assert argv(workspace, "maven", *given)[:2] == ("sh", "mvnw")
    assert "-Dtest=TwoTest,a.B#c" in argv(workspace, "maven", *given)
    assert argv(workspace, "gradle", *given)[-4:] == ("--tests", "TwoTest", "--tests", "a.B.c")


@pytest.mark.parametrize("name", PROJECTS)
def test_a_command_is_made_for_a_user_without_a_home_folder(
    workspace: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert argv(workspace, name)


def test_gradle_is_the_one_that_the_wrapper_has_fetched(workspace: Path, home: Path) -> None:
    url = "https\\://services.gradle.org/distributions/gradle-8.10.2-bin.zip"
    settings = {"gradle/wrapper/gradle-wrapper.properties": f"distributionUrl={url}\n"}
    made(workspace, {"gradlew": "", **settings})
    assert argv(workspace, "gradle")[0] == "gradle"
    program = home / ".gradle/wrapper/dists/gradle-8.10.2-bin/a1b2/gradle-8.10.2/bin/gradle"
    program.parent.mkdir(parents=True)
    program.write_text("", encoding="utf-8")
    assert argv(workspace, "gradle")[0] == str(program)


def test_gradle_writes_to_a_home_of_its_own_and_reads_what_was_fetched(
    workspace: Path, home: Path
) -> None:
    (home / ".gradle" / "caches").mkdir(parents=True)
    runner = next(it for it in RUNNERS if it.name == "gradle")
    command = runner.command(made(workspace, PROJECTS["gradle"]), ())
    assert command.environment == {
        "GRADLE_USER_HOME": "@TMP@/gradle",
        "GRADLE_RO_DEP_CACHE": str(home / ".gradle" / "caches"),
        "JAVA_TOOL_OPTIONS": "-Xmx768m -XX:TieredStopAtLevel=1",
        "JDK_JAVA_OPTIONS": "-Xss4m",
    }


def test_phpunit_takes_one_file_and_filters_several(workspace: Path) -> None:
    made(workspace, {"vendor/bin/phpunit": "", "tests/ATest.php": "", "tests/BTest.php": ""})
    assert argv(workspace, "phpunit", "tests/ATest.php")[-1] == "tests/ATest.php"
    both = argv(workspace, "phpunit", "tests/ATest.php", "tests/BTest.php")
    assert both[:2] == ("php", "vendor/bin/phpunit")
    assert both[-2:] == ("--filter", r"/(ATest\:\:|BTest\:\:)/")


def test_make_takes_no_tests(workspace: Path) -> None:
    with pytest.raises(InvalidParams, match="takes no tests"):
        argv(workspace, "make", "a")
