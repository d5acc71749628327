"""What is said of a run of tests that showed nothing."""

from benchpin.project.proof._test_bed import _said_last

MAVEN = """[INFO] BUILD FAILURE
[ERROR] Failed to execute goal surefire:3.6.1:test: Plugin surefire could not be resolved
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
[ERROR] [Help 1] PluginResolutionException
"""


def test_the_error_of_maven_is_said_and_not_the_notes_of_java() -> None:
    said = _said_last(MAVEN, "Picked up JAVA_TOOL_OPTIONS: -Xmx768m\n")
    assert said == (
        "it says: [ERROR] Failed to execute goal surefire:3.6.1:test: Plugin surefire could not be "
        "resolved; what it needs is not fetched: run the tests once yourself"
    )


def test_without_an_error_the_last_lines_are_said() -> None:
    assert _said_last("one\ntwo\n", "") == "it ends with: one; two"
