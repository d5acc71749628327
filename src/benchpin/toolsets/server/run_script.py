"""Run a Python script that calls tools."""

import sys
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue

from benchpin.core.calls import Bench
from benchpin.core.errors import DependencyMissing
from benchpin.core.results import Result
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Params, tool
from benchpin.run.sandbox import Execution, ExecutionReport, detect_sandbox

from ._script import ScriptCalls, as_text

_HOST = Path(__file__).with_name("_script_host.py")
_MAX_CODE = 1 << 20
_DEFAULT_S = 60.0


class ScriptParams(Params):
    """The script."""

    code: Annotated[str, Field(min_length=1, max_length=_MAX_CODE)]
    """Python, such as: [f["file"] for f in bench.call("analyze_complexity")["violations"]]"""


class ScriptResult(Result):
    """What a script printed, and the value of its last line."""

    output: str
    value: JsonValue
    """The value of the last line if it is an expression; its text if JSON cannot hold it."""
    error: str | None
    """Why the script ended early, with the lines that led there."""
    calls: int
    """How many tools it called."""
    cut_bytes: int = Field(default=0, exclude=True)

    def to_text(self) -> str:
        """Return what was printed, then the value or the error."""
        parts = [self.output.rstrip("\n")] if self.output else []
        if self.error is not None:
            parts.append(self.error.rstrip())
        elif self.value is not None:
            parts.append(as_text(self.value))
        return "\n".join(parts) or f"No output; {counted(self.calls, 'call')}."

    def lacks(self) -> list[str]:
        """Return how much of the output was left out."""
        return [f"{self.cut_bytes:,} bytes of output"] if self.cut_bytes else []

    def is_failure(self) -> bool:
        """Whether the script ended early."""
        return self.error is not None


@tool(
    title="Run a script",
    effect=Effect.READ,
    needs_sandbox=True,
    calls_tools=True,
    also="loop over files, filter and combine results of several tools, many calls at once, join",
)
def run_script(params: ScriptParams, bench: Bench) -> ScriptResult:
    """Run Python that calls tools: bench.call("name", argument=…) returns plain data.

    Use it to loop over, filter or join results. Returns what it prints and its last expression. It
    has no files, network or workspace of its own.
    """
    from benchpin.run.sandbox import run_confined  # noqa: PLC0415 - when used

    sandbox = detect_sandbox(bench.workspace.root)
    if not sandbox.confines:
        raise DependencyMissing(
            f"No sandbox works on this machine: {sandbox.detail}",
            suggestion=f"{sandbox.remedy}; see `benchpin doctor`.",
        )
    script = ScriptCalls(params.code, bench)
    program = Execution((sys.executable, "-I", "-S"), "/", script=_HOST.read_text(encoding="utf-8"))
    left = bench.job.time_left_s()
    report = run_confined(
        program, None, sandbox, _DEFAULT_S if left is None else left, bench.job, conversation=script
    )
    if report.timed_out:
        bench.job.leave_out("output after the time limit of this server (tool_timeout)")
    output, cut_bytes = script.printed.finish()
    ended = script.error or script.outcome.get("error")
    if ended is None and "value" not in script.outcome:
        ended = _early_end(report)
    return ScriptResult(
        output=output,
        value=script.outcome.get("value"),
        error=ended,
        calls=script.calls,
        cut_bytes=cut_bytes,
    )


def _early_end(report: ExecutionReport) -> str:
    stopped = "time limit" if report.timed_out else report.exceeded or report.signal
    if stopped is None:
        return f"The script ended early, with exit code {report.exit_code}"
    return f"The script was stopped: {stopped}"
