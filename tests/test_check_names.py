import ast

import pytest

from check_names import find_names


@pytest.mark.parametrize(
    "code",
    [
        "def run(it): ...",
        "for it in items: ...",
        "it = 1",
        "with open(x) as it: ...",
        "MOST_BYTES = 1",
        "_LONGEST = 1",
        "a: int = 1\n'''Of a file.'''",
    ],
)
def test_a_broken_habit_is_found(code: str) -> None:
    assert len(list(find_names(ast.parse(code)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "found = [it for it in items if it]",
        "key = lambda it: it.name",
        "MAX_BYTES = 1",
        "# The limit of a file.\nMAX_BYTES = 1",
        "class A:\n    a: int\n    '''How many.'''",
        "MOSTLY = 0.8",
    ],
)
def test_a_kept_habit_is_not(code: str) -> None:
    assert list(find_names(ast.parse(code))) == []
