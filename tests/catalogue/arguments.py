"""Arguments with which any tool of the catalogue can be called, and arguments that it must refuse.

They are derived from the example of the toolset, from the schema, and from values by the name of a
parameter. A tool whose parameters have known names is covered without a line here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from benchpin.core.tools import AnyTool, Effect, Toolset
from benchpin.toolsets import load_toolsets

from .site import CODE, PROFILES, Site

Schema = Mapping[str, Any]

TOOLS: dict[str, tuple[Toolset, AnyTool]] = {
    name: (toolset, toolset.load_tool(name))
    for toolset in load_toolsets()
    for name in toolset.tools
}


def _each(names: Iterable[str]) -> pytest.MarkDecorator:
    marks = {it: pytest.mark.slow if TOOLS[it][1].needs_sandbox else () for it in names}
    return pytest.mark.parametrize("name", [pytest.param(it, marks=marks[it]) for it in marks])


READERS = [name for name, (_, tool) in TOOLS.items() if tool.effect is Effect.READ]
"""Tools that change nothing, unless some of them are told to."""
EVERY_TOOL = _each(TOOLS)
EVERY_READER = _each(READERS)
EVERY_OTHER = _each(it for it in TOOLS if it not in READERS)

PATHS: dict[str, str] = {
    "baseline": "gate-baseline.json",
    "bundle_dir": "perf",
    "filePath": CODE,
    "outputPath": "docs/export.txt",
    "path": CODE,
    "project_path": ".",
    "search_path": "src",
    "slow_log_path": "perf/slow.log",
    "sourceFile": CODE,
    "spx_dirs": "perf",
    "target": "made",
    "targetFile": "src/copied.py",
    "working_directory": "src",
}
"""Parameters that are paths in the workspace, and a path that fits."""


VALUES: dict[str, object] = {
    **PATHS,
    "arguments": {},
    "argv": ["python3", "-c", "print(6 * 7)"],
    "artifacts": [{"path": f"perf/{name}"} for name in PROFILES],
    "code": "print(6 * 7)",
    "command": "echo hello",
    "content": "hello\n",
    "edits": [{"old_text": "load_table", "new_text": "read_table"}],
    "line": 5,
    "name": "get_status",
    "parameters": {"project_name": "my-project"},
    "pattern": "a",
    "query": "python",
    "question": "how is a table loaded",
    "new_name": "renamed_symbol",
    "rewrite": "b",
    "resource_uri": "template://makefile/rust/cli",
    "spx_dirs": ["perf"],
    "symbol": "load_table",
    "targetLine": 6,
    "templates": ["makefile", "readme"],
    "text": "a text",
    "toolchain": "rust",
    "until": "2026-01-30",
    "url_paths": ["/"],
}
"""Values by the name of a parameter, for those whose schema does not say enough."""

OF_SITE: dict[str, Callable[[Site], object]] = {
    "after": lambda site: site.snapshot_ids[1],
    "base_url": lambda site: site.base_url,
    "baseline": lambda site: site.snapshot_ids[0],
    "before": lambda site: site.snapshot_ids[0],
    "commentId": lambda site: site.comment_id,
    "id": lambda site: site.result_id,
    "normalized_snapshot_id": lambda site: site.snapshot_ids[0],
    "run_id": lambda site: site.snapshot_ids[0],
}
"""Values that name something recorded in the site, by the name of a parameter."""

OF_TOOL: dict[tuple[str, str], object] = {
    ("find_implementations", "symbol"): "View",
    ("prove_change", "budget"): 5,  # seconds; elsewhere tokens
    # Instead of which tests can be named.
    ("record_profile", "argv"): ["python3", "-c", "print(6 * 7)"],
}
"""Values for one tool, where those of the others would give it nothing to list."""

TELLING: dict[str, object] = {
    "artifacts": ...,
    "diff": "HEAD~1",
    "each": True,
    "complexity_threshold": 1,
    "correlation_id": "catalogue",
    "max_cyclomatic": 1,
    "min_confidence": 0,
    "min_score": 0,
    "normalized_snapshot_id": ...,
    "recursive": True,
    "runs": 1,
    "until": ...,
}
"""Parameters that are given though they may be left out, so that there is something to list; those
with an ellipsis have their value from above."""

WITH: dict[str, dict[str, object]] = {"bundle_dir": {"artifacts": []}, "target": {"write": True}}
"""What else to give so that a parameter takes effect, by its name."""


class NotDerived(Exception):
    """No valid call follows from what is known of a tool."""


def arguments_of(name: str, site: Site) -> dict[str, object]:
    """Return arguments with which a tool answers.

    Raises:
        NotDerived: saying what to add.
    """
    toolset, tool = TOOLS[name]
    properties = _properties(tool)
    example = toolset.example.arguments if toolset.example.tool == name else {}
    # A tool that takes a symbol or else a change is asked about the symbol.
    is_either = {"diff", "symbol"} <= properties.keys()
    instead = {"diff"} if is_either else set()
    telling = [it for it in TELLING if it in properties and it not in instead]
    telling += ["symbol"] if is_either else []
    telling += [it for of, it in OF_TOOL if of == name]
    needed = [*tool.input_schema.get("required", []), *telling]  # type: ignore[misc]  # a list
    return dict(example) | {
        it: _value(name, it, properties[it], site) for it in needed if it not in example
    }


def _value(tool: str, name: str, schema: Schema, site: Site) -> object:
    if (tool, name) in OF_TOOL:
        return OF_TOOL[tool, name]
    if TELLING.get(name, ...) is not ...:
        return TELLING[name]
    value = OF_SITE[name](site) if name in OF_SITE else VALUES.get(name, _by_schema(schema))
    if not Draft202012Validator(schema).is_valid(value):
        message = (
            f"{tool} needs {name}, and no value follows from {dict(schema)}: "
            f"add one for {name!r} to VALUES or OF_SITE in tests/catalogue/arguments.py"
        )
        raise NotDerived(message)
    return value


def _by_schema(schema: Schema) -> object:
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    return {"boolean": True, "object": {}, "array": []}.get(schema.get("type", ""))


def _properties(tool: AnyTool) -> dict[str, Schema]:
    properties: Any = tool.input_schema["properties"]
    return dict(properties)


def properties_of(name: str) -> dict[str, Schema]:
    """Return the schemas of a tool's parameters."""
    return _properties(TOOLS[name][1])


def reads_only(name: str) -> bool:
    """Whether no call of a tool changes anything."""
    return name in READERS and TOOLS[name][1].further_effect is None


def dry_run(name: str) -> dict[str, object]:
    """Return what keeps a tool from recording, so that a second call is about the same things."""
    return {"dryRun": True} if "dryRun" in properties_of(name) else {}


def with_parameter(*names: str) -> list[str]:
    """Return the tools that have all of these parameters."""
    return [it for it in TOOLS if set(names) <= properties_of(it).keys()]


WRONG: tuple[object, ...] = ("no such value", 7.25, -1_000_000, 10**12, [], [[]], {"no": "such"})
"""A value of each type, hardly any of which a parameter takes."""


def refused_values(schema: Schema) -> Iterator[object]:
    """Give values that a published schema does not allow: other types, and just past each bound."""
    candidates = [*WRONG, *_past_bounds(schema)]
    validator = Draft202012Validator(schema)
    for value in candidates:
        # A text is taken for a list of one.
        is_one = isinstance(value, str) and validator.is_valid([value])
        if not is_one and not validator.is_valid(value):
            yield value


def _past_bounds(schema: Schema) -> Iterator[object]:
    for bound, step in (("minimum", -1), ("maximum", 1)):
        if bound in schema:
            yield schema[bound] + step
    if "maxLength" in schema:
        yield "x" * (schema["maxLength"] + 1)
    if "minLength" in schema:
        yield "x" * (schema["minLength"] - 1)
    if "maxItems" in schema:
        yield ["x"] * (schema["maxItems"] + 1)
    if "minItems" in schema:
        yield ["x"] * (schema["minItems"] - 1)
