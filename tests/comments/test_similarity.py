import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.comments.anchoring._comparison import LineProbe

lines = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=30)


def longest_common(first: str, second: str) -> int:
    """Return the reference result, by the dynamic programming table of the textbook."""
    row = [0] * (len(second) + 1)
    for char in first:
        last = 0
        for at, other in enumerate(second, 1):
            last, row[at] = row[at], last + 1 if char == other else max(row[at], row[at - 1])
    return row[-1]


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [
        ("return x", "return x", 1.0),
        ("    return x", "return x\r", 1.0),
        ("abcd", "bcde", 0.75),
        ("abcd", "wxyz", 0.0),
        ("", "", 0.0),
        ("x", "", 0.0),
    ],
)
def test_the_common_subsequence_counts_twice(first: str, second: str, ratio: float) -> None:
    assert LineProbe(first).ratio(second) == ratio


def test_a_ratio_below_the_minimum_is_zero() -> None:
    assert LineProbe("abcd").ratio("bcde", 0.75) == 0.75
    assert LineProbe("abcd").ratio("bcde", 0.76) == 0.0


@given(lines, lines)
def test_it_is_the_longest_common_subsequence(first: str, second: str) -> None:
    total = len(first) + len(second)
    expected = 2 * longest_common(first, second) / total if total else 0.0
    assert LineProbe(first).ratio(second) == expected


@given(lines, lines)
def test_it_finds_at_least_the_blocks_that_difflib_finds(first: str, second: str) -> None:
    blocks = difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()
    assert not (first or second) or LineProbe(first).ratio(second) >= blocks - 1e-9


@given(lines, lines)
def test_the_order_does_not_matter(first: str, second: str) -> None:
    assert LineProbe(first).ratio(second) == LineProbe(second).ratio(first)


def test_only_the_start_of_a_very_long_line_is_compared() -> None:
    assert LineProbe("a" * 512 + "b" * 9_000_000).ratio("a" * 512 + "c" * 9_000_000) == 1.0
