from typing import Annotated, Literal, cast

import pytest
from pydantic import Field, ValidationError

from benchpin.core.errors import InvalidParams
from benchpin.core.tools import AlsoNamed, Mark, Params, PathArgument, Rare


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


class LookParams(Params):
    file_path: PathArgument[str] = Field(alias="filePath")
    """The file to look at; relative to the workspace."""
    limit: Annotated[int, Field(ge=1, le=9)] = 3
    """How many."""
    mode: Literal["fast", "safe"] = "safe"
    """How to look. fast skips the rest."""
    parallel: Rare[int | None] = None
    """How many processes."""


@pytest.mark.parametrize("name", ["path", "filePath", "file_path"])
def test_every_tool_accepts_path_beside_the_name_of_its_document(name: str) -> None:
    assert LookParams.parse({name: "a.py"}).file_path == "a.py"


def test_a_path_given_twice_must_be_the_same() -> None:
    assert LookParams.parse({"path": "a.py", "filePath": "a.py"}).file_path == "a.py"
    with pytest.raises(InvalidParams, match="path and filePath are the same argument"):
        LookParams.parse({"path": "a.py", "filePath": "b.py"})


def test_a_missing_path_is_called_path() -> None:
    with pytest.raises(InvalidParams) as caught:
        LookParams.parse({})
    assert caught.value.suggestion == (
        "Known arguments: path, limit, mode, parallel. Required: path."
    )
    assert "path: Field required" in caught.value.message


def test_the_list_has_path_few_words_and_no_rare_arguments() -> None:
    assert LookParams.listed_schema() == {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer", "maximum": 9},
            "mode": {"type": "string", "enum": ["fast", "safe"], "description": "How to look"},
        },
        "required": ["path"],
    }


def test_a_rare_argument_is_accepted_all_the_same() -> None:
    assert LookParams.parse({"path": "a.py", "parallel": 2}).parallel == 2
    assert "parallel" in LookParams.json_schema()["properties"]  # type: ignore[operator]  # a dict


@pytest.mark.parametrize(
    "arguments", [{"tags": [1] * 10_001}, {f"k{number}": 1 for number in range(10_001)}]
)
def test_more_items_than_can_be_checked_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidParams, match="10,001 items, more than 10,000"):
        Params.parse(arguments)


class RevisionParams(Params):
    revision: Annotated[str, AlsoNamed(("commit", "change"))] = "HEAD"


@pytest.mark.parametrize("name", ["revision", "commit", "change"])
def test_an_argument_is_accepted_by_each_of_its_names(name: str) -> None:
    assert RevisionParams.parse({name: "main"}).revision == "main"


def test_an_argument_under_two_names_must_have_one_value() -> None:
    assert RevisionParams.parse({"commit": "a", "change": "a"}).revision == "a"
    with pytest.raises(InvalidParams, match="change and revision are the same argument"):
        RevisionParams.parse({"commit": "a", "change": "b"})


def test_only_the_own_name_of_an_argument_is_listed() -> None:
    properties = cast("dict[str, object]", RevisionParams.listed_schema()["properties"])
    assert list(properties) == ["revision"]


class RunParams(Params):
    argv: Annotated[tuple[str, ...], AlsoNamed(("command",)), Mark.COMMAND]
    files: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()


@pytest.mark.parametrize("files", ["a b.py", '["a b.py"]', ["a b.py"]])
def test_a_text_is_a_list_of_one_where_texts_are_listed(files: object) -> None:
    assert RunParams.parse({"argv": ["ls"], "files": files}).files == ("a b.py",)


def test_a_command_in_one_text_is_split_as_a_shell_would() -> None:
    params = RunParams.parse({"command": "sh -c 'exit 3'"})
    assert params.argv == ("sh", "-c", "exit 3")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"argv": "echo 'half"}, "argv: Input should be a valid list"),
        ({"argv": ["ls"], "files": "[1]"}, "files.0: Input should be a valid string"),
        ({"argv": ["ls"], "files": "[not json"}, "files: Input should be a valid list"),
        ({"argv": ["ls"], "lines": "one"}, "lines.0: Input should be a valid integer"),
        ({"argv": 3}, "argv: Input should be a valid list"),
    ],
)
def test_what_is_no_list_at_all_is_refused(arguments: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        RunParams.parse(arguments)
    assert problem in caught.value.message


class AnswerParams(Params):
    limit: Annotated[int, Field(ge=1, le=1_000)] = 20
    budget: Annotated[int, Field(ge=1, le=5_000)] = 800
    diff: str = "HEAD"


def test_what_is_shared_by_tools_is_accepted_by_the_names_that_others_give_it() -> None:
    assert AnswerParams.parse({"max_results": 3, "change": "main"}) == AnswerParams(
        limit=3, diff="main"
    )


def test_the_largest_budget_is_listed() -> None:
    properties = cast("dict[str, object]", AnswerParams.listed_schema()["properties"])
    assert properties["budget"] == {"type": "integer", "maximum": 5_000}
    assert properties["limit"] == {"type": "integer"}
