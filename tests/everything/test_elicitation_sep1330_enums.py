# ruff: noqa: PT019 - the suite names this tool; it is no test
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool

from ._asking import elicit
from ._samples import NoParams, Told

_OPTIONS = ["option1", "option2", "option3"]


def _titled(*titles: str) -> list[dict[str, str]]:
    return [{"const": f"value{at}", "title": title} for at, title in enumerate(titles, start=1)]


_FORM = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": _OPTIONS},
        "titledSingle": {
            "type": "string",
            "oneOf": _titled("First Option", "Second Option", "Third Option"),
        },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
        "titledMulti": {
            "type": "array",
            "items": {"anyOf": _titled("First Choice", "Second Choice", "Third Choice")},
        },
    },
}


@tool(title="Ask for choices", effect=Effect.READ)
async def test_elicitation_sep1330_enums(_params: NoParams, bench: Bench) -> Told:
    """Have the user choose in the five ways that there are (SEP-1330)."""
    answer = await elicit(bench, "Please choose", _FORM)
    return Told(text=f"Elicitation completed: {answer}")
