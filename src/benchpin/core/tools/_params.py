"""The arguments of a tool."""

import difflib
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Annotated, Self, TypeVar, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from benchpin.core.errors import InvalidParams

T = TypeVar("T")

# The name that every tool accepts for its path, beside the name in its own document.
PATH = "path"
Schema = dict[str, object]

# `discriminator` is OpenAPI's, not JSON Schema's, and points into the definitions.
_PARAMS_NOISE = frozenset({"title", "discriminator"})
_RESULT_NOISE = _PARAMS_NOISE | {"description", "default", "examples", "additionalProperties"}
_LISTED = ("type", "enum", "items", "anyOf", "properties", "required", "description")
# The schema has limits up to this one, which a caller may exceed; larger ones only cost tokens,
# but for those of how long an answer may be.
_MAX_LISTED_LIMIT = 20
_LIMITED = frozenset({"budget", "token_budget"})
# What other servers call the arguments that mean the same in every tool.
_ALSO_CALLED = {
    "limit": ("max_results",),
    "depth": ("max_depth",),
    "diff": ("change",),
    "token_budget": ("budget",),
}
# Arguments that mean the same in every tool, which the server's instructions explain once, and
# those whose names say it all. Their descriptions are in the whole schema.
_SELF_EXPLANATORY = frozenset(
    """
    after arguments artifacts author base_url baseline before budget category command commentId
    content cursor dag_type dateRange depth detection_type diff direction dry_run dryRun edits
    end end_line executive_summary filePath filters focus format hasAIMetadata id include_body
    include_diff include_patterns limit line max_cognitive max_cyclomatic min_confidence
    min_lines min_severity new_name new_text normalized_snapshot_id old_text outputPath patch
    path period_days profile public_only question rewrite run_id scope search_type slow_log_path
    spx_dirs start start_line status subject symbol tag tags targetFile targetLine tests text
    timeout to token_budget toolchain top_k url_paths write
    """.split()  # noqa: SIM905 - easier to read as a table
)
_CLAUSE_END = re.compile(r"[;.] |;$")
_NO_LIST = frozenset({"tuple_type", "list_type", "set_type", "frozen_set_type"})
_SINGLE = frozenset({"items", "additionalProperties", "propertyNames", "not"})


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


# JSON Schemas as MCP clients need them: short, and without references.
#
# Several hosts reject `$ref`, and an agent pays for every byte of a tool list, so the output of
# pydantic is inlined and its titles removed. Recursion cannot be inlined: it ends in a bare type.


def params_schema(model: type[BaseModel]) -> Schema:
    """Return the schema of a tool's arguments, with descriptions."""
    schema = _Inliner(
        model.model_json_schema(by_alias=True), _PARAMS_NOISE, keep_null=False
    ).inline()
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


def listed_schema(whole: Schema, rare: AbstractSet[str], renamed: Mapping[str, str]) -> Schema:
    """Return the schema of a tool's arguments for `tools/list`, where every token costs.

    Defaults and most bounds are left out: errors name them. A description ends at its first clause.
    """
    properties = {
        renamed.get(name, name): _listed(node, is_limited=name in _LIMITED)
        for name, node in cast("Mapping[str, Schema]", whole["properties"]).items()
        if name not in rare
    }
    for name, node in properties.items():
        if _is_workspace(whole, name, renamed):
            node.pop("description", None)
    _drop_explanations(properties)
    required = [renamed.get(name, name) for name in cast("list[str]", whole.get("required", []))]
    listed: Schema = {"type": "object", "properties": properties}
    return {**listed, "required": required} if required else listed


def _drop_explanations(properties: Mapping[str, Schema]) -> None:
    """Leave out what the names of arguments say, also inside objects and lists of them."""
    for name, node in properties.items():
        if name in _SELF_EXPLANATORY:
            node.pop("description", None)
        items = cast("Schema", node.get("items", {}))
        items.pop("description", None)
        for inner in (node, items):
            _drop_explanations(cast("Mapping[str, Schema]", inner.get("properties", {})))


def _is_workspace(whole: Schema, name: str, renamed: Mapping[str, str]) -> bool:
    """Whether an argument is a path which is the workspace by default, as in most tools."""
    nodes = cast("Mapping[str, Schema]", whole["properties"])
    own = next((old for old, new in renamed.items() if new == name), name)
    return name == "path" and nodes[own].get("default") == "."


def first_clause(text: str) -> str:
    """Return a text up to its first semicolon or full stop."""
    return _CLAUSE_END.split(" ".join(text.split()), maxsplit=1)[0].rstrip(".")


def _listed(node: Schema, *, is_limited: bool = False) -> Schema:
    """Return one argument with its type, its choices and a few words."""
    thin = {key: node[key] for key in _LISTED if key in node}
    most = node.get("maximum")
    is_told = isinstance(most, int) and (is_limited or most <= _MAX_LISTED_LIMIT)
    if node.get("type") == "integer" and is_told:
        thin["maximum"] = most
    if "description" in thin:
        thin["description"] = first_clause(str(thin["description"]))
    for key in ("items", "additionalProperties"):
        if isinstance(thin.get(key), dict):
            thin[key] = _listed(cast("Schema", thin[key]))
    if "anyOf" in thin:
        thin["anyOf"] = [_listed(branch) for branch in cast("list[Schema]", thin["anyOf"])]
    if "properties" in thin:
        inner = cast("Mapping[str, Schema]", thin["properties"])
        thin["properties"] = {name: _listed(child) for name, child in inner.items()}
    return thin


def result_schema(model: type[BaseModel]) -> Schema:
    """Return the schema of a tool's structured result: types only.

    The root stays open, because `partial` and `missing` are added when a result is incomplete.
    """
    raw = model.model_json_schema(by_alias=True, mode="serialization")
    schema = _Inliner(raw, _RESULT_NOISE, keep_null=True).inline()
    for name in ("partial", "missing"):
        cast("dict[str, object]", schema.get("properties", {})).pop(name, None)
    return schema


class _Inliner:
    """Rewrites one schema without references."""

    def __init__(
        self, raw: Mapping[str, object], noise: frozenset[str], *, keep_null: bool
    ) -> None:
        self._root = {key: value for key, value in raw.items() if key != "$defs"}
        self._definitions = cast("Mapping[str, Mapping[str, object]]", raw.get("$defs", {}))
        self._noise = noise
        self._keep_null = keep_null
        self._open: list[str] = []

    def inline(self) -> Schema:
        return self._schema(self._root)

    def _schema(self, node: Mapping[str, object]) -> Schema:
        if (reference := node.get("$ref")) is not None:
            return self._resolved(str(reference).rpartition("/")[2], node)
        out: Schema = {}
        for key, value in node.items():
            if key in self._noise and not (key == "additionalProperties" and value is not False):
                continue
            if key in {"properties", "patternProperties"}:
                children = cast("Mapping[str, Mapping[str, object]]", value)
                out[key] = {name: self._schema(child) for name, child in children.items()}
            elif isinstance(value, Mapping) and key in _SINGLE:
                out[key] = self._schema(value)
            elif key in {"anyOf", "allOf", "oneOf", "prefixItems"}:
                out[key] = [
                    self._schema(child) for child in cast("list[Mapping[str, object]]", value)
                ]
            else:
                out[key] = value
        return self._simplify_union(out)

    def _resolved(self, name: str, node: Mapping[str, object]) -> Schema:
        if name in self._open:
            kind = self._definitions[name].get("type")
            return {} if kind is None else {"type": kind}
        self._open.append(name)
        resolved = self._schema(
            {**self._definitions[name], **{k: v for k, v in node.items() if k != "$ref"}}
        )
        self._open.pop()
        return resolved

    def _simplify_union(self, node: Schema) -> Schema:
        """Turn `anyOf: [X, null]` into X (arguments) or into one type list (results)."""
        branches = cast("list[Schema] | None", node.get("anyOf"))
        if branches is None:
            return node
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        solid = [branch for branch in branches if branch != {"type": "null"}]
        if not self._keep_null:
            rest = {
                key: value
                for key, value in rest.items()
                if not (key == "default" and value is None)
            }
            return {**solid[0], **rest} if len(solid) == 1 else {"anyOf": solid, **rest}
        if all(set(branch) == {"type"} for branch in branches):
            return {"type": _flat([branch["type"] for branch in branches]), **rest}
        return node


def _flat(kinds: list[object]) -> list[object]:
    """Flatten the types of nested unions, without duplicates."""
    flat = [inner for kind in kinds for inner in (kind if isinstance(kind, list) else [kind])]
    return list(dict.fromkeys(flat))
