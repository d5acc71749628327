# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._samples import NoParams, Told


@tool(title="Simple text", effect=Effect.READ)
async def test_simple_text(_params: NoParams, _bench: Bench) -> Told:
    """Return one line of text."""
    return Told(text="This is a simple text response for testing.")
