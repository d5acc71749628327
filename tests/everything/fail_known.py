from benchpin.core.calls import Bench
from benchpin.core.errors import FileMissing
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool


class FailParams(Params):
    path: str = "nowhere.txt"
    """What is missing."""


class Nothing(Result):
    def to_text(self) -> str:
        return ""


@tool(title="Fail on purpose", effect=Effect.READ)
def fail_known(params: FailParams, _bench: Bench) -> Nothing:
    """Fail in a way that has a number in this toolset's protocol."""
    raise FileMissing(
        f"File not found: {params.path}",
        suggestion="Check that the file exists.",
        data={"filePath": params.path},
    )
