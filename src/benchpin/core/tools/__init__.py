"""What a tool is made of: its definition, its parameters, its effect, its command."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._command import REQUIRED, Arguments, Command, CommandField, pair
    from ._effects import DEFAULT_EFFECTS, Effect
    from ._params import (
        PATH,
        AlsoNamed,
        FileText,
        Mark,
        Number,
        Params,
        PathArgument,
        Rare,
        other_names,
    )
    from ._schema import Schema, result_schema
    from ._tool import AnyTool, Tool, ToolDefinition, tool
    from ._toolset import Example, Toolset, ToolsetSettings

__all__ = [
    "DEFAULT_EFFECTS",
    "PATH",
    "REQUIRED",
    "AlsoNamed",
    "AnyTool",
    "Arguments",
    "Command",
    "CommandField",
    "Effect",
    "Example",
    "FileText",
    "Mark",
    "Number",
    "Params",
    "PathArgument",
    "Rare",
    "Schema",
    "Tool",
    "ToolDefinition",
    "Toolset",
    "ToolsetSettings",
    "other_names",
    "pair",
    "result_schema",
    "tool",
]

__getattr__ = lazy(
    __name__,
    """
    _command: Arguments Command CommandField REQUIRED pair
    _effects: DEFAULT_EFFECTS Effect
    _params: AlsoNamed FileText Mark Number PATH Params PathArgument Rare other_names
    _schema: Schema result_schema
    _tool: AnyTool Tool ToolDefinition tool
    _toolset: Example Toolset ToolsetSettings
    """,
)
