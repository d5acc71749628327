"""What runners wrote for small projects with known failures, in `runs/`, as it is read.

`/ROOT` in a run is the workspace; otherwise it is as the runner wrote it.
"""

import json
import re
from pathlib import Path, PurePosixPath

import pytest

from benchpin.core.calls import Permissions
from benchpin.run.tests import (
    Harness,
    ProjectView,
    Runner,
    RunnerCommand,
    RunnerName,
    RunnerOutput,
    RunResults,
    UnreadableReport,
)
from benchpin.run.tests._runners import RUNNERS

RUNS = Path(__file__).parent / "runs"
_BY_NAME = {it.name: it for it in RUNNERS}


def read(run: str, workspace: Path, name: str | None = None) -> RunResults:
    """Read a run with the reader of its runner."""
    text = (RUNS / f"{run}.json").read_text(encoding="utf-8").replace("/ROOT", str(workspace))
    made = json.loads(text)
    for path, content in made["files"].items():
        place = workspace / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    reports = [(path, content) for path, content in made["reports"]]
    outcome = RunnerOutput(made["stdout"], made["stderr"], made["exit_code"], reports)
    project = ProjectView(workspace, PurePosixPath(), Permissions())
    return _BY_NAME[name or run].read(outcome, project)  # type: ignore[index]  # a name of these


EXPECTED: dict[str, list[tuple[str, str, int | None, str]]] = {
    "pytest": [
        ("tests/test_a.py::TestX::test_deep", "tests/test_a.py", 5, "ValueError: too big: 3"),
        (
            *("tests/test_a.py::test_p[2]", "tests/test_a.py", 9),
            "AssertionError: assert {'a': 2} == {'a': 1}",
        ),
        (
            *("tests/test_a.py::test_err", "tests/test_a.py", 14),
            'failed on setup with "RuntimeError: fixture"',
        ),
    ],
    "unittest": [
        (
            *("tests.test_u.A.test_no", "tests/test_u.py", 6),
            "AssertionError: Lists differ: [1, 2] != [1, 3]",
        ),
        ("tests.test_u.A.test_sub", "tests/test_u.py", 12, "AssertionError: 2 not less than 2"),
    ],
    "go": [
        ("example.com/m/sub.TestNo/case_one", "sub/a_test.go", 9, "got 1, want 2"),
        (
            *("example.com/m/sub.TestPanic", "sub/a_test.go", 13),
            "panic: assignment to entry in nil map [recovered]",
        ),
        ("example.com/m/broken", "broken/b_test.go", 5, "undefined: undefinedThing"),
    ],
    "cargo": [
        ("tests::no", "src/lib.rs", 11, "assertion `left == right` failed: two is not three"),
        ("integration", "tests/it.rs", 2, "a value"),
        ("src/lib.rs - two (line 1)", "src/lib.rs", 1, "assertion `left == right` failed"),
    ],
    "node": [
        (
            *("suite fails", "a.test.js", 7),
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:",
        ),
        ("throws", "a.test.js", 10, "TypeError [Error]: bad type"),
    ],
    "mocha": [
        (
            *("suite fails", "test/a.js", 4),
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
        ),
    ],
    "jest": [
        (
            *("suite fails", "src/a.test.js", 3),
            "Error: expect(received).toEqual(expected) // deep equality",
        ),
        (
            *("src/bad.test.js", "src/bad.test.js", 1),
            "Cannot find module './nowhere' from 'src/bad.test.js'",
        ),
    ],
    "vitest": [
        (
            *("suite fails", "src/a.test.js", 4),
            "AssertionError: expected { a: 1 } to deeply equal { a: 2 }",
        ),
        ("src/bad.test.js", "src/bad.test.js", None, "Cannot find module './nowhere.js' imported"),
    ],
    "phpunit": [
        (
            "HalfTest::testBad",
            "tests/HalfTest.php",
            9,
            "Failed asserting that 2 is identical to 3.",
        ),
        ("HalfTest::testError", "tests/HalfTest.php", 13, "InvalidArgumentException: negative"),
        (
            *('HalfTest::testEach with data set "nine"', "tests/HalfTest.php", 17),
            "Failed asserting that 4 is identical to 1.",
        ),
    ],
    "gradle": [
        (
            *("a.HalfTest#bad", "src/test/java/a/HalfTest.java", 8),
            "java.lang.AssertionError: expected:<3> but was:<2>",
        ),
        (
            *("a.HalfTest#error", "src/test/java/a/HalfTest.java", 11),
            "java.lang.IllegalArgumentException: negative",
        ),
    ],
    "maven": [
        (
            *("a.TwoTest#no", "src/test/java/a/TwoTest.java", 7),
            "two is not three ==> expected: <3> but was: <2>",
        ),
        ("a.TwoTest#deep", "src/test/java/a/TwoTest.java", 9, "inner"),
    ],
}
COUNTS = {
    "pytest": (2, 3, 1),
    "unittest": (1, 2, 1),
    "go": (1, 3, 1),
    "cargo": (1, 3, 1),
    "node": (1, 2, 1),
    "mocha": (1, 1, 1),
    "jest": (1, 2, 1),
    "vitest": (1, 2, 1),
    "maven": (1, 2, 1),
    "gradle": (1, 2, 1),
    "phpunit": (2, 3, 1),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_failures_have_a_name_a_place_and_a_message(name: str, workspace: Path) -> None:
    results = read(name, workspace)
    found = [(it.name, it.file, it.line) for it in results.failures]
    assert found == [it[:3] for it in EXPECTED[name]]
    for failure, expected in zip(results.failures, EXPECTED[name], strict=True):
        assert failure.message.startswith(expected[3])
        assert failure.excerpt
        assert str(workspace.parent) not in failure.name


@pytest.mark.parametrize("name", COUNTS)
def test_passed_failed_and_skipped_tests_are_counted(name: str, workspace: Path) -> None:
    results = read(name, workspace)
    assert (results.passed, results.failed, results.skipped) == COUNTS[name]


def test_the_excerpt_of_pytest_starts_in_the_test_and_ends_with_the_error(workspace: Path) -> None:
    assert read("pytest", workspace).failures[0].excerpt.splitlines() == [
        "tests/test_a.py:5: in test_deep",
        "    check(3)",
        "helper.py:3: in check",
        '    raise ValueError("too big: %d" % n)',
        "E   ValueError: too big: 3",
    ]


def test_a_stack_has_only_the_lines_of_the_project(workspace: Path) -> None:
    panic = read("go", workspace).failures[1].excerpt
    assert panic.splitlines()[-1].endswith("sub/a_test.go:13 +0x2e")
    assert "/usr/lib" not in panic


def test_a_stack_of_java_has_only_the_lines_of_the_project(workspace: Path) -> None:
    assert read("maven", workspace).failures[1].excerpt.splitlines() == [
        "java.lang.IllegalStateException: inner",
        "\tat a.Two.fail(Two.java:4)",
        "\tat a.TwoTest.deep(TwoTest.java:9)",
    ]


def test_a_module_that_cannot_be_imported_is_a_failure(workspace: Path) -> None:
    (failure,) = read("pytest-collection", workspace, "pytest").failures
    assert (failure.name, failure.file, failure.line) == (
        *("tests/test_bad.py", "tests/test_bad.py", 1),
    )
    assert failure.message == "ModuleNotFoundError: No module named 'nowhere_at_all'"


@pytest.mark.parametrize(
    ("run", "place", "message"),
    [
        ("cargo-build", ("src/lib.rs", 4), "mismatched types"),
        ("maven-build", ("src/main/java/a/Two.java", 3), "incompatible types"),
    ],
)
def test_errors_of_the_compiler_are_failures(
    run: str, place: tuple[str, int], message: str, workspace: Path
) -> None:
    failure = read(run, workspace, run.partition("-")[0]).failures[0]
    assert (failure.name, failure.file, failure.line) == ("build", *place)
    assert failure.message.startswith(message)


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda it: it.name)
def test_output_that_is_no_report_is_not_taken_for_success(runner: Runner, workspace: Path) -> None:
    project = ProjectView(workspace, PurePosixPath(), Permissions())
    for reports in ([], [("a", "")], [("a", "{}")], [("a", "<a/>")], [("a", "[" * 100_000)]):
        with pytest.raises(UnreadableReport):
            runner.read(RunnerOutput("all is well\n", "", 0, reports), project)


@pytest.mark.parametrize("name", ["jest", "vitest", "mocha"])
def test_a_report_of_very_many_objects_is_refused_before_it_is_decoded(
    name: RunnerName, workspace: Path
) -> None:
    project = ProjectView(workspace, PurePosixPath(), Permissions())
    text = f'{{"stats": {{}}, "testResults": [{"{}," * 300_000}{{}}]}}'
    with pytest.raises(UnreadableReport, match="over 300,000 objects"):
        _BY_NAME[name].read(RunnerOutput("", "", 0, [("report.json", text)]), project)


@pytest.mark.parametrize(
    "ending", ['{"reports": [[], []]}', "[" * 100_000, '{"x":' + "[" * 9_999, "{}", "\ud800"]
)
def test_an_ending_that_tests_forged_is_garbled(ending: str) -> None:
    harness = Harness(RunnerCommand(("true",)), 10)
    [mark] = re.findall(r"benchpin-\w+:", harness.script)
    outcome = harness.take_apart(f"printed\n{mark}{ending}\n", "", 0)
    assert (outcome.reports, outcome.problems) == ([], ("its reports were garbled",))


@pytest.mark.parametrize(
    "run", ["pytest", "go", "cargo", "node", "mocha", "jest", "vitest", "phpunit", "maven"]
)
def test_the_tests_that_did_not_fail_are_named(run: str, workspace: Path) -> None:
    found = read(run, workspace)
    assert len(found.passed_names) == found.passed > 0
    assert {it.name for it in found.failures}.isdisjoint(found.passed_names)


def test_a_go_package_whose_module_is_missing_says_which_and_why(workspace: Path) -> None:
    # What go 1.26 writes: the output of the build names the module, the package names the build.
    (workspace / "go.mod").write_text("module example.com/a\n", encoding="utf-8")
    (workspace / "help.go").write_text("package a\n" * 12, encoding="utf-8")
    said = "help.go:11:2: example.org/tabs@v1.0.0: no network\n"
    events = [
        {"ImportPath": "example.org/tabs", "Action": "build-output", "Output": "# example.com/a\n"},
        {"ImportPath": "example.org/tabs", "Action": "build-output", "Output": said},
        {"ImportPath": "example.org/tabs", "Action": "build-fail"},
        {"Action": "start", "Package": "example.com/a"},
        {
            "Action": "output",
            "Package": "example.com/a",
            "Output": "FAIL\texample.com/a [setup failed]\n",
        },
        {"Action": "fail", "Package": "example.com/a", "FailedBuild": "example.org/tabs"},
    ]
    outcome = RunnerOutput("".join(f"{json.dumps(it)}\n" for it in events), "", 1, [])
    project = ProjectView(workspace, PurePosixPath(), Permissions())
    [failure] = _BY_NAME["go"].read(outcome, project).failures
    assert (failure.file, failure.line) == ("help.go", 11)
    assert "example.org/tabs@v1.0.0: no network" in failure.message
