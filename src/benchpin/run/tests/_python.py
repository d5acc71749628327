"""pytest and unittest."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ._command import TMP, Runner, RunnerCommand, RunnerOutput
from ._project_view import ProjectView, choose_interpreter, failing_place, find_interpreters
from ._results import JUnitCase, Place, RunResults, UnreadableReport, read_junit

_FRAME = re.compile(r"^(?P<file>[^\s:][^:\n]{0,400}):(?P<line>\d{1,7}): ", re.MULTILINE)
_TRACEBACK = re.compile(
    r'^[ \t]*+File "(?P<file>[^"\n]{1,400})", line (?P<line>\d{1,7})', re.MULTILINE
)
_LAST_ERROR = re.compile(r"^E +([^\n]{1,400})$", re.MULTILINE)
_PASSED = re.compile(r"\b(\d{1,9}) passed\b")
_MAX_SUMMARY_CHARS = 500
# Its end has the innermost frames.
_MAX_TRACEBACK_CHARS = 16 << 10
_VAGUE = {"collection failure", "failed on setup", "failed on teardown"}
_MENTIONS = (
    *("pytest.ini", ".pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py"),
    *("Pipfile", "setup.py", "requirements.txt", "dev-requirements.txt", "requirements-dev.txt"),
)
_TEST_FOLDERS = (".", "tests", "test")
_HEADER = re.compile(r"^(?:FAIL|ERROR): (?P<name>[^\n]{1,400})$", re.MULTILINE)
_RAN = re.compile(r"^Ran (?P<count>\d{1,9}) tests? in ", re.MULTILINE)
_COUNTS = re.compile(r"(?P<what>failures|errors|skipped|expected failures)=(?P<count>\d{1,9})")
_RULE = "=" * 70
_THIN_RULE = "-" * 70


def _test_files(project: ProjectView) -> list[str]:
    return [
        f"{folder}/{name}"
        for folder in _TEST_FOLDERS
        for name in project.names(folder)
        if name.endswith("_test.py") or (name.startswith("test") and name.endswith(".py"))
    ]


def _uses_pytest(project: ProjectView) -> bool:
    if any("pytest" in project.read(it) for it in _MENTIONS if project.has(it)):
        return True
    if any(project.has(it) for it in ("pytest.ini", "conftest.py", "tests/conftest.py")):
        return True
    if _imports_unittest(project):
        return False
    return any("def test" in project.read(it) for it in _test_files(project))


def _imports_unittest(project: ProjectView) -> bool:
    return any("unittest" in project.read(it) for it in _test_files(project))


def _uses_unittest(project: ProjectView) -> bool:
    return _imports_unittest(project) and not _uses_pytest(project)


def _python_command(
    project: ProjectView, module: str, arguments: Sequence[str], package: str = ""
) -> RunnerCommand:
    """Return the command that runs a module with the interpreter of the project."""
    found = find_interpreters(project)
    chosen = choose_interpreter(found, package)
    program = "python3" if chosen is None else chosen.program
    outside = () if chosen is None or not chosen.outside else (chosen.outside,)
    lacking = [it.program for it in found] or [program]
    needs = f"{package} is in no environment of the project; looked in {', '.join(lacking)}"
    return RunnerCommand(
        (program, "-m", module, *arguments),
        home=outside,
        needs={f"No module named {package}": needs} if package else {},
    )


def _pytest_command(project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    options = (
        *("--color=no", "--tb=short", "-o", f"cache_dir={TMP}/cache"),
        # A file that cannot be loaded keeps the others from running otherwise.
        "--continue-on-collection-errors",
        # xunit1 has the file of each test; the other family leaves it out.
        *("-o", "junit_family=xunit1", f"--junitxml={TMP}/report.xml"),
    )
    return replace(
        _python_command(project, "pytest", (*options, *tests), package="pytest"),
        # Hypothesis fails where it cannot write its examples.
        read_only_environment={"HYPOTHESIS_STORAGE_DIRECTORY": f"{TMP}/hypothesis"},
        reports=(f"{TMP}/report.xml",),
    )


def _read_pytest(outcome: RunnerOutput, project: ProjectView) -> RunResults:
    report = read_junit(outcome.reports)
    results = RunResults("JUnit XML", passed=report.passed, skipped=report.skipped)
    for case, is_passed in report.others:
        results.add_name(_node_id(case), is_passed=is_passed)
    for case in report.failures:
        frames = project.frames(_FRAME, case.text[-_MAX_TRACEBACK_CHARS:])[::-1]
        own = project.place(case.file) if case.file else None
        # pytest counts the lines of definitions from 0.
        place = failing_place(frames, own, None if case.line is None else case.line + 1)
        message = _LAST_ERROR.findall(case.text)[-1:] if case.message in _VAGUE else ()
        text = _last_frame(case.text, place)
        results.add_failure(_node_id(case), place, "".join(message) or case.message, text)
    results.failed = report.failed
    if outcome.is_timed_out:
        # The report has the test that was interrupted too, and does not say so; the summary does,
        # if pytest got to it.
        counted = _PASSED.findall(outcome.stdout[-_MAX_SUMMARY_CHARS:])
        most = int(counted[-1]) if counted else max(0, results.passed - 1)
        results.passed = min(results.passed, most)
    return results


def _node_id(case: JUnitCase) -> str:
    """Return the id that pytest takes: `tests/test_a.py::Case::test_b`."""
    if case.file is None:
        return case.name
    module = case.file.removesuffix(".py").replace("/", ".")
    if not case.class_name and case.name == module:  # it could not be imported
        return case.file
    classes = case.class_name.removeprefix(module).strip(".")
    parts = [case.file, *(classes.split(".") if classes else ()), case.name]
    return "::".join(it for it in parts if it)


def _last_frame(text: str, place: Place | None) -> str:
    """Return the traceback from the place on: what is before it are callers."""
    if place is None or place[1] is None:
        return text
    name = f"{place[0].rpartition('/')[2]}:{place[1]}: "
    start = text.rfind(name)
    return text if start < 0 else text[text.rfind("\n", 0, start) + 1 :]


def _unittest_command(project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    return _python_command(project, "unittest", tests or ("discover",))


def _read_unittest(outcome: RunnerOutput, project: ProjectView) -> RunResults:
    """Read what unittest prints: it writes no other format."""
    text = outcome.stderr
    ran = list(_RAN.finditer(text))
    if not ran:
        raise UnreadableReport("unittest did not get to its summary")
    ending = text[ran[-1].end() :]
    counts = {it["what"]: int(it["count"]) for it in _COUNTS.finditer(ending)}
    results = RunResults("text of unittest")
    for section in text[: ran[-1].start()].split(_RULE)[1:]:
        header = _HEADER.search(section)
        if header is not None:
            _add_section(results, header["name"], section[header.end() :], project)
    results.failed = counts.get("failures", 0) + counts.get("errors", 0)
    results.skipped = counts.get("skipped", 0)
    results.passed = max(0, int(ran[-1]["count"]) - results.failed - results.skipped)
    return results


def _add_section(results: RunResults, title: str, section: str, project: ProjectView) -> None:
    body = section.partition(_THIN_RULE)[2].partition(_THIN_RULE)[0].strip()
    test, _, where = title.partition(" (")
    inside = where.partition(")")[0]
    # Since 3.11 the dotted name ends with that of the test.
    name = inside if inside.endswith(f".{test}") else f"{inside}.{test}" if inside else test
    frames = project.frames(_TRACEBACK, body)
    # The error follows the last frame; differences of values follow the error.
    after = body[body.rfind('\n  File "') + 1 :].splitlines()
    message = next((it for it in after if it and not it[0].isspace()), "")
    excerpt = body.partition("Traceback (most recent call last):\n")[2] or body
    results.add_failure(name, frames[-1] if frames else None, message, excerpt)


def _pytest_coverage(project: ProjectView, _files: Sequence[str]) -> RunnerCommand | None:
    """Return the options of pytest-cov; the environment of the project has to have it."""
    chosen = choose_interpreter(find_interpreters(project), "pytest")
    if chosen is None or "pytest_cov" not in chosen.packages:
        return None
    report = f"{TMP}/lcov.info"
    # A part of the tests is enough for no limit of a project. `--cov` takes what follows for a
    # folder: at the end it means what the settings of the project say, or all that is imported.
    options = (f"--cov-report=lcov:{report}", "--cov-fail-under=0", "--cov")
    return RunnerCommand(
        options, environment={"COVERAGE_FILE": f"{TMP}/coverage"}, reports=(report,)
    )


PYTEST = Runner(
    "pytest",
    (".py",),
    _uses_pytest,
    _pytest_command,
    _read_pytest,
    cover=_pytest_coverage,
    stop_option="--maxfail=1",
    to_profile="python3 -m pytest",
)
UNITTEST = Runner(
    "unittest",
    (".py",),
    _uses_unittest,
    _unittest_command,
    _read_unittest,
    to_profile="python3 -m unittest",
)
