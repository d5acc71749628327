# ruff: noqa: PT019 - the suite names this tool; it is no test
import asyncio

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._samples import NoParams, Told


@tool(title="Answer after a reconnection", effect=Effect.READ)
async def test_reconnection(_params: NoParams, bench: Bench) -> Told:
    """Let the client's stream go, and answer when it has come back (SEP-1699)."""
    if bench.client is not None:
        await bench.client.release_stream()
    await asyncio.sleep(0.1)
    return Told(text="Reconnection test completed.")
