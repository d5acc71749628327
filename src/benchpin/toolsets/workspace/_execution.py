"""What the tools that run programs share: the sandbox, the limit, the report."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, DependencyMissing, Effect, InvalidParams, Result
from benchpin.engines.execution import UNCONFINED, Program, Sandbox, detect_sandbox

from ._text import encoded

if TYPE_CHECKING:
    from benchpin.engines.execution.hiding import WorkspaceView
    from benchpin.engines.execution.process import Outcome

Timeout = Annotated[int, Field(ge=1, le=86_400)]

_UNSEARCHED_NAMED = 5
_EXCESSES = {"processes": "too many processes", "memory": "too much memory"}


class ExecutionReport(Result):
    """What a program wrote, and how it ended."""

    exit_code: int | None
    """None when it was stopped; 128 and more when a signal ended it."""
    stdout: str
    stderr: str
    duration_ms: int
    timed_out: bool
    timeout_s: float
    """The limit that held: what was asked for, or what the server had left."""
    truncated: bool
    stdout_cut_bytes: int
    """Bytes left out of the middle; the beginning and the end are kept."""
    stderr_cut_bytes: int
    signal: str | None
    exceeded: Literal["processes", "memory"] | None
    """What the program and its children took too much of, and were stopped for."""
    sandbox: str
    """What confined the program: bubblewrap, namespaces, or none where the operator chose so."""

    def to_text(self) -> str:
        """Return how it ended, then what it wrote."""
        parts = [f"{self._ending()} ({self.duration_ms:,} ms, sandbox: {self.sandbox})"]
        for name, text in (("stdout", self.stdout), ("stderr", self.stderr)):
            if text:
                parts.append(f"{name}:\n{text.rstrip()}")
        return "\n".join(parts)

    def _ending(self) -> str:
        if self.timed_out:
            return f"Stopped after {self.timeout_s:g} s"
        if self.exceeded is not None:
            return f"Stopped: {_EXCESSES[self.exceeded]}"
        if self.signal is not None:
            return f"Ended by {self.signal}"
        return f"Exit code {self.exit_code}"


def require_runnable(text: str, name: str, most_bytes: int, way_out: str) -> None:
    """Check a text that is to be run.

    Raises:
        InvalidParams: when it cannot reach the program as it is.
    """
    size = len(encoded(text, name, "strict"))
    if "\0" in text:
        raise InvalidParams(
            f"{name} has a NUL byte at position {text.index(chr(0))}",
            suggestion="Write it as an escape of the language, such as \\0.",
        )
    if size > most_bytes:
        raise InvalidParams(
            f"{name} has {size:,} bytes, more than {most_bytes:,}",
            suggestion=way_out,
            data={"size_bytes": size, "most_bytes": most_bytes},
        )


def execute(program: Program, timeout_s: float, bench: Bench) -> ExecutionReport:
    """Run a program in the strongest sandbox there is, or in none if the operator says so.

    Raises:
        Cancelled: when the call was.
        DependencyMissing: when nothing can confine programs here.
        SandboxFailed: when the program could not be started.
        TooManyDenied: when the permissions cannot be carried over into a sandbox.
    """
    if bench.is_unconfined:
        from benchpin.engines.execution.running import run_unconfined  # noqa: PLC0415 - when used

        limit_s = _limit(timeout_s, bench)
        outcome, name = run_unconfined(program, limit_s, bench.job), UNCONFINED
    else:
        from benchpin.engines.execution.running import run_confined  # noqa: PLC0415 - when used

        sandbox = _sandbox()
        view = _view(bench)
        limit_s = _limit(timeout_s, bench)
        outcome = run_confined(program, view, sandbox.bubblewrap, limit_s, bench.job)
        name = sandbox.name
    if outcome.timed_out and limit_s < timeout_s:
        bench.job.leave_out("what goes beyond the time limit of this server (tool_timeout)")
    return _report(outcome, limit_s, name)


def _sandbox() -> Sandbox:
    sandbox = detect_sandbox()
    if not sandbox.confines:
        raise DependencyMissing(
            f"There is no sandbox for programs on this machine: {sandbox.detail}",
            suggestion="Install bubblewrap, or start Benchpin with --unconfined to do without.",
        )
    return sandbox


def _view(bench: Bench) -> "WorkspaceView":
    from benchpin.engines.execution.hiding import workspace_view  # noqa: PLC0415 - when used

    may_write = Effect.WRITE in bench.effects
    view = workspace_view(bench.workspace.root, bench.permissions, bench.job, may_write=may_write)
    if view.unsearched:
        named = ", ".join(view.unsearched[:_UNSEARCHED_NAMED])
        bench.job.leave_out(
            f"{len(view.unsearched)} folders that were hidden from the program, since the "
            f"workspace is too large to look for denied files in them: {named}"
        )
    return view


def _limit(timeout_s: float, bench: Bench) -> float:
    left = bench.job.time_left_s()
    return timeout_s if left is None else min(timeout_s, left)


def _report(outcome: "Outcome", limit_s: float, sandbox: str) -> ExecutionReport:
    stdout, stderr = outcome.stdout, outcome.stderr
    return ExecutionReport(
        exit_code=outcome.exit_code,
        stdout=stdout.text,
        stderr=stderr.text,
        duration_ms=outcome.duration_ms,
        timed_out=outcome.timed_out,
        timeout_s=round(limit_s, 3),
        truncated=stdout.cut_bytes + stderr.cut_bytes > 0,
        stdout_cut_bytes=stdout.cut_bytes,
        stderr_cut_bytes=stderr.cut_bytes,
        signal=outcome.signal,
        exceeded=outcome.exceeded,
        sandbox=sandbox,
    )
