"""PHPUnit."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from benchpin.run.tests import (
    TMP,
    JUnitCase,
    ProjectUnderTest,
    Runner,
    RunnerCommand,
    RunnerOutput,
    RunResults,
    any_of,
    failing_place,
    files_of,
    read_junit,
)

# Without the second, it writes a file into the project.
_OPTIONS = ("--colors=never", "--do-not-cache-result")
_PLACE = re.compile(r"^(?P<file>/[^\s:]{1,400}\.php):(?P<line>\d{1,7})$", re.MULTILINE)


def _is_used_by(project: ProjectUnderTest) -> bool:
    names = ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "vendor/bin/phpunit")
    return any(project.has(it) for it in names)


def _command(project: ProjectUnderTest, tests: Sequence[str]) -> RunnerCommand:
    start = ("php", "vendor/bin/phpunit") if project.has("vendor/bin/phpunit") else ("phpunit",)
    files, names = files_of(tests, project)
    # PHPUnit takes one path; of several, the classes are named as the files.
    if len(files) > 1 or (files and names):
        names += [f"{PurePosixPath(it).stem}::" for it in files]
        files = []
    chosen = ("--filter", f"/({any_of(names)})/") if names else ()
    report = f"{TMP}/report.xml"
    return RunnerCommand(
        (*start, *_OPTIONS, "--log-junit", report, *chosen, *files),
        environment={"NO_COLOR": "1"},
        reports=(report,),
    )


def _read(outcome: RunnerOutput, project: ProjectUnderTest) -> RunResults:
    report = read_junit(outcome.reports)
    results = RunResults("JUnit XML", passed=report.passed, skipped=report.skipped)
    for case in report.failures:
        own = project.place(case.file) if case.file else None
        frames = project.frames(_PLACE, case.text)
        place = failing_place(frames, own, case.line)
        # The first line repeats the name.
        lines = [it for it in case.text.splitlines()[1:] if it.strip()]
        results.add_failure(
            _name(case), place, case.message or (lines or [""])[0], "\n".join(lines)
        )
    results.failed = report.failed
    return results


def _name(case: JUnitCase) -> str:
    class_name = case.class_name.replace(".", "\\")
    return f"{class_name}::{case.name}" if class_name else case.name


PHPUNIT = Runner("phpunit", (".php",), _is_used_by, _command, _read)
