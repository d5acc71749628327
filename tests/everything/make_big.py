from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool


class BigParams(Params):
    rows: int
    """How many rows of 100 characters."""


class Big(Result):
    rows: list[str]

    def to_text(self) -> str:
        return "\n".join(self.rows)


@tool(title="Make a big result", effect=Effect.READ)
def make_big(params: BigParams, _bench: Bench) -> Big:
    """Return as many rows as asked for."""
    return Big(rows=[f"{row:099d}" for row in range(params.rows)])
