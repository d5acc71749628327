# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import CAPITAL, client_of
from ._samples import NoParams, Told


@tool(title="Ask the model", effect=Effect.READ)
async def test_input_required_result_sampling(_params: NoParams, bench: Bench) -> Told:
    """Have the client's model answer a question."""
    answer = await client_of(bench).request(*CAPITAL, name="capital_question")
    return Told(text=f"The model says: {answer.get('content')}")
