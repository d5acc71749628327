"""A language is one package and one line: with both, every tool knows it.

The package is `tests/fixtures/made_up_language/wick`; the line is in `sitecustomize.py` beside it,
which Python runs in the server and in the processes that parse.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FIXTURE = Path(__file__).parents[2] / "fixtures" / "made_up_language"
_PROGRAM = """
import json, sys
from benchpin.app import Workbench, configure

shop = Workbench(configure(root=sys.argv[1]))
calls = json.loads(sys.argv[2])
print(json.dumps([shop.call(name, **arguments).to_text() for name, arguments in calls]))
"""
_COPIED = """
def total(rows):
    result = 0
    for row in rows:
        if row.price > 10 and row.count > 2:
            result = result + row.price * row.count
        if row.price > 100 or row.count > 20:
            result = result - row.price * row.count / 10
        for part in row.parts:
            result = result + part.price * part.count + part.fee
    print("total", result, len(rows))
    return result
"""
_FILES = {
    "main.wick": """
import parts

def light(count):
    if count > 3 and count < 9:
        return parts.double(count)
    return count

light(4)
""",
    "parts.wick": """
# TODO: measure the wax
def double(number):
    return number + number

def melt(number):
    return number
""",
    "one.wick": _COPIED,
    "two.wick": _COPIED,
    "tests/test_main.wick": """
import parts

def test_double():
    assert parts.double(2) == 4
""",
}
_EXPECTED = {
    "outline_file": ({"path": "parts.wick"}, ["parts.wick: wick", "def melt(number):"]),
    "analyze_complexity": (
        {"toolchain": "wick-chandler", "scope": "all"},
        ["6 functions in 5 files", "highest 7"],
    ),
    "analyze_graph_metrics": ({"scope": "all"}, ["imports: 2 resolved"]),
    "analyze_dead_code": ({}, ["function  melt   parts.wick:6-7"]),
    "analyze_duplicates": ({}, ["exact, 11 lines", "one.wick:2-12", "two.wick:2-12"]),
    "analyze_debt_comments": ({}, ["TODO: measure the wax"]),
    "find_symbol": ({"symbol": "double"}, ["parts.wick:3-4", "def double(number)"]),
    "find_references": (
        {"symbol": "parts.wick::double"},
        ["2 certain", "main.wick\n  call in light\n  6: "],
    ),
    "find_tests": ({"symbol": "parts.wick::double"}, ["wick test tests/test_main.wick"]),
    "analyze_repository": ({}, ["languages: Wick 100.0%"]),
}


@pytest.mark.slow
def test_a_made_up_language_is_in_every_tool(tmp_path: Path) -> None:
    for name, text in _FILES.items():
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    calls = [(name, arguments) for name, (arguments, _) in _EXPECTED.items()]
    ran = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path), json.dumps(calls)],
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(FIXTURE)},
    )
    answers = dict(zip(_EXPECTED, json.loads(ran.stdout), strict=True))
    for name, (_, expected) in _EXPECTED.items():
        for text in expected:
            assert text in answers[name], f"{name}: {answers[name]}"
