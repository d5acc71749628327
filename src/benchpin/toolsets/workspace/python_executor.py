"""Run Python code."""

import sys

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Params, tool
from benchpin.run.sandbox import Execution, ExecutionReport, Timeout, execute, require_allowed

from ._texts import require_runnable

MAX_BYTES = 8 << 20


class CodeParams(Params):
    """Python code."""

    code: str
    """Python code to execute."""
    timeout: Timeout = 30
    """Execution timeout in seconds."""


@tool(
    title="Execute Python",
    effect=Effect.EXECUTE,
    needs_sandbox=True,
    also=("run a Python snippet, calculate, compute, quick script, process data, convert numbers"),
)
def python_executor(params: CodeParams, bench: Bench) -> ExecutionReport:
    """Run Python code in a new interpreter, in the workspace.

    The sandbox, which the result names, has no network and no files outside the workspace. Print
    what you want to see; calls share no state.
    """
    suggestion = "Put long data into a file of the workspace and read it from there."
    if "timeout" in params.model_fields_set:
        require_allowed(params.timeout, python_executor.name, bench.job)
    require_runnable(params.code, "code", MAX_BYTES, suggestion)
    program = Execution((sys.executable, "-I"), str(bench.workspace.root), script=params.code)
    return execute(program, params.timeout, bench)
