# ruff: noqa: PT019 - the suite names this tool; it is no test
from collections.abc import Sequence

from benchpin.core.calls import Bench
from benchpin.core.content import Content, Image
from benchpin.core.results import Result
from benchpin.core.tools import Effect, tool

from ._samples import PNG, NoParams


class Picture(Result):
    def to_text(self) -> str:
        return "a red pixel"

    def to_content(self) -> Sequence[Content]:
        return (Image(PNG, "image/png"),)


@tool(title="Picture", effect=Effect.READ)
async def test_image_content(_params: NoParams, _bench: Bench) -> Picture:
    """Return a picture."""
    return Picture()
