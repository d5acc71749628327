import time

from benchpin.core.calls import Bench, Operation
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool


class AppendParams(Params):
    path: str
    """The file."""
    line: str
    """What to add."""
    pause_s: float = 0.0
    """How long to dawdle first."""


class Appended(Result):
    lines: int

    def to_text(self) -> str:
        return f"{self.lines} lines"

    def metadata(self) -> dict[str, object]:
        return {"lines": self.lines}


@tool(title="Append a line", effect=Effect.WRITE)
def append_line(params: AppendParams, bench: Bench) -> Appended:
    """Add a line to a file of the workspace."""
    place = bench.path(params.path, Operation.WRITE)
    time.sleep(params.pause_s)
    with place.open("a", encoding="utf-8") as file:
        file.write(params.line + "\n")
    return Appended(lines=len(place.read_text(encoding="utf-8").splitlines()))
