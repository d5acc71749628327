from pathlib import Path

import pytest

from benchpin.workspace.diffs import merge_texts
from benchpin.workspace.diffs._shortest import shortest_edit
from merge_cases import merge_cases, merged_by_git

LABELS = ("yours", "template")


def test_changes_of_both_sides_are_kept() -> None:
    base = b"a\nb\nc\nd\ne\n"
    merged = merge_texts(base, b"A\nb\nc\nd\ne\n", b"a\nb\nc\nd\nE\n", labels=LABELS)
    assert merged == (b"A\nb\nc\nd\nE\n", 0)


def test_lines_that_both_changed_are_marked_as_git_marks_them() -> None:
    merged = merge_texts(b"a\nb\n", b"a\nours\n", b"a\ntheirs\n", labels=LABELS)
    marked = b"a\n<<<<<<< yours\nours\n=======\ntheirs\n>>>>>>> template\n"
    assert merged == (marked, 1)


def test_a_change_that_both_made_is_no_conflict() -> None:
    assert merge_texts(b"a\nb\n", b"a\nc\n", b"a\nc\n", labels=LABELS) == (b"a\nc\n", 0)


def test_without_a_base_only_the_differing_lines_conflict() -> None:
    merged = merge_texts(b"", b"a\nb\nc\n", b"a\nx\nc\n", labels=LABELS)
    assert merged.content.startswith(b"a\n<<<<<<< yours\nb\n=======\nx\n>>>>>>>")
    assert merged.conflicts == 1


@pytest.mark.parametrize("seed", range(4))
def test_random_merges_equal_those_of_git(seed: int, tmp_path: Path) -> None:
    for case in merge_cases(seed, 60):
        merged = merge_texts(*case, labels=LABELS)
        assert merged == merged_by_git(case, tmp_path), case


def test_texts_that_have_nothing_in_common_in_order_are_merged_in_reasonable_time() -> None:
    # The shortest edit of these takes 100,000,000 steps.
    old, new = list(range(10_000)), list(range(10_000))[::-1]
    hunks = shortest_edit(old, new)
    kept = len(old) - sum(it.old_end - it.old_start for it in hunks)
    assert kept == len(new) - sum(it.new_end - it.new_start for it in hunks)
    assert kept >= 1
