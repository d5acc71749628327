from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool


class EchoParams(Params):
    text: str
    """What to say."""


class Echo(Result):
    text: str

    def to_text(self) -> str:
        return self.text


@tool(title="Echo", effect=Effect.READ)
async def echo(params: EchoParams, _bench: Bench) -> Echo:
    """Say the text again."""
    return Echo(text=params.text)
