"""What is shown of text that may contain anything."""

import json

import pytest

from benchpin.core.errors import BenchpinError
from benchpin.core.results import Result
from benchpin.core.text import visible
from benchpin.present import Report, View

EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m\u202etxt.exe\u2066\u200f\u2028\rfake\U000e0041"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\tb\nc\r\n", "a\tb\nc\r\n"),
        ("été 📊 👩‍💻 می‌خواهم", "été 📊 👩‍💻 می‌خواهم"),
        ("\x1b[31m", r"\u001b[31m"),
        ("\x1b]8;;x\x07", r"\u001b]8;;x\u0007"),
        ("\x9b2J\x85\x7f", r"\u009b2J\u0085\u007f"),
        ("a\u202eb\u2066c\u061cd\u200e", r"a\u202eb\u2066c\u061cd\u200e"),
        ("x\rfake", r"x\u000dfake"),
        ("\U000e0041", r"\udb40\udc41"),
    ],
)
def test_controls_are_shown_as_escapes_and_words_stay(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_json_document_keeps_its_meaning() -> None:
    document = json.dumps({EVIL: [EVIL]}, ensure_ascii=False, indent=2)
    assert json.loads(visible(document)) == {EVIL: [EVIL]}


def test_an_error_never_has_raw_controls() -> None:
    error = BenchpinError(f"no file {EVIL}", suggestion=f"try {EVIL}")
    for text in (error.message, error.suggestion, str(error)):
        assert visible(text) == text


class Note(Result):
    """A result that quotes something."""

    text: str

    def to_text(self) -> str:
        """Return it."""
        return self.text


class Content(Note):
    """A result that is the content of something."""

    def is_verbatim(self) -> bool:
        """Return true."""
        return True


class Listing(Report):
    """A report that quotes something."""

    name: str
    view = View["Listing"](title="Names", headline=lambda it: [it.name])


def test_a_text_result_has_no_raw_controls_and_the_data_has_them() -> None:
    note = Note(text=EVIL, partial=True, missing=[EVIL])
    for block in note.to_content():
        assert visible(str(block)) == str(block)
    assert note.model_dump()["text"] == EVIL


def test_content_is_passed_on_unchanged() -> None:
    assert Content(text=EVIL).shown_text() == EVIL


@pytest.mark.parametrize("format", ["summary", "full", "markdown", "json", "sarif"])
def test_a_report_has_no_raw_controls_in_any_text_format(format: str) -> None:  # noqa: A002 - its name
    shown = Listing(name=EVIL, format=format).shown_text()
    assert visible(shown) == shown
