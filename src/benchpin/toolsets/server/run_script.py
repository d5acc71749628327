"""Run a Python script that calls tools."""

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue
from pydantic_core import from_json

from benchpin.core.calls import Bench
from benchpin.core.errors import (
    BenchpinError,
    DependencyMissing,
    InternalError,
    InvalidParams,
    ResponseTooLarge,
)
from benchpin.core.results import Result
from benchpin.core.text import counted, json_text
from benchpin.core.tools import Effect, Params, tool
from benchpin.run.sandbox import Execution, ExecutionReport, OutputCapture, detect_sandbox

from ._plain_value import as_text
from .call_tool import NAME as CALL_TOOL

logger = logging.getLogger("benchpin.tools")

NAME = "run_script"
_HOST = Path(__file__).with_name("_script_host.py")
_MAX_CODE = 1 << 20
_MAX_CALLS = 1_000
# The longest message of a script: a call with its arguments, or the value of its last line.
_MAX_LINE = 8 << 20
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
    """Run Python that calls tools: bench.call("name", argument=…) returns the result as plain data.

    Use it to loop, filter or join many results; prints and the last expression are the answer. It
    has no files, network or workspace of its own.
    """
    from benchpin.run.sandbox import run_confined  # noqa: PLC0415 - when used

    sandbox = detect_sandbox(bench.workspace.root)
    if not sandbox.confines:
        raise DependencyMissing(
            f"No sandbox works on this machine: {sandbox.detail}",
            suggestion=f"{sandbox.remedy}; see `benchpin doctor`.",
        )
    script = _Script(params.code, bench)
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


class _Script:
    """Serves the calls of one script."""

    def __init__(self, code: str, bench: Bench) -> None:
        self._code = code
        self._bench = bench
        self._held = bytearray()
        self._is_over = False
        self.printed = OutputCapture()
        self.outcome: dict[str, object] = {}
        self.error: str | None = None
        self.calls = 0

    def opening(self) -> bytes:
        """Return the script."""
        return json.dumps({"code": self._code}).encode() + b"\n"

    def hear(self, output: bytes) -> Iterator[bytes | None]:
        """Yield the results of the calls that are complete, one at a time; None after an error."""
        self._held += output
        if len(self._held) > _MAX_LINE:
            self._held.clear()
            self.error = f"The script sent a message of more than {_MAX_LINE:,} bytes"
        while self.error is None and (end := self._held.find(b"\n")) >= 0:
            line = bytes(self._held[:end])
            del self._held[: end + 1]
            if answer := self._serve(line):
                yield answer
        if self.error is not None:
            yield None

    def hang_up(self) -> None:
        """Serve no more calls; what was printed, and the value, still count."""
        self._is_over = True

    def _serve(self, line: bytes) -> bytes:
        # Everything is checked: the script can write to the pipe itself.
        try:
            message = from_json(line)
        except ValueError:
            message = None
        match message:
            case {"print": str(text)}:
                self.printed.add(text.encode(errors="replace"))
            case {"call": str(), "arguments": dict()} if (
                self._is_over or self._bench.job.is_expired
            ):
                pass  # the clock of the program may be a little late
            case {"call": str(), "arguments": dict()} if self.calls == _MAX_CALLS:
                self.error = f"The script made more than {_MAX_CALLS:,} calls"
            case {"call": str(name), "arguments": dict(arguments)}:
                self.calls += 1
                return self._answer(name, arguments)
            case {"value": _} | {"error": str()}:
                self.outcome = message
            case _:
                self.error = "The script wrote to the pipe of its calls"
        return b""

    def _answer(self, name: str, arguments: dict[str, object]) -> bytes:
        try:
            return self._call(name, arguments)
        except BenchpinError as error:
            return _encoded({"error": error.as_dict()})
        except Exception:
            logger.exception("tool %s failed in a script", name)
            reference = f"the log line of correlation_id {self._bench.caller.correlation_id}"
            return _encoded({"error": InternalError(reference).as_dict()})

    def _call(self, name: str, arguments: Mapping[str, object]) -> bytes:
        # Scripts in scripts would multiply processes and memory.
        if (arguments.get("name") if name == CALL_TOOL else name) == NAME:
            raise InvalidParams(
                f"A script cannot call {NAME}", suggestion="Call the other tools from this script."
            )
        result = self._bench.installation.tools.call(name, arguments, self._bench)
        answer = _encoded({"result": result.model_dump(mode="json", by_alias=True)})
        if len(answer) > (limit := self._bench.limits.response_bytes):
            raise ResponseTooLarge(limit)
        return answer


def _encoded(message: dict[str, object]) -> bytes:
    return json_text(message).encode(errors="surrogatepass") + b"\n"
