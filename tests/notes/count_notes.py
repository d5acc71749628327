from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool


class CountParams(Params):
    pass


class Count(Result):
    notes: int

    def to_text(self) -> str:
        return f"{self.notes} notes"


@tool(title="Count notes", effect=Effect.READ)
def count_notes(_params: CountParams, bench: Bench) -> Count:
    """Count the text files of the workspace."""
    return Count(notes=len(list(bench.workspace.root.rglob("*.txt"))))
