from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, FileChanged
from benchpin.workspace.writing import FileChange, _change_set, apply_changes, digest_of
from benchpin.workspace.writing._journal import FileStep

CACHE = "cache"
CHANGES = [
    FileChange("a.py", b"a = 1\n", b"a = 2\n"),
    FileChange("b/c.py", b"c = 1\n", b"c = 2\n"),
    FileChange("b/d.py", b"d = 1\n", b"d = 2\n"),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "b").mkdir(parents=True)
    for it in CHANGES:
        (root / it.path).write_bytes(it.before or b"")
    return root


def contents(root: Path) -> list[bytes]:
    return [(root / it.path).read_bytes() for it in CHANGES]


BEFORE = [it.before for it in CHANGES]


def test_all_files_get_their_new_content_and_nothing_else_is_left(root: Path) -> None:
    apply_changes(root, CHANGES, Job(), root.parent / CACHE)
    assert contents(root) == [it.after for it in CHANGES]
    assert {it.name for it in (root / "b").iterdir()} == {"c.py", "d.py"}


def test_a_file_that_changed_since_leaves_all_as_they_are(root: Path) -> None:
    (root / "b/d.py").write_bytes(b"d = 3\n")
    with pytest.raises(FileChanged, match="changed since the preview"):
        apply_changes(root, CHANGES, Job(), root.parent / CACHE)
    assert contents(root) == [b"a = 1\n", b"c = 1\n", b"d = 3\n"]
    assert {it.name for it in root.iterdir()} == {"a.py", "b"}


def test_a_file_that_must_not_be_replaced_leaves_all_as_they_are(root: Path) -> None:
    (root / "b/d.py").chmod(0o444)
    with pytest.raises(AccessDenied):
        apply_changes(root, CHANGES, Job(), root.parent / CACHE)
    assert contents(root) == BEFORE


def break_at(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Have the system refuse to replace a file of this name."""
    real = _change_set._replace

    def replace(folder: int, change: FileChange, step: FileStep) -> None:
        if Path(change.path).name == name:
            raise PermissionError
        real(folder, change, step)

    monkeypatch.setattr(_change_set, "_replace", replace)


def test_a_fault_in_the_middle_gives_the_first_files_their_old_content_back(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_at(monkeypatch, "d.py")
    with pytest.raises(AccessDenied):
        apply_changes(root, CHANGES, Job(), root.parent / CACHE)
    assert contents(root) == BEFORE


def test_the_digest_depends_on_every_path_and_content_and_not_on_the_order() -> None:
    first, *rest = CHANGES
    whole = digest_of(CHANGES)
    assert digest_of([*rest, first]) == whole
    others = [
        FileChange("x.py", first.before, first.after),
        FileChange(first.path, b"other", first.after),
        FileChange(first.path, first.before, b"other"),
    ]
    assert len({whole, *(digest_of([it, *rest]) for it in others)}) == 4


MIXED = [
    FileChange("b/d.py", b"d = 1\n", None),
    FileChange("new/e.sh", None, b"#!/bin/sh\n", is_executable=True),
    FileChange("a.py", b"a = 1\n", b"a = 2\n"),
]


def names(root: Path) -> set[str]:
    return {str(it.relative_to(root)) for it in root.rglob("*") if it.is_file()}


def test_files_are_created_and_deleted(root: Path) -> None:
    apply_changes(root, MIXED, Job(), root.parent / CACHE)
    assert names(root) == {"a.py", "b/c.py", "new/e.sh"}
    assert (root / "new/e.sh").stat().st_mode & 0o111


def test_a_folder_that_a_deletion_leaves_empty_goes_too(root: Path) -> None:
    apply_changes(
        root,
        [FileChange(it.path, it.before, None) for it in CHANGES[1:]],
        Job(),
        root.parent / CACHE,
    )
    assert {it.name for it in root.iterdir()} == {"a.py"}


def test_a_fault_at_the_end_brings_deleted_files_back_and_removes_new_ones(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_at(monkeypatch, "a.py")
    (root / "b/d.py").chmod(0o755)
    with pytest.raises(AccessDenied):
        apply_changes(root, MIXED, Job(), root.parent / CACHE)
    assert contents(root) == BEFORE
    assert (root / "b/d.py").stat().st_mode & 0o777 == 0o755
    assert names(root) == {it.path for it in CHANGES}
    assert not (root / "new").exists()


@pytest.mark.parametrize(
    "change", [FileChange("a.py", None, b"new"), FileChange("gone.py", b"old", None)]
)
def test_a_file_that_is_there_or_missing_against_the_preview_changes_nothing(
    change: FileChange, root: Path
) -> None:
    with pytest.raises(FileChanged):
        apply_changes(root, [*MIXED[:2], change], Job(), root.parent / CACHE)
    assert contents(root) == BEFORE
    assert names(root) == {it.path for it in CHANGES}


def test_creating_and_deleting_have_different_digests() -> None:
    kinds = [
        FileChange("a", None, b"x"),
        FileChange("a", b"x", None),
        FileChange("a", b"", b"x"),
        FileChange("a", b"x", b""),
        FileChange("a", None, b"x", is_executable=True),
    ]
    assert len({digest_of([it]) for it in kinds}) == len(kinds)
