from pathlib import Path

import pytest

from benchpin.core.errors import DependencyMissing
from benchpin.workspace.git import GitFailed, merge_texts
from benchpin.workspace.git._command import Merged
from merge_cases import merge_cases, merged_by_git

NOWHERE = Path("/nonexistent")


def merge(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    return merge_texts(base, ours, theirs, labels=("yours", "template"), untrusted_root=NOWHERE)


def test_changes_of_both_sides_are_kept() -> None:
    base = b"a\nb\nc\nd\ne\n"
    merged = merge(base, b"A\nb\nc\nd\ne\n", b"a\nb\nc\nd\nE\n")
    assert merged == (b"A\nb\nc\nd\nE\n", 0)


def test_lines_that_both_changed_are_marked_as_git_marks_them() -> None:
    merged = merge(b"a\nb\n", b"a\nours\n", b"a\ntheirs\n")
    marked = b"a\n<<<<<<< yours\nours\n=======\ntheirs\n>>>>>>> template\n"
    assert merged == (marked, 1)


def test_a_change_that_both_made_is_no_conflict() -> None:
    assert merge(b"a\nb\n", b"a\nc\n", b"a\nc\n") == (b"a\nc\n", 0)


def test_without_a_base_only_the_differing_lines_conflict() -> None:
    merged = merge(b"", b"a\nb\nc\n", b"a\nx\nc\n")
    assert merged.content.startswith(b"a\n<<<<<<< yours\nb\n=======\nx\n>>>>>>>")
    assert merged.conflicts == 1


@pytest.mark.parametrize("seed", range(4))
def test_random_merges_equal_those_of_git(seed: int, tmp_path: Path) -> None:
    for case in merge_cases(seed, 60):
        merged = merge(*case)
        assert merged == merged_by_git(case, tmp_path), case


def test_texts_that_have_nothing_in_common_in_order_are_merged_in_reasonable_time() -> None:
    # The shortest edit of these takes 100,000,000 steps.
    lines = [b"%d\n" % it for it in range(10_000)]
    merged = merge(b"".join(lines), b"".join(lines[::-1]), b"".join(lines[1:]))
    assert merged.conflicts >= 1


def test_binary_files_are_refused() -> None:
    with pytest.raises(GitFailed):
        merge(b"a\0", b"b\0", b"c\0")


def test_without_git_only_what_both_sides_changed_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("benchpin.workspace.git._confinement.find_program", lambda *_: None)
    assert merge(b"a\n", b"a\n", b"b\n") == (b"b\n", 0)
    assert merge(b"a\n", b"b\n", b"a\n") == (b"b\n", 0)
    with pytest.raises(DependencyMissing):
        merge(b"a\n", b"b\n", b"c\n")
