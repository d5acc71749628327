"""Run Python code."""

import sys

from benchpin.core import Bench, Effect, Params, tool
from benchpin.engines.execution import Program

from ._execution import ExecutionReport, Timeout, execute, require_runnable

MAX_BYTES = 8 << 20


class CodeParams(Params):
    """What to run."""

    code: str
    """Python code to execute."""
    timeout: Timeout = 30
    """Execution timeout in seconds."""


@tool(title="Execute Python", effect=Effect.EXECUTE, needs_sandbox=True)
def python_executor(params: CodeParams, bench: Bench) -> ExecutionReport:
    """Run Python code in an interpreter of its own, in the workspace.

    The sandbox, which the result names, has no network and no other files. Print what you want to
    see; nothing is kept from one call to the next.
    """
    way_out = "Put what is long into a file of the workspace and read it from there."
    require_runnable(params.code, "code", MAX_BYTES, way_out)
    program = Program((sys.executable, "-I"), str(bench.workspace.root), script=params.code)
    return execute(program, params.timeout, bench)
