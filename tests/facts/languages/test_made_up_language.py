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

from repositories import Tree

FIXTURE = Path(__file__).parents[2] / "fixtures" / "made_up_language"
_PROGRAM = """
import json, sys
from benchpin.app import Workbench, configure
from benchpin.core.errors import BenchpinError

def answer(name, arguments):
    try:
        return shop.call(name, **arguments).to_text()
    except BenchpinError as error:
        return str(error)

shop = Workbench(configure(root=sys.argv[1], allow=("write",)))
calls = json.loads(sys.argv[2])
print(json.dumps([answer(*it) for it in calls]))
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

def light(count, wick):
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
    "candle.wick": """
class Candle:
    def burn(self):
        return 1

class Tall(Candle):
    def burn(self):
        return 2
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
        ["8 functions in 6 files", "highest 7"],
    ),
    "analyze_graph_metrics": ({"scope": "all"}, ["imports: 2 resolved"]),
    "analyze_dead_code": ({}, ["  melt  ", "parts.wick:6-7"]),
    "analyze_duplicates": ({}, ["exact, 11 lines", "one.wick:2-12", "two.wick:2-12"]),
    "analyze_debt_comments": ({}, ["TODO: measure the wax"]),
    "find_symbol": ({"symbol": "double"}, ["parts.wick:3-4", "def double(number)"]),
    "find_references": (
        {"symbol": "parts.wick::double"},
        ["2 certain", "main.wick\n  call in light\n  6: "],
    ),
    "find_tests": ({"symbol": "parts.wick::double"}, ["wick test tests/test_main.wick"]),
    "analyze_repository": ({}, ["languages: Wick 100.0%"]),
    "analyze_comprehensive": ({}, ["wick 100%"]),
    "analyze_defect_probability": ({}, ["5 files: "]),
    "analyze_impact": ({"symbol": "parts.wick::double"}, ["2 dependents, 1 related test"]),
    "analyze_name_similarity": ({"query": "double_it"}, ["double", "parts.wick"]),
    "explore": ({"question": "double a number"}, ["parts.wick::double (function, 3-4)"]),
    "find_implementations": ({"symbol": "candle.wick::Candle"}, ["Tall", "candle.wick:6"]),
    "map_repository": ({}, ["3: def double(number)"]),
    "pack_repository": ({}, ["candle.wick"]),
    "quality_gate": ({}, ["max_cyclomatic", "0 of 7 functions"]),
    "rename_symbol": (
        {"symbol": "parts.wick::melt", "new_name": "soften"},
        ["def soften(number):"],
    ),
    "search_structure": ({"pattern": "return $X"}, ["ast-grep does not read Wick"]),
    "review_change": ({}, ["broken-call", "main.wick:9", "fewer than the 2 required"]),
    "show_changes": ({}, ["function  light  main.wick:4-7"]),
    "trace_calls": ({"symbol": "double"}, ["2 certain", "test_double"]),
}


@pytest.mark.slow
def test_a_made_up_language_is_in_every_tool(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.commit({name: text.replace(", wick", "").encode() for name, text in _FILES.items()})
    tree.write({name: text.encode() for name, text in _FILES.items()})
    calls = [(name, arguments) for name, (arguments, _) in _EXPECTED.items()]
    ran = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path), json.dumps(calls)],
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(FIXTURE)},
    )
    answers = dict(zip(_EXPECTED, json.loads(ran.stdout), strict=True))
    lacking = [
        (name, text, answers[name])
        for name, (_, expected) in _EXPECTED.items()
        for text in expected
        if text not in answers[name]
    ]
    assert lacking == []
