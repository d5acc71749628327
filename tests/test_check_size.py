import ast
from collections import Counter
from pathlib import Path

import pytest

from check_size import BUDGETS, lower, names_in, out_of_date, over, sizes_of, table_of


def test_what_is_counted(tmp_path: Path) -> None:
    tool = "class Params: ...\n\n@tool\ndef count(): ...\n"
    files = {
        "__init__.py": '__all__ = ["a", "b"]\n',
        "room/__init__.py": "",
        "room/_a.py": "class Params: ...\nclass _Own: ...\n",
        "toolsets/words/count.py": tool,
        "toolsets/words/_count.py": tool,
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert +sizes_of(tmp_path) == {
        "lines": 11,
        "modules": 5,
        "folder room": 1,
        "folder toolsets/words": 2,
        "door __init__.py": 2,
        "tool toolsets/words/count.py": 4,
        "class Params": 3,
    }


@pytest.mark.parametrize("key", ["lines", "folder a", "door a", "tool a", "class A"])
def test_growth_is_a_problem_and_the_message_says_what_to_do(key: str) -> None:
    [message] = over({key: 500_000}, {key: 500_001})
    assert "500,001" in message
    assert "the budget is 500,000" in message
    assert "say why in the commit" in message


def test_what_has_no_budget_is_held_to_the_aim() -> None:
    assert list(over({}, {"folder a": 25, "class A": 1, "tool a": 150})) == []
    assert len(list(over({}, {"folder a": 26, "class A": 2, "tool a": 151}))) == 3


def test_the_table_only_shrinks() -> None:
    budgets = {"folder a": 30, "folder b": 30, "folder gone": 30, "folder c": 30}
    sizes = Counter({"folder a": 28, "folder b": 25, "folder c": 31})
    assert lower(budgets, sizes) == {"folder a": 28, "folder c": 30}
    assert len(list(out_of_date(budgets, sizes))) == 2


def test_the_table_is_written_as_it_is_read() -> None:
    [node] = ast.parse(table_of(BUDGETS)).body
    assert isinstance(node, ast.Assign)
    assert ast.literal_eval(node.value) == BUDGETS


def test_names_are_counted_in_the_list_of_the_door_alone() -> None:
    assert names_in(ast.parse("NAMES = ['a']\n__all__ = ['a', 'b']")) == 2
    assert names_in(ast.parse("NAMES = ['a']")) == 0
