# ruff: noqa: PT019 - the suite names this tool; it is no test
from collections.abc import Sequence

from benchpin.core.calls import Bench
from benchpin.core.content import Content, EmbeddedResource, Image, Text
from benchpin.core.results import Result
from benchpin.core.tools import Effect, tool

from ._samples import PNG, NoParams


class Mixed(Result):
    def to_text(self) -> str:
        return "Multiple content types test:"

    def to_content(self) -> Sequence[Content]:
        return (
            Text(self.to_text()),
            Image(PNG, "image/png"),
            EmbeddedResource(
                "test://mixed-content-resource", "application/json", '{"test":"data","value":123}'
            ),
        )


@tool(title="Mixed content", effect=Effect.READ)
async def test_multiple_content_types(_params: NoParams, _bench: Bench) -> Mixed:
    """Return text, a picture and a resource at once."""
    return Mixed()
