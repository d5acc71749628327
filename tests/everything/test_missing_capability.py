# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import CAPITAL, client_of
from ._samples import NoParams, Told


@tool(title="Need a model", effect=Effect.READ)
async def test_missing_capability(_params: NoParams, bench: Bench) -> Told:
    """Ask the client's model, which it must have declared."""
    answer = await client_of(bench).request(*CAPITAL)
    return Told(text=f"The model says: {answer.get('content')}")
