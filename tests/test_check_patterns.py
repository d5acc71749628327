import re

import pytest

from pattern_cost import find_slowness


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        (r"(a+)+$", 0),
        (r"(a*)*b", 0),
        (r"(?:a|ab|b)*c", 0),
        (r"(?:/\*.*?\*/|\s)*x", re.DOTALL),
        (r"a*a*$", 0),
        (r"(.*)\s*$", 0),
        (r"\s+$", 0),
        (r"\w+\s*\(", 0),
        (r"a[^x]*x", 0),
        (r"a(?:[^x]*x)?", 0),
        (r"a(?=\w*x)", 0),
        (r"/\*.*?\*/", re.DOTALL),
        (r"^\s*foo", re.MULTILINE),
        (r'"(?:[^"\\]|\\.)*"', 0),
        (r"\w++\(", 0),
    ],
)
def test_a_pattern_that_can_backtrack_is_found(pattern: str, flags: int) -> None:
    assert find_slowness(pattern, flags, is_searched=True) is not None


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        (r"\w+", 0),
        (r"\b\w+\s*\(", 0),
        (r'"[^"]*"', 0),
        (r"^[ \t]*foo", re.MULTILINE),
        (r"(?<!\w)\w++\(", 0),
        (r"/\*.*?(?:\*/|\Z)", re.DOTALL),
        (r'(?<!\\)"(?:[^"\\]|\\.)*+"', 0),
        (r"(?<!\s)\s*+;\s*+", 0),
    ],
)
def test_a_linear_pattern_is_accepted(pattern: str, flags: int) -> None:
    assert find_slowness(pattern, flags, is_searched=True) is None


def test_where_a_search_begins_does_not_matter_for_a_match() -> None:
    assert find_slowness(r"a[^x]*x", 0, is_searched=False) is None
    assert find_slowness(r"\w*\w*", 0, is_searched=False, is_whole=True) is not None
