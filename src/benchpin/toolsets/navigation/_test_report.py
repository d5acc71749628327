"""The result of running tests."""

from collections.abc import Sequence
from typing import Literal

from benchpin.core.content import Content, ResourceLink
from benchpin.core.results import Item, Result
from benchpin.core.text import counted, plain
from benchpin.run.tests import FailedTest, RunnerName

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
            lines.append(self.text_style.hint(f"Also here: {others}; choose with runner."))
        if self.suggestion is not None:
            lines.append(self.suggestion)
        if self.output is not None:
            lines.append(f"whole output: {self.output.uri}, {self.output.size_bytes:,} bytes")
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
