"""Run a shell command."""

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidPath
from benchpin.core.tools import Effect, Params, PathArgument, tool
from benchpin.run.sandbox import (
    MAX_ARGUMENT_BYTES,
    Execution,
    ExecutionReport,
    Timeout,
    execute,
    require_allowed,
)

from ._texts import require_runnable


class CommandParams(Params):
    """A command and its working directory."""

    command: str
    """Shell command to execute."""
    working_directory: PathArgument[str | None] = None
    """Working directory for command execution, relative to the workspace."""
    timeout: Timeout = 30
    """Timeout in seconds."""


@tool(
    title="Execute command",
    effect=Effect.EXECUTE,
    needs_sandbox=True,
    also=(
        "shell, bash, terminal, run tests, build, compile, install packages, npm, make, "
        "cargo, pytest, run a program, start a script"
    ),
)
def execute_command(params: CommandParams, bench: Bench) -> ExecutionReport:
    """Run a command with /bin/sh in the workspace.

    The sandbox, which the result names, has no network and no files outside the workspace, which
    is writable only if the operator allows it. Background processes end with the command.
    """
    suggestion = "Put it into a script in the workspace and run that, or use python_executor."
    if "timeout" in params.model_fields_set:
        require_allowed(params.timeout, execute_command.name, bench.job)
    require_runnable(params.command, "command", MAX_ARGUMENT_BYTES, suggestion)
    wanted = params.working_directory or "."
    folder = bench.path(wanted)
    if not folder.is_dir():
        raise InvalidPath(
            f"{wanted!r} is not a folder", suggestion="Give a folder of the workspace."
        )
    program = Execution(("/bin/sh", "-c", params.command), str(folder))
    return execute(program, params.timeout, bench)
