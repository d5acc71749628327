"""From the schema of a tool's params to the options of its command, and back."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import click

from benchpin.core import InvalidParams, Params, Schema

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PATHS = frozenset({"path", "project_path", "filePath", "bundle_dir"})


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a field is given on the command line."""

    type: "click.ParamType[object]"
    is_flag: bool = False
    is_list: bool = False
    is_json: bool = False
    is_text_too: bool = False
    """What is not JSON is a text."""


@dataclass(frozen=True, slots=True)
class _Field:
    """A field, as the tool and its schema have it."""

    name: str
    """What the tool calls it."""
    key: str
    """What callers call it."""
    is_required: bool
    schema: Schema
    kind: _Kind


@cache
def _fields(params_type: type[Params]) -> list[_Field]:
    properties = cast("Mapping[str, Schema]", params_type.json_schema()["properties"])
    return [
        _Field(name, key, field.is_required(), properties[key], _kind(properties[key]))
        for name, field in params_type.model_fields.items()
        for key in [field.alias or name]
    ]


def options_for(params_type: type[Params]) -> list[click.Parameter]:
    """Return the parameters of a command: what is required by place, the rest by name.

    A path that may be left out stands behind what may not.
    """
    by_place: list[click.Parameter] = []
    by_name: list[click.Parameter] = []
    for field in _fields(params_type):
        if field.kind.is_flag or field.kind.is_json or not _is_positional(field, by_place):
            by_name.append(_option(field))
        else:
            by_place.append(_argument(field))
    return [*sorted(by_place, key=lambda it: not it.required), *by_name]


def arguments_of(params_type: type[Params], given: Mapping[str, object]) -> dict[str, object]:
    """Return the tool's arguments from what click parsed; what was not given is left out.

    Raises:
        InvalidParams: when a JSON option is not JSON.
    """
    arguments: dict[str, object] = {}
    for field in _fields(params_type):
        value = given.get(field.name)
        if value is None or value == ():
            continue
        arguments[field.key] = _parsed(field, value) if field.kind.is_json else value
    return arguments


def _is_positional(field: _Field, before: list[click.Parameter]) -> bool:
    has_variadic = any(parameter.nargs == -1 for parameter in before)
    if has_variadic:
        return False
    is_path = field.key in _PATHS and not field.kind.is_list
    return field.is_required or (is_path and not before)


def _argument(field: _Field) -> click.Argument:
    shown = _flag_name(field.key).upper()
    argument = click.Argument(
        [field.name],
        type=field.kind.type,
        required=field.is_required,
        nargs=-1 if field.kind.is_list else 1,
        metavar=shown if field.is_required else f"[{shown}]",
    )
    argument.name = field.name  # click makes lower case of it
    return argument


def _option(field: _Field) -> click.Option:
    flag, kind = _flag_name(field.key), field.kind
    help_text = str(field.schema.get("description", ""))
    if kind.is_json:
        help_text += " As JSON."
    elif kind.is_list:
        help_text += " Repeatable."
    elif field.schema.get("default") not in {None, ""}:
        help_text += f" [default: {field.schema['default']}]"
    # Without this, click makes a flag False that was not given, and with it nothing is required.
    absent: dict[str, Any] = {} if field.is_required else {"default": None}
    declaration = f"--{flag}/--no-{flag}" if kind.is_flag else f"--{flag}"
    return click.Option(
        [declaration, field.name],
        type=None if kind.is_flag else kind.type,
        is_flag=kind.is_flag,
        **absent,
        multiple=kind.is_list,
        required=field.is_required,
        help=help_text,
    )


def _flag_name(name: str) -> str:
    return _CAMEL.sub("-", name).replace("_", "-").lower()


def _kind(schema: Schema) -> _Kind:
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if choices is not None:
        return _Kind(click.Choice(cast("list[object]", choices), case_sensitive=False))
    match schema.get("type"):
        case "boolean":
            return _Kind(click.BOOL, is_flag=True)
        case "string":
            return _Kind(click.STRING)
        case "integer":
            return _Kind(_number(click.INT, click.IntRange, schema))
        case "number":
            return _Kind(_number(click.FLOAT, click.FloatRange, schema))
        case "array" if "items" in schema and "prefixItems" not in schema:
            member = _kind(cast("Schema", schema["items"]))
            if not member.is_json:
                return _Kind(member.type, is_list=True)
    branches = cast("list[Schema]", schema.get("anyOf", []))
    is_text_too = any(branch.get("type") == "string" for branch in branches)
    return _Kind(click.STRING, is_json=True, is_text_too=is_text_too)


def _number(
    plain: "click.ParamType[object]",
    ranged: "type[click.IntRange | click.FloatRange]",
    schema: Schema,
) -> "click.ParamType[object]":
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is None and high is None:
        return plain
    bounds: dict[str, Any] = {"min": low, "max": high}
    return ranged(
        **bounds,
        min_open="exclusiveMinimum" in schema,
        max_open="exclusiveMaximum" in schema,
    )


def _parsed(field: _Field, value: object) -> object:
    try:
        return json.loads(str(value))
    except (ValueError, RecursionError) as error:
        if field.kind.is_text_too:
            return value
        flag = f"--{_flag_name(field.key)}"
        hint = f'Quote it: {flag} \'{{"name": "value"}}\'.'
        raise InvalidParams(f"{flag} is not JSON: {error}", suggestion=hint) from error
