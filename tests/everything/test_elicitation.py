from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Params, tool

from ._asking import elicit
from ._samples import Told

_FORM = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}


class ElicitationParams(Params):
    message: str
    """What to tell the user."""


@tool(title="Ask the user", effect=Effect.READ)
async def test_elicitation(params: ElicitationParams, bench: Bench) -> Told:
    """Have the user fill in a name and an address."""
    return Told(text=f"User response: {await elicit(bench, params.message, _FORM)}")
