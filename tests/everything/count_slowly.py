import time

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool


class CountParams(Params):
    items: int = 10
    """How many."""
    pause_s: float = 0.01
    """How long each takes."""


class Counted(Result):
    counted: int

    def to_text(self) -> str:
        return f"counted {self.counted}"


@tool(title="Count slowly", effect=Effect.READ)
def count_slowly(params: CountParams, bench: Bench) -> Counted:
    """Count with progress, stop when cancelled, return what there is when time is up."""
    bench.job.log("info", "counting begins")
    counted = 0
    for _ in bench.job.each(range(params.items), "items"):
        time.sleep(params.pause_s)
        counted += 1
    return Counted(counted=counted)
