"""JSON as text, for files, pages and the command line."""

import json
from pathlib import Path
from typing import NoReturn

import pytest

from benchpin.cli.output import print_json
from benchpin.core.text import json_text
from benchpin.present.page import as_script

ODD = {"a": float("nan"), "b": [float("inf"), 1.5], "c": {"d": (-float("inf"), "x")}}


def _refuse(constant: str) -> NoReturn:
    raise AssertionError(constant)


def test_numbers_that_json_does_not_have_are_null() -> None:
    expected = {"a": None, "b": [None, 1.5], "c": {"d": [None, "x"]}}
    for text in (json_text(ODD), json_text(ODD, indent=2), as_script(ODD)):
        assert json.loads(text, parse_constant=_refuse) == expected


def test_the_command_line_prints_none_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(ODD)
    assert json.loads(capsys.readouterr().out, parse_constant=_refuse)["a"] is None


def test_other_values_are_written_as_json_writes_them(tmp_path: Path) -> None:
    value = {"name": str(tmp_path), "list": [1, 2.5, None, True], "text": "caf\u00e9"}
    assert json_text(value) == json.dumps(value, ensure_ascii=False)
