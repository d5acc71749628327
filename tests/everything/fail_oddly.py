from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool


class OddParams(Params):
    pass


class Nothing(Result):
    def to_text(self) -> str:
        return ""


@tool(title="Fail by accident", effect=Effect.READ)
def fail_oddly(_params: OddParams, _bench: Bench) -> Nothing:
    """Fail as a defect would."""
    raise ZeroDivisionError("a secret detail")
