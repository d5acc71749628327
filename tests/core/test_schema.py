import json
import operator
from enum import Enum
from functools import reduce
from types import GenericAlias
from typing import Annotated, Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, RootModel, create_model

from benchpin.core.results import Item, Result
from benchpin.core.tools import Params, Schema


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Leaf(Item):
    weight: int


class Node(Item):
    name: str
    children: list["Node"] = Field(default_factory=list)
    next: "Node | None" = None


class Circle(BaseModel):
    shape: Literal["circle"]
    radius: float


class Square(BaseModel):
    shape: Literal["square"]
    side: float


class Filter(Params):
    """Which files."""

    glob: str
    """A pattern."""


class SearchParams(Params):
    """The docstring of the class is not published."""

    query: str
    """What to look for."""
    filters: tuple[Filter, ...] = ()
    """Which files to look at."""
    only: Filter | None = None
    """One more filter."""
    mode: Literal["fast", "whole"] = "fast"
    limit: Annotated[int, Field(ge=1, le=9)] = 3
    depth: int | None = None
    either: int | str | None = None
    labels: dict[str, int] | None = None


class NestedReport(Result):
    leaf: Leaf
    maybe: Leaf | None = None
    leaves: list[Leaf]
    by_name: dict[str, Leaf]
    count: int | None
    title: str
    description: str = "a field of this name is no noise"

    def to_text(self) -> str:
        return ""


def _keys(schema: object) -> set[str]:
    """Return every key of a schema that is not the name of a property."""
    if isinstance(schema, list):
        return set().union(*(_keys(part) for part in schema))
    if not isinstance(schema, dict):
        return set()
    found = set(schema)
    for key, value in schema.items():
        children = value.values() if key == "properties" else [value]
        found |= set().union(*(_keys(child) for child in children))
    return found


def test_arguments_are_inlined_described_and_closed() -> None:
    assert SearchParams.json_schema() == snapshot(
        {
            "additionalProperties": False,
            "properties": {
                "query": {"description": "What to look for.", "type": "string"},
                "filters": {
                    "default": [],
                    "description": "Which files to look at.",
                    "items": {
                        "additionalProperties": False,
                        "description": "Which files.",
                        "properties": {"glob": {"description": "A pattern.", "type": "string"}},
                        "required": ["glob"],
                        "type": "object",
                    },
                    "type": "array",
                },
                "only": {
                    "additionalProperties": False,
                    "description": "One more filter.",
                    "properties": {"glob": {"description": "A pattern.", "type": "string"}},
                    "required": ["glob"],
                    "type": "object",
                },
                "mode": {"default": "fast", "enum": ["fast", "whole"], "type": "string"},
                "limit": {"default": 3, "maximum": 9, "minimum": 1, "type": "integer"},
                "depth": {"type": "integer"},
                "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "labels": {"additionalProperties": {"type": "integer"}, "type": "object"},
            },
            "required": ["query"],
            "type": "object",
        }
    )


def test_results_are_types_alone_and_stay_open() -> None:
    leaf = {"properties": {"weight": {"type": "integer"}}, "required": ["weight"], "type": "object"}
    assert NestedReport.json_schema() == {
        "properties": {
            "leaf": leaf,
            "maybe": {"anyOf": [leaf, {"type": "null"}]},
            "leaves": {"items": leaf, "type": "array"},
            "by_name": {"additionalProperties": leaf, "type": "object"},
            "count": {"type": ["integer", "null"]},
            "title": {"type": "string"},
            "description": {"type": "string"},
        },
        "required": ["leaf", "leaves", "by_name", "count", "title"],
        "type": "object",
    }


def test_a_result_fits_its_own_schema_partial_or_not() -> None:
    leaf = Leaf(weight=1)
    whole = NestedReport(leaf=leaf, leaves=[leaf], by_name={"a": leaf}, count=None, title="t")
    partial = whole.model_copy(update={"partial": True, "missing": ["2 of 3 files"]})
    validator = Draft202012Validator(NestedReport.json_schema())
    for result in (whole, partial):
        assert list(validator.iter_errors(result.model_dump(mode="json"))) == []


def test_tools_without_arguments_publish_an_empty_object() -> None:
    class Nothing(Params):
        pass

    assert Nothing.json_schema() == {
        "additionalProperties": False,
        "properties": {},
        "type": "object",
    }


def test_recursion_ends_in_a_plain_object() -> None:
    class Tree(Result):
        root: Node

        def to_text(self) -> str:
            return ""

    assert Tree.json_schema()["properties"] == snapshot(
        {
            "root": {
                "properties": {
                    "name": {"type": "string"},
                    "children": {"items": {"type": "object"}, "type": "array"},
                    "next": {"type": ["object", "null"]},
                },
                "required": ["name"],
                "type": "object",
            }
        }
    )


def test_arguments_that_hold_their_own_kind_keep_the_words_of_the_field() -> None:
    class Query(Params):
        negated: "Query | None" = None
        """What must not match."""

    assert Query.json_schema()["properties"] == {
        "negated": {"type": "object", "description": "What must not match."}
    }


class Lists(RootModel[list["Lists"]]):
    pass


def test_recursion_through_lists_does_not_end_in_an_object() -> None:
    class Nest(Result):
        lists: Lists

        def to_text(self) -> str:
            return ""

    nest = Nest(lists=Lists([Lists([Lists([])])]))
    validator = Draft202012Validator(Nest.json_schema())
    assert list(validator.iter_errors(nest.model_dump(mode="json"))) == []


def test_a_union_with_a_discriminator_leaves_no_reference() -> None:
    class Draw(Params):
        shape: Annotated[Circle | Square, Field(discriminator="shape")]

    assert "$defs" not in json.dumps(Draw.json_schema())


def test_enums_as_keys_of_an_object_are_inlined() -> None:
    class Paint(Params):
        tins: dict[Colour, int]

    assert _keys(Paint.json_schema()).isdisjoint({"$ref", "$defs"})


class MaybeInt(RootModel[int | None]):
    pass


def test_a_union_inside_a_union_is_still_a_valid_schema() -> None:
    class Measured(Result):
        value: MaybeInt | str

        def to_text(self) -> str:
            return ""

    Draft202012Validator.check_schema(Measured.json_schema())
    validator = Draft202012Validator(Measured.json_schema())
    assert [validator.is_valid({"value": value}) for value in (None, 1, "a", [1])] == [
        True,
        True,
        True,
        False,
    ]


_scalars = st.sampled_from([int, str, bool, float, Colour, Literal["a", "b"], Leaf, Node, Lists])


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        inner.map(lambda kind: kind | None),
        inner.map(lambda kind: GenericAlias(list, (kind,))),
        inner.map(lambda kind: GenericAlias(dict, (str, kind))),
        inner.map(lambda kind: GenericAlias(dict, (Colour, kind))),
        inner.map(lambda kind: GenericAlias(tuple, (kind, int))),
        st.lists(inner, min_size=2, max_size=3).map(lambda kinds: reduce(operator.or_, kinds)),
    )


_fields = st.dictionaries(
    st.sampled_from(["title", "default", "properties", "anyOf", "items", "ref"]),
    st.recursive(_scalars, _larger, max_leaves=4),
    max_size=3,
)


def _schema_of(base: type[Params | Result], fields: dict[str, Any]) -> Schema:
    described: dict[str, Any] = {name: (kind, ...) for name, kind in fields.items()}
    make: Any = create_model  # the plugin for mypy does not know made models
    return cast("Schema", make("Made", __base__=base, **described).json_schema())


@pytest.mark.parametrize("base", [Params, Result])
@given(fields=_fields)
def test_a_schema_has_no_references_and_is_one_object_for_any_fields(
    base: type[Params | Result], fields: dict[str, Any]
) -> None:
    schema = _schema_of(base, fields)
    Draft202012Validator.check_schema(schema)
    assert "#/$defs" not in json.dumps(schema)
    assert _keys(schema).isdisjoint({"$ref", "$defs", "title"})
    assert schema["type"] == "object"
    assert set(schema).isdisjoint({"anyOf", "oneOf", "allOf", "not"})
    assert set(schema["properties"]) == set(fields)  # type: ignore[call-overload]  # plain data
