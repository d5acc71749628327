import pytest

from benchpin.core.content import Text
from benchpin.core.results import Result


class Count(Result):
    count: int

    def to_text(self) -> str:
        return f"{self.count} things"


def test_a_result_must_be_able_to_say_itself() -> None:
    class Mute(Result):
        count: int

    with pytest.raises(TypeError, match="to_text"):
        Mute(count=1)  # type: ignore[abstract]  # what mypy refuses, Python refuses too


def test_a_whole_result_says_nothing_of_what_is_missing() -> None:
    assert Count(count=2).model_dump(mode="json") == {"count": 2}


def test_a_partial_result_says_what_is_missing() -> None:
    partial = Count(count=2, partial=True, missing=["3 of 5 files"])
    assert partial.model_dump(mode="json") == {
        "count": 2,
        "partial": True,
        "missing": ["3 of 5 files"],
    }


def test_the_content_of_a_result_is_its_text_unless_it_says_otherwise() -> None:
    assert Count(count=2).to_content() == (Text("2 things"),)
    assert Count(count=2).metadata() is None


def test_the_schema_asks_for_no_marks_of_incompleteness() -> None:
    assert Count.json_schema() == {
        "properties": {"count": {"type": "integer"}},
        "required": ["count"],
        "type": "object",
    }
