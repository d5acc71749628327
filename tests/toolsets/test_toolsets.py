import json
import re

import pytest

from benchpin.core.tools import AnyTool, Effect, Toolset
from benchpin.toolsets import TOOLSETS, load_toolsets

ALL = load_toolsets()
TOOLS = [toolset.load_tool(name) for toolset in ALL for name in toolset.tools]


def test_toolsets_are_loaded_in_the_order_of_their_names_list() -> None:
    assert tuple(toolset.name for toolset in ALL) == TOOLSETS


def test_no_two_tools_or_aliases_share_a_name() -> None:
    names = [name for toolset in ALL for name in (*toolset.tools, *toolset.aliases)]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("toolset", ALL, ids=lambda toolset: toolset.name)
def test_a_toolset_holds_what_it_says(toolset: Toolset) -> None:
    assert [toolset.load_tool(name).name for name in toolset.tools] == list(toolset.tools)
    assert len(toolset.load_resources()) == len(toolset.resources)
    assert len(toolset.load_prompts()) == len(toolset.prompts)
    assert set(toolset.aliases.values()) <= set(toolset.tools)
    assert toolset.title
    assert toolset.description


@pytest.mark.parametrize("toolset", ALL, ids=lambda toolset: toolset.name)
def test_the_example_of_a_toolset_can_be_called(toolset: Toolset) -> None:
    example = toolset.load_tool(toolset.example.tool)
    params = example.params_type.parse(toolset.example.arguments)
    assert isinstance(params, example.params_type)
    assert example.effect in {Effect.READ, Effect.RECORD}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_argument_is_described(tool: AnyTool) -> None:
    properties = tool.input_schema["properties"]
    assert isinstance(properties, dict)
    for name, schema in properties.items():
        assert 0 < len(schema.get("description", "")) <= 300, name


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_stand_alone(tool: AnyTool) -> None:
    for schema in (tool.input_schema, tool.output_schema):
        assert schema["type"] == "object"
        assert not re.search(r"\$(ref|defs)", json.dumps(schema))
