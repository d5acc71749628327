# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.errors import BenchpinError
from benchpin.core.tools import Effect, tool

from ._samples import NoParams, Told


@tool(title="Always fail", effect=Effect.READ)
async def test_error_handling(_params: NoParams, _bench: Bench) -> Told:
    """Fail, whatever is asked."""
    raise BenchpinError(
        "This tool intentionally returns an error for testing", suggestion="There is no help."
    )
