# ruff: noqa: PT019 - the suite names this tool; it is no test
import asyncio

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._samples import NoParams, Told


@tool(title="Log while working", effect=Effect.READ)
async def test_tool_with_logging(_params: NoParams, bench: Bench) -> Told:
    """Send three log lines with pauses between them."""
    bench.job.log("info", "Tool execution started")
    await asyncio.sleep(0.05)
    bench.job.log("info", "Tool processing data")
    await asyncio.sleep(0.05)
    bench.job.log("info", "Tool execution completed")
    return Told(text="Logged three lines.")
