# ruff: noqa: PT019 - the suite names this tool; it is no test
import asyncio

from benchpin.core.calls import REPORT_INTERVAL_S, Bench
from benchpin.core.tools import Effect, tool

from ._samples import NoParams, Told

_PAUSE_S = REPORT_INTERVAL_S * 1.2
"""Long enough for no report to be thinned out."""


@tool(title="Report progress", effect=Effect.READ)
async def test_tool_with_progress(_params: NoParams, bench: Bench) -> Told:
    """Report progress at the beginning, in the middle and at the end."""
    bench.job.report(0, 100)
    await asyncio.sleep(_PAUSE_S)
    bench.job.report(50, 100)
    await asyncio.sleep(_PAUSE_S)
    bench.job.report(100, 100)
    return Told(text="Reported three times.")
