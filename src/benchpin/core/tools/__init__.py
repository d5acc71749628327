"""What a tool is made of: its definition, its parameters, its effect, its command."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
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
    from ._schemas import Schema, result_schema
    from ._toolset import (
        REQUIRED,
        AnyTool,
        Arguments,
        Command,
        CommandField,
        Example,
        Tool,
        ToolDefinition,
        Toolset,
        ToolsetSettings,
        pair,
        tool,
    )

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

__getattr__ = lazy(__name__)
