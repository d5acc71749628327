"""From the fields of a tool's params to the options of its command, and back."""

import enum
import json
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click
from pydantic.fields import FieldInfo

from benchpin.core import InvalidParams, Params

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PATHS = frozenset({"path", "project_path", "filePath", "bundle_dir"})
_UNIONS = frozenset({typing.Union, types.UnionType})
_SCALARS = {str: click.STRING, int: click.INT, float: click.FLOAT}


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a field is given on the command line."""

    type: "click.ParamType[object]"
    is_flag: bool = False
    is_list: bool = False
    is_json: bool = False
    is_text_too: bool = False
    """What is not JSON is a text."""


def options_for(params_type: type[Params]) -> list[click.Parameter]:
    """Return the parameters of a command: what is required by place, the rest by name."""
    required: list[click.Parameter] = []
    optional: list[click.Parameter] = []
    for name, field in params_type.model_fields.items():
        kind = _kind(field.annotation)
        if kind.is_flag or kind.is_json or not _is_positional(name, field, kind, required):
            optional.append(_option(name, field, kind))
        else:
            required.append(_argument(name, field, kind))
    return [*required, *optional]


def arguments_of(params_type: type[Params], given: Mapping[str, object]) -> dict[str, object]:
    """Return the tool's arguments from what click parsed; what was not given is left out.

    Raises:
        InvalidParams: when a JSON option is not JSON.
    """
    arguments: dict[str, object] = {}
    for name, field in params_type.model_fields.items():
        value = given.get(name)
        if value is None or value == ():
            continue
        key, kind = field.alias or name, _kind(field.annotation)
        arguments[key] = _parsed(key, value, kind) if kind.is_json else value
    return arguments


def _is_positional(name: str, field: FieldInfo, kind: _Kind, before: list[click.Parameter]) -> bool:
    has_variadic = any(parameter.nargs == -1 for parameter in before)
    if has_variadic:
        return False
    return field.is_required() or (name in _PATHS and not kind.is_list and not before)


def _argument(name: str, field: FieldInfo, kind: _Kind) -> click.Argument:
    shown = _flag_name(field.alias or name).upper()
    argument = click.Argument(
        [name],
        type=kind.type,
        required=field.is_required(),
        nargs=-1 if kind.is_list else 1,
        metavar=shown if field.is_required() else f"[{shown}]",
    )
    argument.name = name  # click makes lower case of it
    return argument


def _option(name: str, field: FieldInfo, kind: _Kind) -> click.Option:
    flag = _flag_name(field.alias or name)
    help_text = field.description or ""
    if kind.is_json:
        help_text += " As JSON."
    elif kind.is_list:
        help_text += " Repeatable."
    elif (default := _shown_default(field)) is not None:
        help_text += f" [default: {default}]"
    # Without this, click makes a flag False that was not given, and with it nothing is required.
    absent: dict[str, Any] = {} if field.is_required() else {"default": None}
    declaration = f"--{flag}/--no-{flag}" if kind.is_flag else f"--{flag}"
    return click.Option(
        [declaration, name],
        type=None if kind.is_flag else kind.type,
        is_flag=kind.is_flag,
        **absent,
        multiple=kind.is_list,
        required=field.is_required(),
        help=help_text,
    )


def _shown_default(field: FieldInfo) -> str | None:
    default = field.get_default(call_default_factory=True)
    if field.is_required() or default in (None, "", (), []):
        return None
    return str(default.value if isinstance(default, enum.Enum) else default)


def _flag_name(name: str) -> str:
    return _CAMEL.sub("-", name).replace("_", "-").lower()


def _kind(annotation: object) -> _Kind:
    bare = _bare(annotation)
    origin, inner = typing.get_origin(bare), typing.get_args(bare)
    if bare is bool:
        return _Kind(click.BOOL, is_flag=True)
    if isinstance(bare, type) and issubclass(bare, enum.Enum):
        return _Kind(click.Choice([str(member.value) for member in bare]))
    if isinstance(bare, type) and bare in _SCALARS:
        return _Kind(_SCALARS[bare])
    if origin is typing.Literal:
        return _Kind(click.Choice(inner))
    if origin in {list, tuple, frozenset, set} and inner[1:] in {(), (...,)}:
        member = _kind(inner[0])
        if not member.is_json:
            return _Kind(member.type, is_list=True)
    return _Kind(click.STRING, is_json=True, is_text_too=str in inner and origin in _UNIONS)


def _bare(annotation: object) -> object:
    """Take `Annotated` and `| None` off a type."""
    if typing.get_origin(annotation) is typing.Annotated:
        return _bare(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in _UNIONS:
        members = [member for member in typing.get_args(annotation) if member is not type(None)]
        if len(members) == 1:
            return _bare(members[0])
    return annotation


def _parsed(name: str, value: object, kind: _Kind) -> object:
    try:
        return json.loads(str(value))
    except (ValueError, RecursionError) as error:
        if kind.is_text_too:
            return value
        flag = f"--{_flag_name(name)}"
        hint = f'Quote it: {flag} \'{{"name": "value"}}\'.'
        raise InvalidParams(f"{flag} is not JSON: {error}", suggestion=hint) from error
