from collections.abc import Sequence
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Literal

import click
import pytest
from click.testing import CliRunner, Result
from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from benchpin.cli.tool_options import ToolOptions
from benchpin.core.errors import FileMissing, InvalidParams
from benchpin.core.tools import AlsoNamed, FileText, Params, PathArgument
from benchpin.toolsets import load_toolsets


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Spot(Params):
    line: int = 1


class AllParams(Params):
    name: str
    """Who."""
    text: str = "none"
    """What to say."""
    count: Annotated[int, Field(ge=1)] = 3
    """How many."""
    ratio: Annotated[float, Field(ge=0, lt=1)] | None = None
    """How much."""
    include_tests: bool = True
    """Whether tests count."""
    is_loud: bool | None = None
    """Whether to shout."""
    mode: Literal["fast", "safe"] = "safe"
    """How."""
    size: Literal[1, 2] = 1
    """How big."""
    colour: Colour = Colour.RED
    """Which colour."""
    level: Level = Level.LOW
    """How hard."""
    tags: tuple[str, ...] = ()
    """Labels."""
    lines: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list)
    """Lines."""
    colours: list[Colour] | None = None
    """More colours."""
    spot: Spot | None = None
    """Where."""
    spots: list[Spot] = Field(default_factory=list)
    """More places."""
    labels: dict[str, int] = Field(default_factory=dict)
    """Numbers by name."""
    filePath: str = ""  # noqa: N815 - a seed's own name
    """In camel case."""
    since: str = Field(default="", alias="from")
    """From when."""
    pair: tuple[int, str] | None = None
    """Two things of two kinds."""


def _invoke(
    params_type: type[Params], arguments: Sequence[str]
) -> tuple[Result, dict[str, object]]:
    taken: dict[str, object] = {}
    options = ToolOptions(params_type)

    def note(**given: object) -> None:
        taken.update(options.arguments(given))

    command = click.Command("show", callback=note, params=options.parameters())
    return CliRunner().invoke(command, arguments), taken


def _parsed(params_type: type[Params], arguments: Sequence[str]) -> dict[str, object]:
    """Return the fields that the tool would see, and only those that were given."""
    ended, taken = _invoke(params_type, arguments)
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    assert ended.exit_code == 0, ended.output
    return params_type.parse(taken).model_dump(exclude_unset=True)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], {}),
        (["--text", "hi"], {"text": "hi"}),
        (["--text", ""], {"text": ""}),
        (["--text", "-5"], {"text": "-5"}),
        (["--count", "5"], {"count": 5}),
        (["--ratio", "0.5"], {"ratio": 0.5}),
        (["--include-tests"], {"include_tests": True}),
        (["--no-include-tests"], {"include_tests": False}),
        (["--is-loud"], {"is_loud": True}),
        (["--no-is-loud"], {"is_loud": False}),
        (["--mode", "fast"], {"mode": "fast"}),
        (["--mode", "FAST"], {"mode": "fast"}),
        (["--size", "2"], {"size": 2}),
        (["--colour", "blue"], {"colour": Colour.BLUE}),
        (["--level", "2"], {"level": Level.HIGH}),
        (["--tags", "a", "--tags", "b,c"], {"tags": ("a", "b,c")}),
        (["--lines", "3", "--lines", "4"], {"lines": [3, 4]}),
        (["--colours", "red", "--colours", "blue"], {"colours": [Colour.RED, Colour.BLUE]}),
        (["--spot", '{"line": 5}'], {"spot": {"line": 5}}),
        (["--spots", '[{"line": 5}, {}]'], {"spots": [{"line": 5}, {}]}),
        (["--labels", '{"a": 1}'], {"labels": {"a": 1}}),
        (["--labels", "{}"], {"labels": {}}),
        (["--spots", "[]"], {"spots": []}),
        (["--file-path", "a.py"], {"filePath": "a.py"}),
        (["--from", "monday"], {"since": "monday"}),
        (["--pair", '[1, "a"]'], {"pair": (1, "a")}),
    ],
    ids=str,
)
def test_options_of_every_kind_reach_the_tool(
    arguments: list[str], expected: dict[str, object]
) -> None:
    assert _parsed(AllParams, ["Ada", *arguments]) == {"name": "Ada", **expected}


@pytest.mark.parametrize(
    "arguments",
    [
        *([], ["Ada", "extra"], ["Ada", "--count", "many"], ["Ada", "--mode", "slow"]),
        *(["Ada", "--colour", "green"], ["Ada", "--size", "3"], ["Ada", "--lines", "x"]),
        *(["Ada", "--count", "0"], ["Ada", "--ratio", "1"], ["Ada", "--lines", "0"]),
        *(["Ada", "--file_path", "x"], ["Ada", "--filePath", "x"], ["Ada", "--since", "x"]),
    ],
    ids=str,
)
def test_wrong_usage_is_refused_before_the_tool(arguments: list[str]) -> None:
    ended, taken = _invoke(AllParams, arguments)
    assert ended.exit_code == 2
    assert taken == {}


@pytest.mark.parametrize(
    ("option", "value"), [("--spot", "{line: 5}"), ("--labels", ""), ("--spots", "[" * 100_000)]
)
def test_what_should_be_json_and_is_not_is_refused_by_option(option: str, value: str) -> None:
    ended, _ = _invoke(AllParams, ["Ada", option, value])
    assert isinstance(ended.exception, InvalidParams)
    assert ended.exception.message.startswith(f"{option} is not JSON: ")
    assert option in ended.exception.suggestion


def test_a_refusal_names_the_option_as_it_is_written() -> None:
    class Renamed(Params):
        bounds: dict[str, int] = Field(default_factory=dict, alias="from")

    ended, _ = _invoke(Renamed, ["--from", "{"])
    assert isinstance(ended.exception, InvalidParams)
    assert ended.exception.message.startswith("--from is not JSON: ")


def test_help_tells_kinds_and_defaults() -> None:
    ended, _ = _invoke(AllParams, ["--help"])
    words = " ".join(ended.output.split())
    assert words.startswith("Usage: show [OPTIONS] NAME ")
    for fact in (
        "--count INTEGER RANGE How many. [default: 3] [x>=1]",
        "--ratio FLOAT RANGE How much. [0<=x<1]",
        "--include-tests / --no-include-tests Whether tests count. [default: include-tests]",
        "--mode [fast|safe] How. [default: safe]",
        "--colour [red|blue] Which colour. [default: red]",
        "--spot TEXT Where. As JSON.",
        "--from TEXT From when.",
    ):
        assert fact in words
    assert "Undefined" not in words


class CamelParams(Params):
    filePath: str  # noqa: N815 - a seed's own name
    lineNumber: int = 1  # noqa: N815 - a seed's own name


def test_a_required_name_in_camel_case_is_taken_by_place() -> None:
    assert _parsed(CamelParams, ["a.py", "--line-number", "5"]) == {
        "filePath": "a.py",
        "lineNumber": 5,
    }
    ended, _ = _invoke(CamelParams, ["--help"])
    assert "FILE-PATH" in ended.output


class PlacesParams(Params):
    first: str
    rest: list[str]
    last: str


def test_what_is_required_is_given_by_place_until_a_list_takes_the_rest() -> None:
    assert _parsed(PlacesParams, ["a", "b", "c", "--last", "d"]) == {
        "first": "a",
        "rest": ["b", "c"],
        "last": "d",
    }
    assert _invoke(PlacesParams, ["a", "b", "c"])[0].exit_code == 2
    assert _invoke(PlacesParams, ["a", "--last", "d"])[0].exit_code == 2


class DefaultPathParams(Params):
    path: str = "."
    depth: int = 1


def test_an_optional_path_may_be_given_by_place() -> None:
    assert _parsed(DefaultPathParams, []) == {}
    assert _parsed(DefaultPathParams, ["src", "--depth", "2"]) == {"path": "src", "depth": 2}


class PathBeforeQueryParams(Params):
    path: str = "."
    query: str


def test_an_optional_path_stands_behind_what_is_required() -> None:
    assert _parsed(PathBeforeQueryParams, ["total"]) == {"query": "total"}
    assert _parsed(PathBeforeQueryParams, ["total", "src"]) == {"query": "total", "path": "src"}


class RequiredParams(Params):
    flag: bool
    spot: Spot


def test_required_flags_and_objects_are_options_that_must_be_given() -> None:
    assert _parsed(RequiredParams, ["--no-flag", "--spot", "{}"]) == {"flag": False, "spot": {}}
    assert _invoke(RequiredParams, ["--spot", "{}"])[0].exit_code == 2
    assert _invoke(RequiredParams, ["--flag"])[0].exit_code == 2


class MixedParams(Params):
    value: int | str = 0


@pytest.mark.parametrize(("given", "expected"), [("5", 5), ('"5"', "5"), ("abc", "abc")])
def test_a_value_of_several_kinds_is_json_or_else_text(given: str, expected: object) -> None:
    assert _parsed(MixedParams, ["--value", given]) == {"value": expected}


class AliasedParams(Params):
    model_config = ConfigDict(alias_generator=to_camel)
    file_path: str | None = None
    """Which file."""
    dry_run: bool = False
    """Whether to write nothing."""


def test_a_path_in_camel_case_that_may_be_left_out_stands_in_its_place() -> None:
    assert _parsed(AliasedParams, ["src", "--dry-run"]) == {"file_path": "src", "dry_run": True}
    assert _parsed(AliasedParams, []) == {}


class ChangeParams(Params):
    symbol: str | None = None
    """What it is about."""
    diff: Annotated[str, AlsoNamed(("change",))] = "HEAD"
    """A revision."""
    patch: FileText[str | None] = None
    """Not applied yet."""


def test_the_subject_of_a_tool_is_given_by_place_or_by_name() -> None:
    assert _parsed(ChangeParams, ["Cart.add"]) == {"symbol": "Cart.add"}
    assert _parsed(ChangeParams, ["--symbol", "Cart.add"]) == {"symbol": "Cart.add"}
    with pytest.raises(InvalidParams, match="SYMBOL and --symbol are the same"):
        _parsed(ChangeParams, ["Cart.add", "--symbol", "Cart.drop"])


def test_another_name_of_an_option_is_accepted_and_not_shown() -> None:
    assert _parsed(ChangeParams, ["--change", "main"]) == {"diff": "main"}
    assert "--change" not in _invoke(ChangeParams, ["--help"])[0].output


def test_a_path_that_has_no_place_is_an_option_called_path() -> None:
    class FindParams(Params):
        symbol: str
        project_path: PathArgument[str] = "."

    assert _parsed(FindParams, ["f", "--path", "src"]) == {"symbol": "f", "project_path": "src"}
    given = ["f", "--project-path", "src"]
    assert _parsed(FindParams, given) == {"symbol": "f", "project_path": "src"}
    assert ToolOptions(FindParams).written("project_path", "src") == "--path src"


def test_a_patch_is_read_from_the_file_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.patch"
    file.write_text("--- a\n+++ b\n", encoding="utf-8")
    assert _parsed(ChangeParams, ["--patch", str(file)]) == {"patch": "--- a\n+++ b\n"}
    assert _parsed(ChangeParams, ["--patch", "--- a\n+++ b\n"]) == {"patch": "--- a\n+++ b\n"}


def test_a_patch_is_read_from_standard_input() -> None:
    taken: dict[str, object] = {}
    options = ToolOptions(ChangeParams)
    command = click.Command(
        "show",
        callback=lambda **it: taken.update(options.arguments(it)),
        params=options.parameters(),
    )
    assert CliRunner().invoke(command, ["--patch", "-"], input="a\nb\n").exit_code == 0
    assert taken == {"patch": "a\nb\n"}


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileMissing, match=r"nowhere\.patch"):
        _parsed(ChangeParams, ["--patch", "nowhere.patch"])
    with pytest.raises(InvalidParams, match="directory"):
        _parsed(ChangeParams, ["--patch", str(tmp_path)])
    (tmp_path / "latin").write_bytes(b"caf\xe9\n")
    with pytest.raises(InvalidParams, match=r"is not UTF-8: .* at byte 3"):
        _parsed(ChangeParams, ["--patch", str(tmp_path / "latin")])


def test_no_two_parameters_of_a_command_share_a_flag() -> None:
    for toolset in load_toolsets():
        for name in toolset.tools:
            options = ToolOptions(toolset.load_tool(name).params_type).parameters()
            flags = [flag for it in options for flag in (*it.opts, *it.secondary_opts)]
            assert len(flags) == len(set(flags)), name
            assert len({it.name for it in options}) == len(options), name
