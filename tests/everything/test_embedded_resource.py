# ruff: noqa: PT019 - the suite names this tool; it is no test
from collections.abc import Sequence

from benchpin.core.calls import Bench
from benchpin.core.content import Content, EmbeddedResource
from benchpin.core.results import Result
from benchpin.core.tools import Effect, tool

from ._samples import NoParams


class Embedded(Result):
    def to_text(self) -> str:
        return "an embedded resource"

    def to_content(self) -> Sequence[Content]:
        return (
            EmbeddedResource(
                "test://embedded-resource", "text/plain", "This is an embedded resource content."
            ),
        )


@tool(title="Embedded resource", effect=Effect.READ)
async def test_embedded_resource(_params: NoParams, _bench: Bench) -> Embedded:
    """Return a resource whole."""
    return Embedded()
