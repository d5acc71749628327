"""Reference pages as Markdown, from the tools and settings themselves."""

import ast
import inspect
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from benchpin.app import Settings
from benchpin.app._settings import FILES_ONLY, OPERATOR_ONLY, toolset_tables
from benchpin.cli.groups import spelled
from benchpin.cli.hosts import HOSTS, Places
from benchpin.core.calls import Limits
from benchpin.core.tools import AnyTool, Toolset
from benchpin.facts import languages
from benchpin.facts.code import navigation_of, reader_of

_FLAGS = {
    "root": "--root",
    "toolsets": "--toolsets",
    "expose_tools": "--expose-tool",
    "allow": "--allow",
    "read_only": "--read-only",
    "unconfined": "--unconfined",
    "artifacts": "--artifacts",
    "data_dir": "--data-dir",
    "tool_timeout": "--tool-timeout",
    "profile": "--profile",
    "schemas": "--schemas",
    "transport": "--transport",
    "host": "--host",
    "port": "--port",
    "auth_token": "--auth-token",
}
_NO_VARIABLE = FILES_ONLY | {"limits"}


def table(columns: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; the columns are given as `a | b`."""
    count = columns.count("|") + 1
    lines = [f"| {columns} |", "|" + " --- |" * count]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings under the fields of a model, which are not read at start-up."""
    [body] = ast.parse(inspect.getsource(model)).body
    statements = cast("ast.ClassDef", body).body
    return {
        field.target.id: str(doc.value.value)
        for field, doc in pairwise(statements)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(doc, ast.Expr)
        and isinstance(doc.value, ast.Constant)
    }


def _effects(tool: AnyTool) -> str:
    further = tool.further_effect
    return tool.effect.value + (f", and {further.value} where it is allowed" if further else "")


_CAPABILITIES = (
    "outline, duplicates, debt",
    "complexity",
    "imports",
    "unused code",
    "certain members",
    "arguments of calls",
    "test command",
)


def _capabilities(name: str) -> tuple[bool, ...]:
    """Return what works for a language, in the order of the columns."""
    language, navigation = languages.load(name), navigation_of(name)
    return (
        bool(language.functions or language.roles),
        bool(language.weights or language.ifs),
        languages.family_module(name, "imports") is not None,
        languages.family_module(name, "liveness") is not None,
        reader_of(name) is not None,
        navigation.calls is not None,
        navigation.test_command is not None,
    )


def language_table() -> str:
    """Return what works for each language, as the tables of the languages say."""
    rows: list[Sequence[str]] = []
    for name in languages.NAMES:
        language = languages.load(name)
        endings = " ".join(f"`{it}`" for it in language.extensions)
        has = ("yes" if it else "no" for it in _capabilities(name))
        rows.append((language.title, endings, *has))
    return table(" | ".join(("language", "files", *_CAPABILITIES)), rows)


def short_language_table() -> str:
    """Return the same with one row for all languages for which the same works, most first."""
    titles: defaultdict[tuple[bool, ...], list[str]] = defaultdict(list)
    for name in languages.NAMES:
        titles[_capabilities(name)].append(languages.load(name).title)
    rows = [
        (", ".join(dict.fromkeys(titles[has])), *("✓" if it else "" for it in has))
        for has in sorted(titles, key=lambda it: (-sum(it), titles[it]))
    ]
    return table(" | ".join(("languages", *_CAPABILITIES)), rows)


def tool_table(toolsets: Sequence[Toolset]) -> str:
    """Return one row for each tool."""
    rows: list[Sequence[str]] = []
    for toolset in toolsets:
        link = f"**[{toolset.name}](docs/toolsets/{toolset.name}.md)**"
        rows.append((link, "", toolset.description))
        for name in toolset.tools:
            tool = toolset.load_tool(name)
            rows.append((f"`{name}`", tool.effect.value, _first_sentence(tool.description)))
    return table("tool | effect | what it does", rows)


def host_table() -> str:
    """Return one row for each MCP host that `benchpin install` knows."""
    home = Path("~")
    places = Places(home, home / ".config", home / ".config")
    rows = [
        (
            host.title,
            f"`{host.name}`",
            f"`{host.project_file}`" if host.project_file else "",
            f"`{host.user_file(places)}`",
            f"`{host.skills_folder}`" if host.skills_folder else "",
            host.profile or "auto",
        )
        for host in HOSTS
    ]
    return table("host | name | project | user (on Linux) | skills | profile", rows)


def settings_table() -> str:
    """Return one row for each setting, and one for each limit."""
    rows: list[Sequence[str]] = []
    settings_docs, limits_docs = field_docs(Settings), field_docs(Limits)
    for name, field in Settings.model_fields.items():
        flag = f"`{_FLAGS[name]}`" if name in _FLAGS else ""
        variable = "" if name in _NO_VARIABLE else f"`BENCHPIN_{name.upper()}`"
        mark = " (operator only)" if name in OPERATOR_ONLY else ""
        rows.append((f"`{name}`", _default(field), flag, variable, f"{settings_docs[name]}{mark}"))
    for name, kind in toolset_tables().items():
        rows.append((f"`{name}`", "", "", "", inspect.cleandoc(kind.__doc__ or "")))
    for name, field in Limits.model_fields.items():
        variable = f"`BENCHPIN_LIMITS_{name.upper()}`"
        rows.append((f"`limits.{name}`", _default(field), "", variable, limits_docs[name]))
    return table("setting | default | flag | environment | meaning", rows)


def toolset_reference(toolset: Toolset) -> str:
    """Return the reference of a toolset: its tools, resources, prompts, aliases and codes."""
    parts = ["## Tools", *(_tool(toolset, toolset.load_tool(name)) for name in toolset.tools)]
    sections: dict[str, tuple[str, list[tuple[str, ...]]]] = {
        "## Resources": (
            "URI | type | what it is",
            [(f"`{it.uri}`", it.mime_type, it.description) for it in toolset.load_resources()],
        ),
        "## Prompts": (
            "prompt | category | what it does",
            [(f"`{it.name}`", it.category, it.description) for it in toolset.load_prompts()],
        ),
        "## Error codes": (
            "kind | code",
            [(f"`{kind}`", str(code)) for kind, code in toolset.codes.items()],
        ),
    }
    for heading, (columns, rows) in sections.items():
        if rows:
            parts += [heading, table(columns, rows)]
    return "\n\n".join(parts)


def tool_page(toolset: Toolset, tool: AnyTool) -> str:
    """Return a page of its own for a tool."""
    _, _, described = _tool(toolset, tool).partition("\n")
    toolset_link = f"[{toolset.name}](../toolsets/{toolset.name}.md)"
    calls = [
        "```python",
        "import benchpin",
        "",
        f'print(benchpin.Workbench.open(".").call("{tool.name}", …).to_text())',
        "```",
    ]
    return "\n".join(
        (
            f"# {tool.name}",
            described,
            "",
            f"From Python, of the toolset {toolset_link}:",
            "",
            *calls,
        )
    )


def _tool(toolset: Toolset, tool: AnyTool) -> str:
    command = spelled(tool.name)
    aliases = [alias for alias, name in toolset.aliases.items() if name == tool.name]
    lines = [
        f"### {tool.name}",
        "",
        tool.description,
        "",
        f"Effect: {_effects(tool)}. Command: `benchpin {command}`.",
    ]
    if aliases:
        lines.append(f"Also called {', '.join(f'`{alias}`' for alias in aliases)}.")
    return "\n".join([*lines, "", _parameters(tool.input_schema), "", _result(tool.output_schema)])


def _parameters(schema: Mapping[str, object]) -> str:
    properties = cast("Mapping[str, Mapping[str, Any]]", schema.get("properties", {}))
    if not properties:
        return "It takes no parameters."
    required = cast("Sequence[str]", schema.get("required", ()))
    rows = [
        (f"`{name}`", _type(detail), _given(name, detail, required), _plain(detail))
        for name, detail in properties.items()
    ]
    return table("parameter | type | default | meaning", rows)


def _plain(detail: Mapping[str, Any]) -> str:
    """Return a description in which Markdown reads a glob such as **/tests/** as text."""
    return str(detail.get("description", "")).replace("*", "\\*")


def _given(name: str, detail: Mapping[str, Any], required: Sequence[str]) -> str:
    if name in required:
        return "required"
    return f"`{detail['default']}`" if "default" in detail else ""


def _result(schema: Mapping[str, object]) -> str:
    properties = cast("Mapping[str, Mapping[str, Any]]", schema.get("properties", {}))
    fields = ", ".join(f"`{name}` ({_type(detail)})" for name, detail in properties.items())
    return f"Result: {fields}." if fields else "Result: nothing."


def _type(detail: Mapping[str, Any]) -> str:
    if "enum" in detail:
        return " \\| ".join(f"`{choice}`" for choice in detail["enum"])
    kind = detail.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {_type(detail.get('items', {}))}"
    return str(kind)


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, BaseModel) or value in (None, (), frozenset(), {}):
        return ""
    return "the user's cache folder" if field.default_factory is not None else f"`{value}`"


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".") + "."
