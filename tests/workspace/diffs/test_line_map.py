from hypothesis import given
from hypothesis import strategies as st

from benchpin.comments.anchoring import TrackedText
from benchpin.workspace.diffs import Hunk, LineMap, map_lines

Keys = list[int]

few_keys = st.lists(st.integers(0, 6), max_size=40)
many_keys = st.lists(st.integers(0, 500), max_size=120)


def map_texts(old: str, new: str) -> LineMap:
    return map_lines(TrackedText(old.encode()).keys, TrackedText(new.encode()).keys)


def test_an_inserted_line_shifts_those_below_it() -> None:
    found = map_texts("a = 1\nb = 2\nc = 3\n", "a = 1\nnew = 0\nb = 2\nc = 3\n")
    assert found.to_new == (0, 2, 3)
    assert found.hunks == (Hunk(1, 1, 1, 2),)


def test_white_space_is_not_seen() -> None:
    found = map_texts("if x:\n    go( 1,2 )\n", "\tif  x:\n\t\tgo(1, 2)\r\n")
    assert found.to_new == (0, 1)


def test_a_replaced_line_is_in_a_hunk_with_what_replaced_it() -> None:
    found = map_texts("a\nold\nz\n", "a\nnew\nnewer\nz\n")
    assert found.to_new == (0, -1, 3)
    assert found.hunk_of(1) == Hunk(1, 2, 1, 3)


def test_of_several_hunks_the_one_around_the_line_is_found() -> None:
    found = map_texts("a\nx\nb\ny\nz\nc\n", "a\nb\nc\n")
    assert [found.hunk_of(line) for line in (1, 3, 4)] == [
        Hunk(1, 2, 1, 1),
        Hunk(3, 5, 2, 2),
        Hunk(3, 5, 2, 2),
    ]


def test_unique_lines_keep_braces_in_their_functions() -> None:
    old = "void one() {\n  first();\n}\n\nvoid two() {\n  second();\n}\n"
    new = "void zero() {\n  nil();\n}\n\n" + old
    assert map_texts(old, new).to_new == tuple(range(4, 11))


def test_without_a_unique_line_the_rarest_run_is_taken() -> None:
    assert map_lines([1, 2, 1, 2, 3, 3], [9, 9, 3, 3, 8]).to_new == (-1, -1, -1, -1, 2, 3)


def test_a_large_region_without_a_unique_line_is_not_searched() -> None:
    found = map_lines([7, *[1, 2] * 400, 7], [8, *[2, 1] * 400, 8])
    assert set(found.to_new) == {-1}
    assert len(found.hunks) == 1


@given(few_keys | many_keys)
def test_the_same_lines_are_where_they_were(keys: Keys) -> None:
    assert map_lines(keys, keys) == LineMap(tuple(range(len(keys))), ())


@given(few_keys | many_keys, few_keys | many_keys)
def test_pairs_are_equal_and_in_order(old: Keys, new: Keys) -> None:
    to_new = map_lines(old, new).to_new
    targets = [target for target in to_new if target >= 0]
    assert targets == sorted(set(targets))
    assert all(old[line] == new[target] for line, target in enumerate(to_new) if target >= 0)


@given(few_keys | many_keys, few_keys | many_keys)
def test_hunks_are_the_unpaired_lines(old: Keys, new: Keys) -> None:
    found = map_lines(old, new)
    gone = {line for line, target in enumerate(found.to_new) if target < 0}
    assert gone == {it for hunk in found.hunks for it in range(hunk.old_start, hunk.old_end)}
    added = set(range(len(new))) - set(found.to_new)
    assert added == {it for hunk in found.hunks for it in range(hunk.new_start, hunk.new_end)}
    assert all(line in _old_lines(found.hunk_of(line)) for line in gone)


def _old_lines(hunk: Hunk) -> range:
    return range(hunk.old_start, hunk.old_end)
