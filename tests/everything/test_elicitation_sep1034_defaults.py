# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import elicit
from ._samples import NoParams, Told

_FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
}


@tool(title="Ask with defaults", effect=Effect.READ)
async def test_elicitation_sep1034_defaults(_params: NoParams, bench: Bench) -> Told:
    """Have the user fill in a form whose fields have defaults (SEP-1034)."""
    answer = await elicit(bench, "Please check these values", _FORM)
    return Told(text=f"Elicitation completed: {answer}")
