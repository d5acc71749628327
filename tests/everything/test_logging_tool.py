# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._samples import NoParams, Told


@tool(title="Log a line", effect=Effect.READ)
async def test_logging_tool(_params: NoParams, bench: Bench) -> Told:
    """Log a line, for clients that ask for them."""
    bench.job.log("info", "a line")
    return Told(text="Logged a line.")
