import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, Tool, tool


class AskParams(Params):
    question: str


class Answer(Result):
    answer: str

    def to_text(self) -> str:
        return self.answer


def _named(name: str, doc: str | None = "Answer a question.") -> Callable[..., Answer]:
    def function(params: AskParams, _bench: Bench) -> Answer:
        return Answer(answer=params.question.upper())

    function.__name__ = name
    function.__doc__ = doc
    return function


def _define(function: Callable[..., Any]) -> Tool[Any, Any]:
    return tool(title="Ask", effect=Effect.READ)(function)


def test_everything_a_tool_is_comes_from_its_function(bench: Bench) -> None:
    @tool(title="Ask", effect=Effect.RECORD)
    def ask_question(params: AskParams, _bench: Bench) -> Answer:
        """Answer a question.

        Use it    when you have one.
        """
        return Answer(answer=params.question.upper())

    assert ask_question.name == "ask_question"
    assert ask_question.title == "Ask"
    assert ask_question.description == "Answer a question. Use it when you have one."
    assert ask_question.effect is Effect.RECORD
    assert ask_question.params_type is AskParams
    assert ask_question.result_type is Answer
    assert not ask_question.is_async
    assert ask_question.input_schema == AskParams.json_schema()
    assert ask_question.output_schema == Answer.json_schema()
    assert ask_question(AskParams(question="why"), bench) == Answer(answer="WHY")


def test_an_async_function_makes_an_async_tool(bench: Bench) -> None:
    async def ask_slowly(params: AskParams, _bench: Bench) -> Answer:
        """Answer in time."""
        return Answer(answer=params.question)

    made = _define(ask_slowly)
    outcome = made(AskParams(question="why"), bench)
    assert made.is_async
    assert inspect.iscoroutine(outcome)
    assert asyncio.run(outcome) == Answer(answer="why")


@pytest.mark.parametrize("name", ["ask", "ask_question", "ask_2_questions", "a" * 40])
def test_good_names_are_taken(name: str) -> None:
    assert _define(_named(name)).name == name


@pytest.mark.parametrize(
    "name",
    [
        *("askQuestion", "ask.question", "ask-question", "_ask", "ask_", "ask__it"),
        *("2ask", "", "é", "a" * 41, "ask\n"),
    ],
)
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(TypeError, match="is not a tool name"):
        _define(_named(name))


@pytest.mark.parametrize("doc", [None, "", "  \n ", "x" * 301])
def test_a_docstring_is_needed_and_is_short(doc: str | None) -> None:
    with pytest.raises(TypeError, match="docstring"):
        _define(_named("ask", doc))


def test_a_docstring_of_the_longest_kind_is_taken() -> None:
    assert _define(_named("ask", "x" * 300)).description == "x" * 300


def _no_params() -> Answer:
    """Take nothing."""
    return Answer(answer="")


def _no_bench(params: AskParams) -> Answer:
    """Take no bench."""
    return Answer(answer=params.question)


def _too_much(params: AskParams, _bench: Bench, _more: int) -> Answer:
    """Take more than there is."""
    return Answer(answer=params.question)


def _wrong_params(_params: dict[str, str], _bench: Bench) -> Answer:
    """Take a dict."""
    return Answer(answer="")


def _wrong_bench(_params: AskParams, _bench: int) -> Answer:
    """Take a number for a bench."""
    return Answer(answer="")


def _wrong_result(_params: AskParams, _bench: Bench) -> str:
    """Return words."""
    return ""


def _unsaid_result(_params: AskParams, _bench: Bench):  # type: ignore[no-untyped-def]  # noqa: ANN202 - the point
    """Return who knows what."""


@pytest.mark.parametrize(
    "function",
    [_no_params, _no_bench, _too_much, _wrong_params, _wrong_bench, _wrong_result, _unsaid_result],
)
def test_a_function_of_another_shape_is_refused(function: Callable[..., Any]) -> None:
    function.__name__ = function.__name__.removeprefix("_")
    with pytest.raises(TypeError, match="the signature of a tool"):
        _define(function)
