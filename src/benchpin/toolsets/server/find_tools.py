"""Find the tools for a task."""

import json
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Item, Result
from benchpin.core.tools import Effect, Params, Schema, tool

from ._tool_ranking import rank_tools


class FindToolsParams(Params):
    """The task."""

    query: Annotated[str, Field(min_length=1, max_length=1000)]
    """What you want to do, in your own words."""
    limit: Annotated[int, Field(ge=1, le=20)] = 3
    """How many tools to return."""


class FoundTool(Item):
    """A tool, with everything that a call needs."""

    name: str
    description: str
    effect: Effect
    score: float
    """How well it fits the task; only the order means something."""
    input_schema: Schema


class FoundTools(Result):
    """The tools that fit a task, best first."""

    tools: list[FoundTool]
    enabled: int
    """The total number of tools."""
    disabled: list[str]
    """Tools that would fit better, were they enabled, each with how to enable it."""

    def to_text(self) -> str:
        """Return the name, description and schema of each tool."""
        shown = [
            f"{it.name} ({it.effect.value}): {it.description}\n"
            + json.dumps(it.input_schema, ensure_ascii=False, separators=(",", ":"))
            for it in self.tools
        ]
        if not shown:
            shown = [f"None of the {self.enabled} enabled tools fits; use other words."]
        return "\n\n".join([*shown, *self.disabled])


@tool(title="Find tools", effect=Effect.READ, also="which tool, how can I, what can you do, help")
def find_tools(params: FindToolsParams, bench: Bench) -> FoundTools:
    """Find the tools for a task, best first, with all their arguments.

    Use it when no listed tool fits, then run what it found with call_tool.
    """
    tools = bench.installation.tools
    enabled = tools.definitions()
    ranked = rank_tools(tools.every_definition(), params.query)
    usable = {it.name for it in enabled}
    found = [
        FoundTool(
            name=definition.name,
            description=definition.summary,
            effect=definition.effect,
            score=round(score, 2),
            input_schema=tools.input_schema(definition.name),
        )
        for score, definition in [it for it in ranked if it[1].name in usable][: params.limit]
    ]
    disabled = [
        f"{definition.name} would fit, but is off. {tools.way_in(definition.name)}"
        for _, definition in ranked[: params.limit]
        if definition.name not in usable
    ]
    return FoundTools(tools=found, enabled=len(enabled), disabled=disabled)
