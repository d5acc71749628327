from hypothesis import given
from hypothesis import strategies as st

from benchpin.system.formats import _texts as ordering
from benchpin.system.formats import sorted_names


@given(names=st.sets(st.text(alphabet="ab/é", max_size=6), max_size=60))
def test_names_sorted_in_pieces_are_sorted(names: set[str]) -> None:
    piece, ordering._PIECE = ordering._PIECE, 3
    try:
        assert sorted_names([*names]) == sorted(names)
    finally:
        ordering._PIECE = piece


def test_many_names_with_one_beginning_are_sorted() -> None:
    names = [f"same/{number * 7919 % 10_007}" for number in range(10_007)]
    assert sorted_names(names) == sorted(names)
