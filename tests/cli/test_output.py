import io
import sys
from collections.abc import Sequence
from contextlib import suppress

import click
import pytest
from click.testing import CliRunner

from benchpin.cli import running
from benchpin.cli.output import (
    CONTINUE_HINT,
    PARTIAL,
    print_error,
    print_json,
    show,
)
from benchpin.cli.running import job_with_progress
from benchpin.core.calls import Job
from benchpin.core.content import Content, EmbeddedResource
from benchpin.core.errors import BenchpinError
from benchpin.core.results import Result
from everything.echo import Echo


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_json_is_one_line_for_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": ["é"]})
    print_json({"b": 1}, err=True)
    assert capsys.readouterr() == ('{"a": ["é"]}\n', '{"b": 1}\n')


def test_json_is_indented_for_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    print_json({"a": 1})
    assert terminal.getvalue() == '{\n  "a": 1\n}\n'


def test_a_failure_says_what_happened_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(BenchpinError("It broke", suggestion="Mend it."))
    assert capsys.readouterr() == ("", "Error: It broke\nMend it.\n")


@pytest.mark.parametrize("name", ["reason", "parseError"])
def test_a_failure_says_why_where_its_data_tell(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    print_error(BenchpinError("It broke", suggestion="Mend it.", data={name: "it was old"}))
    assert capsys.readouterr().err == "Error: It broke: it was old\nMend it.\n"


def test_a_result_is_shown_as_text_or_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    show(Echo(text="hello"), as_json=False)
    show(Echo(text="hello"), as_json=True)
    assert capsys.readouterr() == ('hello\n{"text": "hello"}\n', "")


class Picture(Result):
    body: bytes

    def to_text(self) -> str:
        return "a picture"

    def to_content(self) -> Sequence[Content]:
        return (EmbeddedResource("made://picture", "image/x-odd", self.body),)


def test_what_is_no_text_goes_into_a_pipe_as_it_is(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    show(Picture(body=b"\0\xff\n"), as_json=False)
    assert capfdbinary.readouterr().out == b"\0\xff\n"


def test_what_is_no_text_is_only_named_on_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    show(Picture(body=b"\0\xff\n"), as_json=False)
    assert terminal.getvalue() == "a picture\n"


def test_what_is_missing_is_said_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        show(Echo(text="hello", partial=True, missing=["a", "b"]), as_json=False)
    assert ended.value.code == PARTIAL
    assert capsys.readouterr() == (
        "hello\n",
        f"Partial: left out a; b. {CONTINUE_HINT}\n",
    )


class Verdict(Echo):
    def is_failure(self) -> bool:
        return True


@pytest.mark.parametrize("partial", [False, True], ids=["whole", "partial"])
def test_a_result_that_reports_a_failure_is_shown_and_ends_with_1(
    capsys: pytest.CaptureFixture[str], *, partial: bool
) -> None:
    with pytest.raises(SystemExit) as ended:
        show(Verdict(text="bad", partial=partial, missing=["a"] * partial), as_json=False)
    assert ended.value.code == 1
    assert capsys.readouterr().out == "bad\n"


def test_nobody_listens_and_nothing_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    show(Echo(text="hello"), as_json=False)
    show(Echo(text="hello"), as_json=True)


def test_control_characters_reach_a_pipe_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    show(Echo(text="odd/\x1b[31mred.py\n"), as_json=False)
    assert capsys.readouterr().out == "odd/\x1b[31mred.py\n"


def test_names_of_files_that_are_no_utf_8_can_be_shown() -> None:
    @click.command()
    def show_name() -> None:
        show(Echo(text="caf\udce9.txt"), as_json=False)

    ended = CliRunner().invoke(show_name)
    assert ended.exit_code == 0
    assert ended.stdout.startswith("caf")


def test_nobody_looks_nobody_sees_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with job_with_progress(5.0) as job:
        job.report(1, 2, "files")
        assert job.time_left_s() is not None
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("message", ["files", "app/[slug]/page.tsx", "app/[/slug]/x", "[bold"])
def test_progress_is_shown_to_who_looks(monkeypatch: pytest.MonkeyPatch, message: str) -> None:
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "stderr", terminal)
    with job_with_progress(None) as job:
        assert isinstance(job, Job)
        assert job.time_left_s() is None
        job.report(1, 2, message)
        job.report(2, 2, message)
    assert message in terminal.getvalue()


def test_progress_is_one_line_that_cannot_move_the_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "stderr", terminal)
    with job_with_progress(None) as job:
        job.report(1, 2, f"first\n\x1b[9Asecond{'x' * 200}\n")
    assert "?[9Asecond" in terminal.getvalue()
    assert "first" not in terminal.getvalue()
    assert "x" * 80 not in terminal.getvalue()


def test_what_is_known_stands_above_the_bar_until_the_answer_has_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(running, "_NEWS_AFTER_S", -1.0)
    with job_with_progress(None) as job:
        job.tell("3 files")
        job.report(1, 2, "files")
        job.tell("complexity:\x1b[9A 1")
        shown = terminal.getvalue()
    assert "3 files\n" in shown
    assert "complexity:?[9A 1\n" in shown
    assert terminal.getvalue().endswith("\x1b[2F\x1b[J")


def test_what_is_known_stays_when_the_run_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(running, "_NEWS_AFTER_S", -1.0)
    with suppress(KeyboardInterrupt), job_with_progress(None) as job:
        job.tell("3 files")
        raise KeyboardInterrupt
    assert "3 files\n" in terminal.getvalue()
    assert "\x1b[J" not in terminal.getvalue()


class Pack(Result):
    """A result that is about a document."""

    def document(self) -> str:
        return "<pack/>"

    def to_text(self) -> str:
        return "1 file"


def test_a_pipe_gets_the_document_that_a_result_is_about(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    show(Pack(), as_json=False)
    assert capsys.readouterr() == ("<pack/>\n", "1 file\n")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    show(Pack(), as_json=False)
    assert terminal.getvalue() == "1 file\n"
