# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import CAPITAL, client_of, form
from ._samples import NoParams, Told


@tool(title="Ask what can be answered", effect=Effect.READ)
async def test_input_required_result_capabilities(_params: NoParams, bench: Bench) -> Told:
    """Ask for whatever the client says that it answers."""
    client = client_of(bench)
    wanted = {"name": form("What is your name?", "name"), "capital": CAPITAL}
    asked = {name: it for name, it in wanted.items() if client.answers(it[0])}
    return Told(text=f"Answers: {sorted(await client.request_all(asked))}")
