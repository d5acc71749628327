import subprocess
import sys

from benchpin.core.calls import Bench, Operation
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool


class ChildParams(Params):
    pid_file: str
    """Where to note the child's process id."""


class Ended(Result):
    return_code: int

    def to_text(self) -> str:
        return f"ended with {self.return_code}"


@tool(title="Run a child", effect=Effect.EXECUTE)
def run_child(params: ChildParams, bench: Bench) -> Ended:
    """Start a process that sleeps for a minute, and wait for it."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as child:
        with bench.job.stopping(child.kill):
            bench.path(params.pid_file, Operation.WRITE).write_text(
                str(child.pid), encoding="utf-8"
            )
            child.wait()
        return Ended(return_code=child.returncode)
