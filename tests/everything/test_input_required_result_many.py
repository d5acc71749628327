# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import CAPITAL, client_of, form
from ._samples import NoParams, Told


@tool(title="Ask three things", effect=Effect.READ)
async def test_input_required_result_many(_params: NoParams, bench: Bench) -> Told:
    """Ask for a name, a greeting and the roots at once."""
    answers = await client_of(bench).request_all(
        {
            "user_name": form("What is your name?", "name"),
            "greeting": CAPITAL,
            "client_roots": ("roots/list", {}),
        }
    )
    return Told(text=f"Answers: {sorted(answers)}")
