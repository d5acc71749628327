"""The arguments of a tool."""

import difflib
import json
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Annotated, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from benchpin.core.errors import InvalidParams

from ._schemas import Schema, listed_schema, params_schema

T = TypeVar("T")

# The name that every tool accepts for its path, beside the name in its own document.
PATH = "path"
# What other servers call the arguments that mean the same in every tool.
_ALSO_CALLED = {
    "limit": ("max_results",),
    "depth": ("max_depth",),
    "diff": ("change",),
    "token_budget": ("budget",),
}
_NO_LIST = frozenset({"tuple_type", "list_type", "set_type", "frozen_set_type"})


class Mark(Enum):
    """What `tools/list` and the command line have to know about an argument, beside its type."""

    RARE = auto()
    PATH = auto()
    FILE = auto()
    COMMAND = auto()
    """A program and its arguments; a text is split as a shell would, though none runs it."""


@dataclass(frozen=True, slots=True)
class AlsoNamed:
    """Other names of an argument: accepted, but not listed."""

    names: tuple[str, ...]


# An argument that few callers need: accepted and documented, but not on the tool list.
Rare = Annotated[T, Mark.RARE]
# The argument that says where to work; `path` is accepted as its name, and listed.
PathArgument = Annotated[T, Mark.PATH]
# A long text; the command line takes the name of a file that has it.
FileText = Annotated[T, Mark.FILE]


def _whole_if_possible(value: float) -> float:
    return int(value) if value.is_integer() else value


# A number that may have a fraction; 10.0 becomes 10, so that results show it as it was given.
Number = Annotated[float, Field(allow_inf_nan=False), AfterValidator(_whole_if_possible)]


class Params(BaseModel):
    """Base of every tool's arguments: closed, frozen, described by the docstrings of its fields."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        defer_build=True,
        validate_by_name=True,
        validate_by_alias=True,
    )

    @classmethod
    def json_schema(cls) -> Schema:
        """Return the whole schema of the arguments."""
        return params_schema(cls)

    @classmethod
    def listed_schema(cls) -> Schema:
        """Return what `tools/list` publishes: the same without rare arguments, in few words."""
        rare = {_public_name(cls, name) for name in _marked(cls, Mark.RARE)}
        renamed = {_public_name(cls, name): PATH for name in _marked(cls, Mark.PATH)}
        return listed_schema(params_schema(cls), rare, renamed)

    @classmethod
    def parse(cls, arguments: Mapping[str, object]) -> Self:
        """Check arguments from outside.

        Raises:
            InvalidParams: naming every problem at once.
        """
        _check_sizes(arguments)
        named = _with_own_names(cls, arguments)
        try:
            return cls.model_validate(named)
        except ValidationError as error:
            listed = _with_lists(cls, named, error)
            if listed == named:
                raise _invalid(cls, arguments, error) from error
        try:
            return cls.model_validate(listed)
        except ValidationError as error:
            raise _invalid(cls, arguments, error) from error


_MAX_PROBLEMS = 20
# The limit of a list or an object: checking more, and naming a problem for each, would hold the
# server.
_MAX_ITEMS = 10_000


def _check_sizes(arguments: Mapping[str, object]) -> None:
    for name, value in {"(arguments)": arguments, **arguments}.items():
        if isinstance(value, str):  # the common case; testing for `Mapping` is slow
            continue
        if isinstance(value, list | Mapping) and len(value) > _MAX_ITEMS:
            size = f"{len(value):,} items, more than {_MAX_ITEMS:,}"
            raise InvalidParams(
                f"Invalid params: {name[:80]} has {size}",
                suggestion="Split it over several calls.",
            )


def _marked(model: type[Params], mark: Mark) -> list[str]:
    return [name for name, field in model.model_fields.items() if mark in field.metadata]


def _public_name(model: type[Params], name: str) -> str:
    return model.model_fields[name].alias or name


def other_names(model: type[Params], name: str) -> Iterator[str]:
    """Yield the names that a field is accepted by, beside its own."""
    for declared in model.model_fields[name].metadata:
        if declared is Mark.PATH:
            yield PATH
        elif isinstance(declared, AlsoNamed):
            yield from declared.names
    known = {*model.model_fields, *(it.alias for it in model.model_fields.values())}
    yield from (it for it in _ALSO_CALLED.get(name, ()) if it not in known)


def _with_own_names(model: type[Params], arguments: Mapping[str, object]) -> Mapping[str, object]:
    """Return the arguments with the names that the tool's own document uses.

    Raises:
        InvalidParams: when an argument has two names, with different values.
    """
    others = _other_names(model)
    if others.keys().isdisjoint(arguments):
        return arguments
    found = dict(arguments)
    for other, (name, public) in others.items():
        if other not in found or other in {name, public}:
            continue
        value = found.pop(other)
        for own in {name, public} & found.keys():
            if found.pop(own) != value:
                raise InvalidParams(
                    f"Invalid params: {other} and {own} are the same argument, with two values",
                    suggestion=f"Give {PATH if other == PATH else own} only.",
                )
        found[public] = value
    return found


def _with_lists(
    model: type[Params], arguments: Mapping[str, object], error: ValidationError
) -> Mapping[str, object]:
    """Return the arguments with lists where a text was given instead, as agents often do."""
    commands = {_public_name(model, name) for name in _marked(model, Mark.COMMAND)}
    found = dict(arguments)
    for problem in error.errors(include_url=False, include_context=False):
        value = problem["input"]
        if problem["type"] not in _NO_LIST or len(problem["loc"]) > 1 or not isinstance(value, str):
            continue
        [name] = problem["loc"]
        with suppress(ValueError):  # not JSON, or a quote that does not end
            is_list = value.startswith("[")
            split = json.loads(value) if is_list else shlex.split(value)
            found[str(name)] = split if is_list or name in commands else [value]
    return found


@cache  # asked for every call
def _other_names(model: type[Params]) -> Mapping[str, tuple[str, str]]:
    """Return the other names of arguments, with the name of the field and its own name."""
    return {
        other: (name, _public_name(model, name))
        for name in model.model_fields
        for other in other_names(model, name)
    }


def _describe(problem: ErrorDetails, model: type[Params]) -> str:
    """Describe a problem in terms of JSON, not of Python."""
    if problem["type"] != "extra_forbidden" or len(problem["loc"]) != 1:
        return problem["msg"].replace("valid tuple", "valid list")
    near = difflib.get_close_matches(str(problem["loc"][0]), _shown_names(model), n=1)
    return "no such argument" + (f"; did you mean {near[0]}?" if near else "")


def _shown_names(model: type[Params], *, required: bool = False) -> list[str]:
    """Return the names of the arguments as `tools/list` has them."""
    return [
        PATH if Mark.PATH in field.metadata else field.alias or name
        for name, field in model.model_fields.items()
        if field.is_required() or not required
    ]


def _invalid(
    model: type[Params], arguments: Mapping[str, object], error: ValidationError
) -> InvalidParams:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    own_names = {_public_name(model, name) for name in _marked(model, Mark.PATH)} - set(arguments)
    problems = [
        {
            "path": ".".join(PATH if part in own_names else str(part) for part in problem["loc"])
            or "(arguments)",
            "problem": _describe(problem, model),
        }
        for problem in found[:_MAX_PROBLEMS]
    ]
    names = f"Known arguments: {', '.join(_shown_names(model)) or 'none'}."
    listing = "; ".join(f"{problem['path']}: {problem['problem']}" for problem in problems)
    if len(found) > len(problems):
        listing += f"; … {len(found)} problems in total"
    required = ", ".join(_shown_names(model, required=True)) or "none"
    return InvalidParams(
        f"Invalid params: {listing}",
        suggestion=f"{names} Required: {required}.",
        data={"problems": problems},
    )
