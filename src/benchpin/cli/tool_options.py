"""Make the options of a command from the schema of a tool's params, and arguments from options."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click

from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.core.text import TextStyle
from benchpin.core.tools import PATH, REQUIRED, CommandField, Mark, Params, Schema, other_names

from .places import complete_path
from .running import read_text

# The schema names the field of an answer, which the command line prints as an option.
_HELP_TEXTS = {"cursor": "The value after --cursor at the end of the previous page."}
# Characters of choices that an option lists in brackets after its name.
_MAX_CHOICES = 40
_SEE_HELP = "See {} --help."
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# An optional field with one of these names is an argument, if it is the first.
_SUBJECTS = frozenset({"path", "project_path", "filePath", "bundle_dir", "symbol"})
# A text that may be typed as several words, without quotes.
_SENTENCES = frozenset({"question"})
_NAMES_A_PATH = re.compile(r"(?:^|-)(?:paths?|dirs?|directory|file|target|baseline)$")


@dataclass(frozen=True, slots=True)
class _Kind:
    """How the values of a field are written."""

    type: "click.ParamType[object]"
    is_flag: bool = False
    is_list: bool = False
    is_json: bool = False
    is_text_too: bool = False
    """Whether a text that is not JSON is a value as well."""


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of the params, and what the command declares about it."""

    name: str
    """Its name in Python."""
    key: str
    """Its name in the schema."""
    is_needed: bool
    """Whether the schema requires it; a command may have a default for it all the same."""
    schema: Schema
    kind: _Kind
    declared: CommandField | None
    other_names: tuple[str, ...] = ()
    """Accepted beside its own."""
    is_file: bool = False
    """Whether the name of a file is typed, and its text is the value."""

    @property
    def is_repeated(self) -> bool:
        """Whether all words that are left are its value."""
        return self.kind.is_list or self.key in _SENTENCES

    @property
    def is_required(self) -> bool:
        return self.is_needed and (self.declared is None or self.declared.default is REQUIRED)

    @property
    def flag(self) -> str:
        declared = self.declared.name.partition(" ")[0] if self.declared else ""
        return declared or f"--{_flag_name(PATH if PATH in self.other_names else self.key)}"


class ToolOptions:
    """The options and arguments of a command."""

    def __init__(
        self, params_type: type[Params], declared: Mapping[str, CommandField] | None = None
    ) -> None:
        """Read the schema; a command may declare how it takes some fields, by key."""
        properties = cast("Mapping[str, Schema]", params_type.json_schema()["properties"])
        self._fields = [
            _Field(
                name,
                key,
                field.is_required(),
                properties[key],
                _kind(properties[key], own),
                own,
                tuple(other_names(params_type, name)),
                Mark.FILE in field.metadata,
            )
            for name, field in params_type.model_fields.items()
            for key in [field.alias or name]
            for own in [(declared or {}).get(key)]
        ]
        self._placed = list(_placed(self._fields))

    def parameters(self) -> list[click.Parameter]:
        """Return click's parameters: arguments first, required ones before optional ones."""
        arguments: list[click.Parameter] = []
        options: list[click.Parameter] = []
        for field in self._fields:
            if field.declared is not None and not field.declared.name:
                continue
            if field in self._placed:
                arguments.append(_argument(field))
            else:
                options.append(_option(field))
            options += [_option(field, flag) for flag in self._other_flags(field)]
        return [*sorted(arguments, key=lambda it: not it.required), *options]

    def arguments(self, given: Mapping[str, object]) -> dict[str, object]:
        """Return the arguments of the tool from what click parsed; the rest is left out.

        Raises:
            InvalidParams: when a text is not JSON, or not what its field takes.
        """
        arguments: dict[str, object] = {}
        given = self.by_field(given)
        for field in self._fields:
            value = given.get(field.name)
            if value is not None and value != ():
                arguments[field.key] = _value(field, value)
            elif field.declared is not None and field.declared.default is not REQUIRED:
                arguments[field.key] = field.declared.default
        return arguments

    def by_field(self, given: Mapping[str, object]) -> dict[str, object]:
        """Return what click parsed, with the value of another flag as that of its field.

        Raises:
            InvalidParams: when a field has two values.
        """
        found = dict(given)
        for field in self._fields:
            for flag in self._other_flags(field):
                value = found.pop(_name_of(field, flag), None)
                if value is None or value == ():
                    continue
                if found.get(field.name) not in {None, (), value}:
                    raise InvalidParams(
                        f"{self.written(field.name)} and {flag} are the same, with two values",
                        suggestion=f"Leave out {flag}.",
                    )
                found[field.name] = value
        return found

    def folders(self, given: Mapping[str, object]) -> list[Path]:
        """Return the folders that were typed, and the folders of files that were."""
        places = [
            Path(text).absolute()
            for field in self._fields
            if field.declared is not None and field.declared.is_path
            for text in _texts(given.get(field.name))
        ]
        return [place if place.is_dir() else place.parent for place in places]

    @property
    def path_name(self) -> str | None:
        """The name of the argument that may be a path in the workspace, if there is one."""
        return next((it.name for it in self._placed if it.key in _SUBJECTS), None)

    def written(self, name: str, value: str | None = None) -> str | None:
        """Return a field with a value as it is typed; None if the command has no such field."""
        field = next((it for it in self._fields if name in {it.key, it.name}), None)
        if field is None or (field.declared is not None and not field.declared.name):
            return None
        if field in self._placed:
            return _shown(field) if value is None else shlex.quote(value)
        if value is None or (field.kind.is_flag and value == "true"):
            return field.flag
        if field.kind.is_flag:
            return f"--no-{field.flag.removeprefix('--')}"
        return f"{field.flag} {shlex.quote(value)}"

    def explained(self, error: BenchpinError, style: TextStyle) -> BenchpinError:
        """Return an error that names the flags of this command."""
        problems = cast("list[dict[str, str]]", error.data.get("problems") or [])
        if isinstance(error, InvalidParams) and problems:
            listing = "; ".join(f"{self._flag(it['path'])}: {it['problem']}" for it in problems)
            error.message = f"Invalid params: {listing}"
            error.suggestion = _SEE_HELP.format(click.get_current_context().command_path)
        error.message = style.hint(error.message)
        error.suggestion = style.hint(error.suggestion)
        return error

    def _flag(self, path: str) -> str:
        name, dot, rest = path.partition(".")
        return f"{self.written(name) or name}{dot}{rest}"

    def _other_flags(self, field: _Field) -> list[str]:
        """Return the flags that are accepted and not shown: the field's other names.

        What is given by place may be given by name too, unless it is required.
        """
        if field.is_required or field.kind.is_flag or (field.declared and not field.declared.name):
            return []
        names = {f"--{_flag_name(it)}": None for it in (field.key, *field.other_names)}
        shown = () if field in self._placed else (field.flag,)
        taken = {it.flag for it in self._fields if it is not field}
        return [it for it in names if it not in shown and it not in taken]


def _placed(fields: Iterable[_Field]) -> Iterator[_Field]:
    """Yield the fields that are given by place: those declared to be, and required ones.

    So is the first path, or the subject of the tool.
    """
    is_first, is_open = True, True  # nothing follows a list
    for field in fields:
        if field.declared is not None:
            is_placed = bool(field.declared.name) and not field.declared.name.startswith("--")
        elif field.kind.is_flag or field.kind.is_json or not is_open:
            is_placed = False
        else:
            is_subject = field.key in _SUBJECTS and not field.kind.is_list
            is_placed = field.is_required or (is_subject and is_first)
        if is_placed:
            yield field
            is_first, is_open = False, is_open and not field.kind.is_list


def _argument(field: _Field) -> click.Argument:
    shown = _shown(field)
    argument = click.Argument(
        [field.name],
        type=field.kind.type,
        required=field.is_required,
        nargs=-1 if field.is_repeated else 1,
        metavar=shown if field.is_required else f"[{shown}]",
        envvar=(field.declared and field.declared.variable) or None,
        help=_help(field),  # "..." in the usage says that it may be repeated
        shell_complete=complete_path if _is_path(field) else None,
    )
    argument.name = field.name  # click changes it to lower case
    return argument


def _shown(field: _Field) -> str:
    """Return an argument as the usage line names it."""
    shown = field.declared.name if field.declared else _flag_name(field.key).upper()
    return f"{shown}..." if field.is_repeated else shown


def _name_of(field: _Field, flag: str) -> str:
    """Return the name of click's parameter for another flag of a field."""
    return f"{field.name}_{flag.lstrip('-').replace('-', '_')}"


def _option(field: _Field, other_flag: str = "") -> click.Option:
    """Return the option of a field, or one that is not shown, for another flag of it."""
    flag, kind = other_flag or field.flag, field.kind
    # Without a default, click reads a flag that is not given as False; with one, no option is
    # required.
    absent: dict[str, Any] = {} if field.is_required else {"default": None}
    declaration = f"{flag}/--no-{flag.removeprefix('--')}" if kind.is_flag else flag
    return click.Option(
        [declaration, _name_of(field, flag) if other_flag else field.name],
        hidden=bool(other_flag),
        type=None if kind.is_flag else kind.type,
        is_flag=kind.is_flag,
        **absent,
        metavar=_metavar(field),
        multiple=kind.is_list,
        required=field.is_required,
        help=f"{_help(field)} Repeatable." if kind.is_list else _help(field),
        shell_complete=complete_path if _is_path(field) else None,
    )


def _metavar(field: _Field) -> str | None:
    """Return the placeholder of the value in the help; None for the name of its type."""
    declared = field.declared.name.partition(" ")[2] if field.declared else ""
    of_choices = _flag_name(field.key).upper() if _many_choices(field) else None
    return declared or ("FILE" if field.is_file else of_choices)


def _many_choices(field: _Field) -> str:
    """Return the choices of an option in words, if they are too many for its own column."""
    named = ", ".join(map(str, getattr(field.kind.type, "choices", ())))
    return named if len(named) > _MAX_CHOICES else ""


def _help(field: _Field) -> str:
    """Return what the schema says of a field, and its default on the command line."""
    declared = field.declared or CommandField("")
    described = str(field.schema.get("description", ""))
    text = declared.help or _HELP_TEXTS.get(field.key, described)
    if choices := _many_choices(field):
        text = f"{text} One of {choices}."
    default = field.schema.get("default") if declared.default is REQUIRED else declared.default
    if field.is_file:
        return f"{text} The name of a file, or - for standard input."
    if field.kind.is_list:
        return text
    if field.kind.is_json:
        return f"{text} As JSON."
    if default is None or default == "":
        return text
    if field.kind.is_flag:
        default = f"{'' if default else 'no-'}{field.flag.removeprefix('--')}"
    return f"{text} [default: {default}]"


def _is_path(field: _Field) -> bool:
    is_declared = field.declared is not None and field.declared.is_path
    return field.is_file or is_declared or _NAMES_A_PATH.search(_flag_name(field.key)) is not None


def _flag_name(name: str) -> str:
    return _CAMEL.sub("-", name).replace("_", "-").lower()


def _kind(schema: Schema, declared: CommandField | None = None) -> _Kind:
    if declared is not None and declared.parse is not None:
        return _Kind(click.STRING, is_list=True)
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


def _value(field: _Field, value: object) -> object:
    declared = field.declared
    if field.is_file:
        return read_text(str(value), field.flag)
    texts = _texts(value)
    if field.key in _SENTENCES:
        return " ".join(texts)
    if declared is None or not (declared.is_path or declared.parse):
        return _from_json(field, value) if field.kind.is_json else value
    if declared.is_path:
        if "" in texts:  # a shell variable that is not set, for example
            raise InvalidParams("A path is empty", suggestion=f"Give a value for {field.flag}.")
        texts = [str(Path(text).absolute()) for text in texts]
    if declared.parse is None:
        return texts if field.kind.is_list else texts[0]
    try:
        parsed = [declared.parse(text) for text in texts]
    except ValueError as error:
        raise InvalidParams(
            f"{field.flag} {error}",
            suggestion=_SEE_HELP.format(click.get_current_context().command_path),
        ) from error
    is_object = field.schema.get("type") == "object"
    return dict(cast("Iterable[tuple[str, str]]", parsed)) if is_object else parsed


def _texts(value: object) -> list[str]:
    several = isinstance(value, (list, tuple))
    return list(cast("Iterable[str]", value)) if several else [] if value is None else [str(value)]


def _from_json(field: _Field, value: object) -> object:
    try:
        return json.loads(str(value))
    except (ValueError, RecursionError) as error:
        if field.kind.is_text_too:
            return value
        hint = f'Quote it: {field.flag} \'{{"name": "value"}}\'.'
        raise InvalidParams(f"{field.flag} is not JSON: {error}", suggestion=hint) from error
