# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import client_of, form
from ._samples import NoParams, Told


@tool(title="Ask and recall", effect=Effect.READ)
async def test_input_required_result_request_state(_params: NoParams, bench: Bench) -> Told:
    """Ask for a confirmation; what the server keeps comes back."""
    asked = form("Please confirm", "ok", "boolean")
    await client_of(bench).request(*asked, name="confirm")
    return Told(text="state-ok")
