from collections.abc import Mapping

import pytest

from benchpin.core.calls import Bench
from benchpin.core.content import (
    Image,
    Prompt,
    PromptArgument,
    PromptMessage,
    RenderedPrompt,
    Text,
    prompt,
)
from benchpin.core.errors import InvalidParams


@prompt(
    title="Review",
    category="quality",
    arguments=(
        PromptArgument("path", "The file.", required=True),
        PromptArgument("tone", "How to say it.", default="kind", choices=("kind", "blunt")),
        PromptArgument("focus", "What to look at.", default="everything"),
    ),
)
def review_code(values: Mapping[str, str], bench: Bench) -> RenderedPrompt:
    """Review
    a file.
    """
    text = f"{values['tone']} review of {values['path']} in {bench.workspace.root.name}"
    return RenderedPrompt(
        (PromptMessage(Text(f"{text}: {values['focus']}")),), raw="{{tone}} review"
    )


def test_everything_a_prompt_is_comes_from_its_function() -> None:
    assert isinstance(review_code, Prompt)
    assert review_code.name == "review_code"
    assert review_code.title == "Review"
    assert review_code.description == "Review a file."
    assert review_code.category == "quality"
    assert [argument.name for argument in review_code.arguments] == ["path", "tone", "focus"]


def test_blanks_are_filled_and_defaults_added(bench: Bench) -> None:
    rendered = review_code.fill({"path": "a.py", "tone": "blunt"}, bench)
    assert rendered.text == "blunt review of a.py in ws: everything"
    assert rendered.raw == "{{tone}} review"


@pytest.mark.parametrize(
    ("values", "problems"),
    [
        ({}, ["path is required"]),
        ({"path": ""}, ["path is required"]),
        ({"path": "a.py", "tone": "rude"}, ["tone must be one of kind, blunt"]),
        ({"path": "a.py", "pth": "b"}, ["pth is not an argument"]),
        (
            {"tone": "rude", "x": "1", "y": "2"},
            [
                "x is not an argument",
                "y is not an argument",
                "path is required",
                "tone must be one of kind, blunt",
            ],
        ),
    ],
)
def test_every_problem_is_named_at_once(
    bench: Bench, values: dict[str, str], problems: list[str]
) -> None:
    with pytest.raises(InvalidParams) as caught:
        review_code.fill(values, bench)
    assert caught.value.data == {"prompt": "review_code", "problems": problems}
    assert caught.value.suggestion == "Arguments of review_code: path, tone, focus."
    for problem in problems:
        assert problem in caught.value.message


@pytest.mark.parametrize("name", ["tone", "focus"])
def test_an_optional_argument_left_blank_takes_its_default(bench: Bench, name: str) -> None:
    blank = review_code.fill({"path": "a.py", name: ""}, bench)
    assert blank == review_code.fill({"path": "a.py"}, bench)


def test_a_prompt_without_arguments_takes_none(bench: Bench) -> None:
    @prompt(title="Greet", category="other")
    def greet(_values: Mapping[str, str], _bench: Bench) -> RenderedPrompt:
        """Greet."""
        return RenderedPrompt((PromptMessage(Text("hello"), "assistant"),), raw="hello")

    assert greet.fill({}, bench).messages == (PromptMessage(Text("hello"), "assistant"),)
    with pytest.raises(InvalidParams) as caught:
        greet.fill({"name": "Ada"}, bench)
    assert caught.value.suggestion == "Arguments of greet: none."


def test_the_text_of_a_prompt_is_its_words_alone() -> None:
    rendered = RenderedPrompt(
        (
            PromptMessage(Text("one")),
            PromptMessage(Image(b"\0", "image/png")),
            PromptMessage(Text("two")),
        ),
        raw="",
    )
    assert rendered.text == "one\n\ntwo"
