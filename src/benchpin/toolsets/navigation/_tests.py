"""What find_tests and run_tests report."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from benchpin.code.accounting import NameAccount
from benchpin.code.references import RelatedTest
from benchpin.core.calls import Bench
from benchpin.core.content import Content, ResourceLink
from benchpin.core.results import Item, Result
from benchpin.core.text import counted, plain
from benchpin.core.tools import Effect
from benchpin.present import Column, Table, View, location
from benchpin.run.sandbox import UNCONFINED, ExecutionReport
from benchpin.run.tests import (
    TMP,
    FailedTest,
    ProjectView,
    RunnerCommand,
    RunnerName,
    RunnerOutput,
    RunResults,
    TestRun,
    last_lines,
)
from benchpin.system.processes import home_folder

from ._places import first_of
from ._subjects import PerSymbolReport

_MAX_FAILURES = 50
_LAST_LINES = 20
_MAX_NAMED = 3
_NOT_FOUND = 127
_READ_ONLY = "Read-only file system"
_NO_SOCKETS = (
    "EAFNOSUPPORT",
    "Address family not supported",
    "Could not determine a usable local IP",
)
# Places whose lines are in the text; of the others only the failure and its message are.
_SHOWN = 10


class StoredOutput(Item):
    """Where the whole output can be read."""

    uri: str
    """Read it in pages, or search it, with read_result."""
    size_bytes: int


class RunTestsReport(Result):
    """Counts, failures, and how the tests were run."""

    runner: RunnerName
    command: str
    program: str | None
    """The program that ran, such as the Python of the project's environment."""
    is_passed: bool | None
    """Whether tests ran, and none failed, and the runner said so by its exit status; None, unknown,
    if only its exit status says so and its report could not be read, or if it did not start."""
    passed: int | None
    """None, like the next two, when the results could not be read."""
    failed: int | None
    """Failures and errors."""
    skipped: int | None
    failures: list[FailedTest]
    """The first ones."""
    exit_code: int | None
    timed_out: bool
    exceeded: Literal["processes", "memory"] | None
    """The limit for which the sandbox stopped the tests."""
    duration_ms: int
    read_from: str | None
    """What the counts were read from: a format of the runner, or its text."""
    unread_because: str | None
    """Why there are no counts: then only the exit status and the last lines are known."""
    last_lines: str
    """The end of the output, when the failures do not say what went wrong."""
    other_runners: list[RunnerName]
    """Which the project has as well."""
    sandbox: str
    suggestion: str | None
    output: StoredOutput | None

    def to_text(self) -> str:
        """Return the counts, then each failure with its place and the lines that matter."""
        ran = f" with {plain(self.program)}" if self.program else ""
        lines = [f"{self.runner}: {self._ending()} ({self.duration_ms / 1000:.1f} s{ran})"]
        if self.unread_because is not None:
            unknown = "" if self.is_passed is not None else ", so whether tests passed is unknown"
            lines.append(f"The results were not read: {self.unread_because}{unknown}.")
        for number, alike in enumerate(_grouped(self.failures)):
            lines += _shown(alike, with_lines=number < _SHOWN)
        rest = (self.failed or 0) - len(self.failures)
        if rest > 0:
            lines.append(f"and {counted(rest, 'more failure')}: see the output")
        if self.last_lines:
            lines += ["last lines of the output:", *_indented(self.last_lines)]
        if self.other_runners:
            others = ", ".join(self.other_runners)
            lines.append(self.text_style.hint(f"Also here: {others}; choose with `runner`."))
        if self.suggestion is not None:
            lines.append(self.text_style.hint(self.suggestion))
        if self.output is not None:
            where = self.text_style.hint(f"`read_result` {self.output.uri}")
            lines.append(f"whole output, {self.output.size_bytes:,} bytes: {where}")
        return "\n".join(lines)

    def _ending(self) -> str:
        if self.exceeded is not None:
            return f"stopped, over the limit of {self.exceeded}"
        if self.passed is None:
            return "stopped, time is up" if self.timed_out else f"exit code {self.exit_code}"
        named = (("failed", self.failed), ("passed", self.passed), ("skipped", self.skipped))
        counts = ", ".join(f"{count} {name}" for name, count in named if count) or "no test ran"
        if self.timed_out:
            return f"stopped, time is up; {counts} until then"
        is_odd = self.exit_code != 0 and not self.failed
        return f"{counts}, exit code {self.exit_code}" if is_odd else counts

    def lacks(self) -> list[str]:
        """Return what is only in the output."""
        rest = (self.failed or 0) - len(self.failures)
        return [counted(rest, "failure")] if rest > 0 else []

    def to_content(self) -> Sequence[Content]:
        """Return the text, and a link to the whole output."""
        if self.output is None:
            return super().to_content()
        name = self.output.uri.removeprefix("result://")
        size = self.output.size_bytes
        link = ResourceLink(self.output.uri, name, "text/plain", "The whole output", size)
        return (*super().to_content(), link)

    def exit_status(self) -> int:
        """Return 0 if the tests passed or the runner said so, and 2 if it did not start."""
        if self.is_passed is None:
            return 0 if self.exit_code == 0 else 2
        return 0 if self.is_passed else 1


def _grouped(failures: Sequence[FailedTest]) -> list[list[FailedTest]]:
    """Put together what failed in the same place for the same reason, such as a fixture."""
    groups: dict[tuple[object, ...], list[FailedTest]] = {}
    for failure in failures:
        groups.setdefault((failure.file, failure.line, failure.message), []).append(failure)
    return list(groups.values())


def _shown(alike: Sequence[FailedTest], *, with_lines: bool) -> list[str]:
    failure = alike[0]
    where = "" if failure.file is None else plain(failure.file)
    where += "" if failure.line is None else f":{failure.line}"
    head = f"{where or '(place unknown)'}  {failure.name}"
    head += f" and {counted(len(alike) - 1, 'other')} alike" if len(alike) > 1 else ""
    if not with_lines:
        return [f"{head}: {failure.message}"]
    is_repeated = failure.message in failure.excerpt
    return [head, *([] if is_repeated else [f"    {failure.message}"]), *_indented(failure.excerpt)]


def _indented(text: str) -> list[str]:
    return [f"    {it}" for it in text.splitlines()]


def report_of(run: TestRun, project: ProjectView, bench: Bench) -> RunTestsReport:
    """Return what a run of tests comes to: counts, failures, and what it may have lacked."""
    runner, command, report, outcome = run.runner, run.command, run.report, run.outcome
    results, timed_out = run.results, run.is_timed_out
    if timed_out:
        bench.job.leave_out("tests that had not run when the time was up")
    for problem in (*outcome.problems, *report.lacks()):
        bench.job.leave_out(problem)
    total = 0 if results is None else results.total
    failed = None if results is None else results.failed
    is_ended = report.exit_code == 0 and not failed and not timed_out
    is_passed: bool | None = is_ended and (total > 0 or results is None)
    is_unread = is_passed and results is None and runner.has_report
    if is_unread or (results is None and not run.is_started):
        is_passed = None
    whole = _whole_output(results, outcome)
    stored = bench.results.store(whole) if whole else None
    return RunTestsReport(
        runner=runner.name,
        command=shlex.join(command.argv).replace(TMP, "$TMP"),
        program=outcome.program.removeprefix(f"{project.root}/") or None,
        is_passed=is_passed,
        passed=None if results is None else results.passed,
        failed=failed,
        skipped=None if results is None else results.skipped,
        failures=[] if results is None else results.failures[:_MAX_FAILURES],
        exit_code=report.exit_code,
        timed_out=timed_out,
        exceeded=report.exceeded,
        duration_ms=_duration_ms(outcome, report),
        read_from=None if results is None else results.source,
        unread_because=run.unread_because,
        last_lines="" if failed or (is_passed and total) else last_lines(whole, _LAST_LINES),
        other_runners=run.others,
        sandbox=report.sandbox,
        suggestion=None if is_ended else _advice(run, bench),
        output=stored and StoredOutput(uri=stored.uri, size_bytes=stored.size_bytes),
    )


def _whole_output(results: RunResults | None, outcome: RunnerOutput) -> str:
    """Return what the runner printed; its reports if it printed nothing else."""
    inner = None if results is None else results.output
    printed = (outcome.stdout if inner is None else inner, outcome.stderr)
    shown = [it for it in printed if it.strip()] or [text for _, text in outcome.reports]
    return "\n".join(shown)


def _duration_ms(outcome: RunnerOutput, report: ExecutionReport) -> int:
    return report.duration_ms if outcome.duration_s is None else round(1000 * outcome.duration_s)


def _advice(run: TestRun, bench: Bench) -> str | None:
    """Return what the runner or its tests probably lack inside the sandbox."""
    command, report, results = run.command, run.report, run.results
    if report.suggestion is not None or report.sandbox == UNCONFINED:
        return report.suggestion
    text = report.stderr + report.stdout
    lacking = run.lacking
    if lacking is not None and results is None:
        return f"{lacking}. Install it in the environment of the project.{_hidden(command, bench)}"
    if _READ_ONLY in text and Effect.WRITE not in bench.effects:
        return "Some tests write to the workspace, which is read-only without --allow write."
    if any(it in text for it in _NO_SOCKETS):
        return (
            "The sandbox has no network, not even loopback: tests of servers, and Gradle itself, "
            "need --unconfined."
        )
    if results is not None:
        return None
    hidden = _hidden(command, bench)
    if hidden:
        return hidden.strip()
    if report.exit_code == _NOT_FOUND:
        return "A program was not found: install it in the project, or choose another `runner`."
    return None


def _hidden(command: RunnerCommand, bench: Bench) -> str:
    """Return which folders of the runner the sandbox does not show; nothing if it shows all."""
    places = [home_folder() / it for it in command.home]
    hidden = [it for it in places if it.is_dir() and not _is_visible(it, bench.toolchains)]
    if not hidden:
        return ""
    named = ", ".join(map(str, hidden))
    return (
        f" Programs in the sandbox do not see {named}. If the tests need them, allow the "
        "folders with the setting toolchains (BENCHPIN_TOOLCHAINS): they are read-only inside."
    )


def _is_visible(folder: Path, toolchains: Sequence[Path]) -> bool:
    return any(folder.is_relative_to(it) for it in toolchains)


class RelatedTestsReport(PerSymbolReport):
    """Files of tests or single tests, the most closely related first."""

    subject: str
    accounts: list[NameAccount]
    """Every line that has the name of the symbol, by what it is."""
    tests: list[RelatedTest]
    """Files with counts, or single tests if each of them was asked for."""
    total: int
    next_cursor: str | None
    files: int
    calls: int
    """How many of all that are listed call it themselves."""
    reaches: int
    """How many certainly reach it by further calls, or ran it."""
    possible: int
    """How many may call or reach it."""
    starting: int
    """Tests that start the whole program, which are left out: they may reach it."""
    is_each: bool
    """Whether single tests are listed."""
    mocked: list[str]
    """Tests that replace it by a mock throughout, which are left out."""
    replaced: list[str]
    """Tests that replace it in part, which are listed."""
    command: str
    """Runs those of this page that call or reach it; empty if there is no known way."""

    view = View["RelatedTestsReport"](
        title="Related tests",
        headline=lambda it: [
            _related_headline(it),
            *(s for one in it.accounts for s in one.sentences()),
        ],
        tables=(
            Table(
                rows=lambda it: it.tests,
                columns=(
                    Column("reason"),
                    Column("calls", lambda it: it.calls or None),
                    Column("reaches", lambda it: it.reaches or None),
                    Column("possible", lambda it: it.possible or None),
                    Column("distance", heading="calls away", is_detail=True),
                    Column("certainty", is_detail=True),
                    Column("id"),
                    # Of files that do not call it the first tests say little.
                    Column(
                        "examples",
                        lambda it: ", ".join(it.examples) if it.calls else None,
                        heading="such as",
                    ),
                    location(is_detail=True),
                ),
            ),
        ),
        notes=lambda it: list(_related_notes(it)),
    )


def _related_headline(report: RelatedTestsReport) -> str:
    if not report.total:
        closely = "closely " if report.starting else ""
        return f"No test is {closely}related to {report.subject}."
    what = counted(report.total, "test") if report.is_each else _files(report.files)
    others = report.total - report.calls - report.reaches - report.possible
    parts = (
        (report.calls, "calls it" if report.calls == 1 else "call it"),
        (report.reaches, "reaches it" if report.reaches == 1 else "reach it"),
        (report.possible, "may"),
        (others, "by the name of the file or an import"),
    )
    said = ", ".join(f"{count:,} {words}" for count, words in parts if count)
    return f"{what} for {report.subject}: {said}"


def _files(count: int) -> str:
    return "1 file of tests" if count == 1 else f"{count:,} files of tests"


def _related_notes(report: RelatedTestsReport) -> Iterator[str]:
    if report.mocked:
        left_out, named = len(report.mocked), first_of(report.mocked, _MAX_NAMED)
        yield f"left out: {counted(left_out, 'test')} with a mock in its place: {named}"
    if report.starting:
        verb = "starts" if report.starting == 1 else "start"
        yield f"{report.starting:,} more {verb} the whole program and may reach it"
    if report.replaced:
        yield f"replaced in part by a mock, and listed: {first_of(report.replaced, _MAX_NAMED)}"
    if report.command:
        yield f"run: {report.command}"
