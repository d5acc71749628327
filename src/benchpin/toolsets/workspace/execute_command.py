"""Run a shell command."""

from benchpin.core import Bench, Effect, InvalidPath, Params, tool
from benchpin.engines.execution import Program

from ._execution import ExecutionReport, Timeout, execute, require_runnable

MAX_BYTES = (128 << 10) - 1
"""What Linux takes as one argument of a program, less the NUL at its end."""


class CommandParams(Params):
    """What to run, and where."""

    command: str
    """Shell command to execute."""
    working_directory: str | None = None
    """Working directory for command execution, relative to the workspace."""
    timeout: Timeout = 30
    """Timeout in seconds."""


@tool(title="Execute command", effect=Effect.EXECUTE, needs_sandbox=True)
def execute_command(params: CommandParams, bench: Bench) -> ExecutionReport:
    """Run a command with /bin/sh in the workspace.

    The sandbox, which the result names, has no network and no other files, and lets the workspace
    be written only if the operator allows it. What runs in the background ends with the command.
    """
    way_out = "Put it into a script in the workspace and run that, or use python_executor."
    require_runnable(params.command, "command", MAX_BYTES, way_out)
    wanted = params.working_directory or "."
    folder = bench.path(wanted)
    if not folder.is_dir():
        raise InvalidPath(
            f"{wanted!r} is not a folder", suggestion="Give a folder of the workspace."
        )
    program = Program(("/bin/sh", "-c", params.command), str(folder))
    return execute(program, params.timeout, bench)
