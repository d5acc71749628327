import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from benchpin.server.jsonrpc import encode, refusal
from benchpin.server.wire import to_json


class Named(BaseModel):
    name: str


class Measured(BaseModel):
    value: float


def test_half_a_character_costs_only_itself() -> None:
    assert to_json({"a": "caf\udce9", "b": 1}) == b'{"a":"caf?","b":1}'
    assert json.loads(encode(refusal(1, -32000, "no \udcff", {"path": "\udcff"})))["id"] == 1


@given(st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_everything_else_is_written_as_it_is(value: object) -> None:
    assert json.loads(to_json(value)) == value


@pytest.mark.parametrize("value", [Named(name="a"), {"deep": [Named(name="b\ud800")]}])
def test_models_are_written_too(value: object) -> None:
    assert b"name" in to_json(value)


def test_what_has_no_json_is_handed_to_the_fallback() -> None:
    assert to_json({"a": object}, fallback=lambda _value: "x\udc80") == b'{"a":"x?"}'


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_does_not_have_are_null(number: float) -> None:
    assert to_json({"a": number, "b": [number]}) == b'{"a":null,"b":[null]}'
    assert to_json({"a": number, "b": "\udcff"}) == b'{"a":null,"b":"?"}'
    assert to_json(Measured(value=number)) == b'{"value":null}'
