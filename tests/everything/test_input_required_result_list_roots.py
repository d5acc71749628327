# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import client_of
from ._samples import NoParams, Told


@tool(title="Ask for roots", effect=Effect.READ)
async def test_input_required_result_list_roots(_params: NoParams, bench: Bench) -> Told:
    """List the roots of the client."""
    answer = await client_of(bench).request("roots/list", {}, name="client_roots")
    return Told(text=f"Roots: {answer.get('roots')}")
