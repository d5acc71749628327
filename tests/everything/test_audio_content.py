# ruff: noqa: PT019 - the suite names this tool; it is no test
from collections.abc import Sequence

from benchpin.core.calls import Bench
from benchpin.core.content import Audio, Content
from benchpin.core.results import Result
from benchpin.core.tools import Effect, tool

from ._samples import WAV, NoParams


class Sound(Result):
    def to_text(self) -> str:
        return "ten milliseconds of silence"

    def to_content(self) -> Sequence[Content]:
        return (Audio(WAV, "audio/wav"),)


@tool(title="Sound", effect=Effect.READ)
async def test_audio_content(_params: NoParams, _bench: Bench) -> Sound:
    """Return a sound."""
    return Sound()
