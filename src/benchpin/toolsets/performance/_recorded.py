"""What a recording of profiles returns."""

from typing import Annotated

from pydantic import Field

from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.performance.recording import ProfilerName

from .ingest_artifacts import Ingested


class RunEnd(Item):
    """How a run ended."""

    exit_code: int
    duration_ms: int
    """With the profiler, which slows the program down."""


class RecordedProfiles(Ingested):
    """The snapshot of the recorded profiles."""

    command: str
    profiler: ProfilerName
    profiler_version: str
    interpreter: str
    """The program that ran it, relative to the workspace if it is there."""
    passed_over: Annotated[str, Field(exclude_if=lambda it: not it)] = ""
    """The interpreter that a terminal would take, if programs in the sandbox do not see it."""
    runs: list[RunEnd]
    sandbox: str
    stderr: Annotated[str, Field(exclude_if=lambda it: not it)] = ""
    """The end of what the first run that failed wrote to stderr."""

    def is_failure(self) -> bool:
        """Whether a run ended with an error: its profile is not that of the work."""
        return self.is_empty or any(it.exit_code for it in self.runs)

    def failure_note(self) -> str:
        """Say how a run ended, if not well."""
        failed = [it.exit_code for it in self.runs if it.exit_code]
        if self.is_empty or not failed:
            return super().failure_note()
        return f"{self.command} ended with exit code {failed[0]}: {self.stderr}"

    def to_text(self) -> str:
        """Return which profiler recorded how many runs, and the snapshot."""
        failed = [it.exit_code for it in self.runs if it.exit_code]
        ended = f", {len(failed)} of them with exit code {failed[0]}" if failed else ""
        head = (
            f"{counted(len(self.runs), 'run')} of {self.command} recorded by {self.profiler} "
            f"({self.profiler_version}) with {self.interpreter}{ended}; sandbox: {self.sandbox}"
        )
        if self.passed_over:
            head += (
                f"\nNot with {self.passed_over}, which programs in the sandbox do not see. Allow "
                "its folder with the setting toolchains (BENCHPIN_TOOLCHAINS)."
            )
        said = f"\nIt said: {self.stderr}" if self.stderr else ""
        return f"{head}{said}\n{super().to_text()}"
