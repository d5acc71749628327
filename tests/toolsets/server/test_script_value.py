"""Values of scripts as text: short, and still unambiguous."""

import pytest
from pydantic import JsonValue

from benchpin.toolsets.server._script import as_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a text\nof two lines", "a text\nof two lines"),
        (12, "12"),
        (None, "null"),
        ([], "[]"),
        ({}, "{}"),
        (
            ["a.py", "b c.py", "", "12", "true", 1.5, False],
            'a.py\n"b c.py"\n""\n"12"\n"true"\n1.5\nfalse',
        ),
        ([[16, "View"], [78, "View.run"]], "16 View\n78 View.run"),
        ([{"line": 1, "name": "f"}, {"line": 2, "name": "g"}], "line name\n1 f\n2 g"),
        ({"a.py": [[1, "f"]], "b.py": [], "n": 3}, "a.py:\n1 f\nb.py: []\nn: 3"),
        ({"a": [["b:", 1], ["c:d", 2]]}, 'a:\n"b:" 1\nc:d 2'),
        ({"a b": {"deep": [1]}}, '"a b": {"deep":[1]}'),
        ([[1, [2, 3]]], "[[1,[2,3]]]"),
        ([{"a": 1}, {"b": 2}], '[{"a":1},{"b":2}]'),
        ([[]], "[[]]"),
        (["line\nbreak", 'quote"'], '"line\\nbreak"\n"quote\\""'),
    ],
)
def test_rows_become_lines_and_the_rest_stays_json(value: JsonValue, text: str) -> None:
    assert as_text(value) == text
