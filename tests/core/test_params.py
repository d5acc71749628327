from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError

from benchpin.core import InvalidParams, Params


class Spot(Params):
    line: Annotated[int, Field(ge=1)]


class MoveParams(Params):
    path: str
    to: Spot
    mode: Literal["fast", "safe"] = "safe"
    from_: str | None = Field(default=None, alias="from")


def test_good_arguments_become_the_model() -> None:
    params = MoveParams.parse({"path": "a.py", "to": {"line": 3}, "from": "b.py"})
    assert params == MoveParams(path="a.py", to=Spot(line=3), from_="b.py")


def test_an_argument_may_be_given_by_its_python_name_too() -> None:
    params = MoveParams.parse({"path": "a.py", "to": {"line": 3}, "from_": "b.py"})
    assert params.from_ == "b.py"


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(InvalidParams) as caught:
        MoveParams.parse({"to": {"line": 0}, "mode": "slow", "pth": "a.py"})
    assert caught.value.data == {
        "problems": [
            {"path": "path", "problem": "Field required"},
            {"path": "to.line", "problem": "Input should be greater than or equal to 1"},
            {"path": "mode", "problem": "Input should be 'fast' or 'safe'"},
            {"path": "pth", "problem": "no such argument; did you mean path?"},
        ]
    }
    for path in ("path", "to.line", "mode", "pth"):
        assert f"{path}: " in caught.value.message


def test_a_refusal_names_the_known_and_the_required_arguments_as_clients_write_them() -> None:
    with pytest.raises(InvalidParams) as caught:
        MoveParams.parse({})
    assert caught.value.suggestion == ("Known arguments: path, to, mode, from. Required: path, to.")


def test_a_refusal_of_a_tool_without_arguments_says_that_there_are_none() -> None:
    class Nothing(Params):
        pass

    with pytest.raises(InvalidParams) as caught:
        Nothing.parse({"x": 1})
    assert caught.value.suggestion == "Known arguments: none. Required: none."


def test_a_refusal_does_not_repeat_what_was_sent() -> None:
    class Login(Params):
        token: Annotated[int, Field(ge=1)]

    with pytest.raises(InvalidParams) as caught:
        Login.parse({"token": "hunter2"})
    assert "hunter2" not in str(caught.value.as_dict())


def test_a_key_that_is_no_text_is_refused_and_not_a_crash() -> None:
    with pytest.raises(InvalidParams):
        MoveParams.parse({"\ud800": 1})


def test_a_long_list_of_wrong_items_does_not_make_a_long_refusal() -> None:
    class Batch(Params):
        names: list[str]

    with pytest.raises(InvalidParams) as caught:
        Batch.parse({"names": [0] * 10_000})
    assert len(str(caught.value.as_dict())) < 10_000
    assert "10000" in caught.value.message.replace(",", "")


def test_params_do_not_change() -> None:
    spot = Spot(line=1)
    with pytest.raises(ValidationError):
        spot.line = 2  # type: ignore[misc]  # what mypy refuses, pydantic refuses too
    assert spot.line == 1
