from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.core import AccessDenied, FileChanged, Job
from benchpin.engines.files.change_set import FileChange, apply_changes, digest_of
from benchpin.engines.files.writing import StagedFile

CHANGES = [
    FileChange("a.py", b"a = 1\n", b"a = 2\n"),
    FileChange("b/c.py", b"c = 1\n", b"c = 2\n"),
    FileChange("b/d.py", b"d = 1\n", b"d = 2\n"),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    for it in CHANGES:
        (tmp_path / it.path).write_bytes(it.before)
    return tmp_path


def contents(root: Path) -> list[bytes]:
    return [(root / it.path).read_bytes() for it in CHANGES]


BEFORE = [it.before for it in CHANGES]


def test_all_files_get_their_new_content_and_nothing_else_is_left(root: Path) -> None:
    apply_changes(root, CHANGES, Job())
    assert contents(root) == [it.after for it in CHANGES]
    assert {it.name for it in (root / "b").iterdir()} == {"c.py", "d.py"}


def test_a_file_that_changed_since_leaves_all_as_they_are(root: Path) -> None:
    (root / "b/d.py").write_bytes(b"d = 3\n")
    with pytest.raises(FileChanged, match="changed since the preview"):
        apply_changes(root, CHANGES, Job())
    assert contents(root) == [b"a = 1\n", b"c = 1\n", b"d = 3\n"]
    assert {it.name for it in root.iterdir()} == {"a.py", "b"}


def test_a_file_that_must_not_be_replaced_leaves_all_as_they_are(root: Path) -> None:
    (root / "b/d.py").chmod(0o444)
    with pytest.raises(AccessDenied):
        apply_changes(root, CHANGES, Job())
    assert contents(root) == BEFORE


def test_a_fault_in_the_middle_gives_the_first_files_their_old_content_back(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[[StagedFile, str | None], None] = StagedFile.commit

    def commit(self: StagedFile, expected_sha256: str | None) -> None:
        if self.path.name == "d.py":
            raise PermissionError
        real(self, expected_sha256)

    monkeypatch.setattr(StagedFile, "commit", commit)
    with pytest.raises(AccessDenied):
        apply_changes(root, CHANGES, Job())
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
