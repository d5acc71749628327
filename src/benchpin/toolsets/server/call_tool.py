"""Call any enabled tool by name."""

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool

NAME = "call_tool"


class CallToolParams(Params):
    """The tool, and what to call it with."""

    name: str
    """The name of the tool."""
    arguments: dict[str, object] = Field(default_factory=dict)
    """Its arguments."""

    def require_other(self) -> None:
        """Check that the call is not of this tool itself.

        Raises:
            InvalidParams: when it is.
        """
        if self.name == NAME:
            raise InvalidParams(f"{NAME} does not call itself", suggestion="Name another tool.")


@tool(title="Call a tool", effect=Effect.READ, calls_tools=True)
def call_tool(params: CallToolParams, bench: Bench) -> Result:
    """Call any enabled tool by name, with its own effects, limits and errors.

    Use it for tools that find_tools returned.
    """
    params.require_other()
    return bench.installation.tools.call(params.name, params.arguments, bench)
