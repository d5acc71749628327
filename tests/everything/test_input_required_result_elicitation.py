# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import client_of, form
from ._samples import NoParams, Told


@tool(title="Ask for a name", effect=Effect.READ)
async def test_input_required_result_elicitation(_params: NoParams, bench: Bench) -> Told:
    """Greet a user by name."""
    asked = form("What is your name?", "name")
    answer = await client_of(bench).request(*asked, name="user_name")
    return Told(text=f"Hello, {answer.get('content')}!")
