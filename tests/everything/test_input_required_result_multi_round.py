# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import client_of, form
from ._samples import NoParams, Told


@tool(title="Ask twice", effect=Effect.READ)
async def test_input_required_result_multi_round(_params: NoParams, bench: Bench) -> Told:
    """Ask for a name, and then for a colour."""
    client = client_of(bench)
    name = await client.request(*form("What is your name?", "name"), name="step1")
    colour = await client.request(*form("What is your favorite color?", "color"), name="step2")
    return Told(text=f"{name.get('content')} likes {colour.get('content')}")
