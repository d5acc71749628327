import asyncio

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from .sleep_for import SleepParams, Slept


@tool(title="Sleep on the loop", effect=Effect.READ)
async def sleep_async(params: SleepParams, _bench: Bench) -> Slept:
    """Wait for a while without holding a thread."""
    await asyncio.sleep(params.seconds)
    return Slept(seconds=params.seconds)
