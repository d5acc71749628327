import time

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool


class SleepParams(Params):
    seconds: float
    """How long."""


class Slept(Result):
    seconds: float

    def to_text(self) -> str:
        return f"slept {self.seconds} s"


@tool(title="Sleep on a thread", effect=Effect.READ)
def sleep_for(params: SleepParams, _bench: Bench) -> Slept:
    """Block a worker thread for a while, deaf to everything."""
    time.sleep(params.seconds)
    return Slept(seconds=params.seconds)
