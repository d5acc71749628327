"""What a terminal gets when a repository contains control characters."""

import io
import sys

import pytest

from benchpin.cli.output import print_error, print_json, show
from benchpin.core.errors import BenchpinError
from benchpin.core.results import Result
from benchpin.core.text import visible

EVIL = "\x1b]52;c;eA==\x07\x9b2J\u202e.py"


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


class Content(Result):
    """The content of a file."""

    def to_text(self) -> str:
        """Return it."""
        return EVIL

    def is_verbatim(self) -> bool:
        """Return true."""
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Replace stdout and stderr by one terminal; in the test, since pytest replaces them too."""
    made = Terminal()
    monkeypatch.setattr(sys, "stdout", made)
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_the_content_of_a_file_is_visible_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    show(Content(), as_json=False)
    assert screen.getvalue() == f"{visible(EVIL)}\n"


def test_json_and_errors_are_visible_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    print_json({EVIL: EVIL})
    print_error(BenchpinError(EVIL, suggestion=EVIL, data={"reason": EVIL}))
    assert screen.getvalue() == visible(screen.getvalue()) != ""


def test_what_was_left_out_is_visible_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    with pytest.raises(SystemExit):
        show(Content(partial=True, missing=[EVIL]), as_json=False)
    assert screen.getvalue() == visible(screen.getvalue()) != ""
