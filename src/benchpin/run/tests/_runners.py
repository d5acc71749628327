"""All runners, and which of them a project has."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from benchpin.core.errors import InvalidParams

from ._cargo import CARGO
from ._command import TMP, Runner, RunnerCommand, RunnerName, RunnerOutput, by_exit_status
from ._go import GO
from ._javascript import JEST, MOCHA, NODE, NPM, VITEST
from ._jvm import GRADLE, MAVEN
from ._project_view import ProjectView, any_of, failing_place, files_of
from ._python import PYTEST, UNITTEST
from ._results import JUnitCase, RunResults, read_junit

_MAKE_NAMES = ("GNUmakefile", "makefile", "Makefile")
_MAKE_TARGET = re.compile(r"^test\s*+:(?!=)", re.MULTILINE)
# Without the second, it writes a file into the project.
_PHPUNIT_OPTIONS = ("--colors=never", "--do-not-cache-result")
_PHPUNIT_PLACE = re.compile(r"^(?P<file>/[^\s:]{1,400}\.php):(?P<line>\d{1,7})$", re.MULTILINE)
_SKIPPED = frozenset({"node_modules", "vendor", "target", "build", "dist"})
_MAX_FOLDERS = 200


def _uses_make(project: ProjectView) -> bool:
    name = next((it for it in _MAKE_NAMES if project.has(it)), None)
    return name is not None and _MAKE_TARGET.search(project.read(name)) is not None


def _make_command(_project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    if tests:
        raise InvalidParams(
            f"make test takes no tests, and {tests[0]!r} was given",
            suggestion="Leave tests out, or name the runner, such as pytest.",
        )
    return RunnerCommand(("make", "test"))


MAKE = Runner("make", (), _uses_make, _make_command, by_exit_status)


def _uses_phpunit(project: ProjectView) -> bool:
    names = ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "vendor/bin/phpunit")
    return any(project.has(it) for it in names)


def _phpunit_command(project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    start = ("php", "vendor/bin/phpunit") if project.has("vendor/bin/phpunit") else ("phpunit",)
    files, names = files_of(tests, project)
    # PHPUnit takes one path; of several, the classes are named as the files.
    if len(files) > 1 or (files and names):
        names += [f"{PurePosixPath(it).stem}::" for it in files]
        files = []
    chosen = ("--filter", f"/({any_of(names)})/") if names else ()
    report = f"{TMP}/report.xml"
    return RunnerCommand(
        (*start, *_PHPUNIT_OPTIONS, "--log-junit", report, *chosen, *files),
        environment={"NO_COLOR": "1"},
        reports=(report,),
    )


def _read_phpunit(outcome: RunnerOutput, project: ProjectView) -> RunResults:
    report = read_junit(outcome.reports)
    results = RunResults("JUnit XML", passed=report.passed, skipped=report.skipped)
    for case, is_passed in report.others:
        results.add_name(_phpunit_name(case), is_passed=is_passed)
    for case in report.failures:
        own = project.place(case.file) if case.file else None
        frames = project.frames(_PHPUNIT_PLACE, case.text)
        place = failing_place(frames, own, case.line)
        # The first line repeats the name.
        lines = [it for it in case.text.splitlines()[1:] if it.strip()]
        results.add_failure(
            _phpunit_name(case), place, case.message or (lines or [""])[0], "\n".join(lines)
        )
    results.failed = report.failed
    return results


def _phpunit_name(case: JUnitCase) -> str:
    class_name = case.class_name.replace(".", "\\")
    return f"{class_name}::{case.name}" if class_name else case.name


PHPUNIT = Runner(
    "phpunit",
    (".php",),
    _uses_phpunit,
    _phpunit_command,
    _read_phpunit,
    to_profile="php vendor/bin/phpunit",
)

# The first that a project has is taken: those that a manifest names for certain come first.
RUNNERS: tuple[Runner, ...] = (
    *(GO, CARGO, MAVEN, GRADLE, PHPUNIT, PYTEST, UNITTEST),
    *(VITEST, JEST, MOCHA, NODE, NPM, MAKE),
)


def find_runners(project: ProjectView) -> list[Runner]:
    """Return the runners that a folder has, the one to take first."""
    return [it for it in RUNNERS if it.is_used_by(project)]


def choose_runner(
    project: ProjectView, tests: Sequence[str], wanted: RunnerName | None
) -> tuple[Runner, list[RunnerName]]:
    """Return the runner to take, and the names of the others that the project has.

    Raises:
        InvalidParams: when the project has none.
    """
    if wanted is not None:
        return next(it for it in RUNNERS if it.name == wanted), []
    found = find_runners(project)
    if not found:
        raise InvalidParams(
            f"No test runner was found in {str(project.folder)!r}: looked for the files and "
            f"settings of {', '.join(it.name for it in RUNNERS)}",
            suggestion=_elsewhere(project),
        )
    files = [it.partition("::")[0] for it in tests]
    fitting = [it for it in found if any(file.endswith(it.endings) for file in files if it.endings)]
    chosen = (fitting or found)[0]
    return chosen, [it.name for it in found if it is not chosen]


def _elsewhere(project: ProjectView) -> str:
    """Return what to do: the folders below that have a runner, if any."""
    found = []
    folders = [it for it in project.names() if it not in _SKIPPED and not it.startswith(".")]
    for name in folders[:_MAX_FOLDERS]:
        runners = find_runners(project.beneath(name))
        if runners:
            found.append(f"{project.folder / name} ({runners[0].name})")
    if found:
        return f"Give one of these as path: {', '.join(found[:10])}."
    return "Give the folder of the project as path, name the runner, or use execute_command."
