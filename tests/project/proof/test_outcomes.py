"""What is said of a run of tests that showed nothing."""

from benchpin.project.proof import _test_bed
from benchpin.project.proof._steps import may_loop
from benchpin.run.tests import FailedTest

MAVEN = """[INFO] BUILD FAILURE
[ERROR] Failed to execute goal surefire:3.6.1:test: Plugin surefire could not be resolved
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
[ERROR] [Help 1] PluginResolutionException
"""


def test_the_error_of_maven_is_said_and_not_the_notes_of_java() -> None:
    said = _test_bed._said_last(MAVEN, "Picked up JAVA_TOOL_OPTIONS: -Xmx768m\n")
    assert said == (
        "it says: [ERROR] Failed to execute goal surefire:3.6.1:test: Plugin surefire could not be "
        "resolved; what it needs is not fetched: run the tests once yourself"
    )


def test_without_an_error_the_last_lines_are_said() -> None:
    assert _test_bed._said_last("one\ntwo\n", "") == "it ends with: one; two"


def test_what_did_not_run_as_a_test_without_a_network_ended_the_program_runs_again() -> None:
    ended = FailedTest(
        name="m.TestServer/http",
        file=None,
        line=None,
        message="panic: httptest: failed to listen on a port: listen tcp6 [::1]:0",
        excerpt="",
    )
    run = _test_bed.TestOutcome(passed={"m.TestOne"}, failed={ended.name: ended})
    tests = ["m_test.go::TestOne", "m_test.go::TestServer", "m_test.go::TestTwo"]
    assert _test_bed._cut_off(run, tests) == ["m_test.go::TestOne", "m_test.go::TestTwo"]
    wrong = ended.model_copy(update={"message": "panic: index out of range"})
    assert _test_bed._cut_off(_test_bed.TestOutcome(failed={wrong.name: wrong}), tests) == []


def test_a_run_that_does_not_end_says_something_only_of_code_that_may_loop() -> None:
    assert may_loop("def f(a):\n    while a:\n        a -= 1\n", "f")
    assert may_loop("fn f(a: u32) -> u32 {\n    if a > 1 { f(a - 1) } else { 1 }\n}", "f")
    assert not may_loop("def widest(rows):\n    return max(rows, default=0)\n", "widest")
    assert not may_loop("func before(a int) int {\n\treturn forward(a)\n}", "before")
