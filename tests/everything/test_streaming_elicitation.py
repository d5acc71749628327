# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import client_of, form
from ._samples import NoParams, Told


@tool(title="Ask while streaming", effect=Effect.READ)
async def test_streaming_elicitation(_params: NoParams, bench: Bench) -> Told:
    """Report something, then ask for a name."""
    bench.job.log("info", "about to ask")
    answer = await client_of(bench).request(*form("What is your name?", "name"))
    return Told(text=f"Hello, {answer.get('content')}!")
