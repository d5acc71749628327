"""Two toolsets made for tests: a tool of every effect, without a package behind them."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import AnyTool, Effect, Example, Params, ToolDefinition, Toolset, tool
from benchpin.core.tools._toolset import ToolFunction


class NoParams(Params):
    pass


class Done(Result):
    effects: list[str]

    def to_text(self) -> str:
        return f"done with {', '.join(self.effects)}"


def _tool(name: str, effect: Effect) -> AnyTool:
    def act(_params: Params, bench: Bench) -> Result:
        return Done(effects=sorted(bench.effects))

    act.__name__ = name
    act.__doc__ = f"Act with the effect {effect.value}."
    act.__annotations__ = {"_params": NoParams, "bench": Bench, "return": Done}
    function: ToolFunction[Params, Result] = act
    return tool(title=name, effect=effect)(function)


TOOLS: Mapping[str, AnyTool] = {
    name: _tool(name, effect)
    for name, effect in (
        *((f"do_{effect.value}", effect) for effect in Effect),
        ("look_twice", Effect.READ),
    )
}


@dataclass(frozen=True, slots=True)
class Kit(Toolset):
    """A toolset whose tools are already there."""

    def load_tool(self, name: str) -> AnyTool:
        """Return one tool."""
        return TOOLS[name]

    def definitions(self) -> dict[str, ToolDefinition]:
        """Return the definitions of the tools."""
        return {name: TOOLS[name].definition for name in self.tools}


MAIN = Kit(
    package="kits.main",
    title="Main",
    description="A tool of every effect.",
    tools=tuple(f"do_{effect.value}" for effect in Effect),
    aliases={"do.write": "do_write", "do.read": "do_read"},
    example=Example("do_read"),
)
SIDE = Kit(
    package="kits.side",
    title="Side",
    description="Another toolset.",
    tools=("look_twice",),
    example=Example("look_twice"),
)
KITS = (MAIN, SIDE)
