"""The copy in which tests run: what is outside of it stays, and it is gone afterwards."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchpin.code.changes import FileDelta, find_deltas
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.project.proof import WorkingCopy, sweep, working_copy
from benchpin.project.proof._test_bed import kept_builds
from benchpin.project.proof._working_copy import CannotCopy
from repositories import Tree
from selections import select_all

HOLDING = """
import sys
from pathlib import Path
from benchpin.code.changes import find_deltas
from benchpin.core.calls import Job
from benchpin.project.proof import working_copy
from selections import select_all
root, cache, folder = map(Path, sys.argv[1:])
selection = select_all(root, cache)
with working_copy(selection, find_deltas(selection, "uncommitted"), folder, Job()):
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path / "project")
    made.commit({"src/a.py": b"a = 1\n", "src/b.py": b"b = 1\n"})
    made.write({"src/a.py": b"a = 2\n"})
    return made


@contextmanager
def copied(tree: Tree, folder: Path) -> Iterator[WorkingCopy]:
    selection = select_all(tree.root, folder.parent / "cache")
    with working_copy(selection, find_deltas(selection, "uncommitted"), folder, Job()) as copy:
        yield copy


def test_nothing_is_written_behind_a_link_that_a_test_made(tree: Tree, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("mine")
    (outside / "a.pyc").write_text("mine")
    with copied(tree, tmp_path / "proofs") as copy:
        for path in (copy.root / "src").iterdir():
            path.unlink()
        (copy.root / "src").rmdir()
        (copy.root / "src").symlink_to(outside)
        with copy.reverted([FileDelta("src/a.py", b"a = 1\n", b"a = 2\n")]):
            pass
        with copy.replaced("src/a.py", b"a = 3\n"):
            assert copy.read("src/a.py") is None
        copy.write("src/a.py", None)
    assert (outside / "a.py").read_text() == "mine"
    assert (outside / "a.pyc").read_text() == "mine"


def test_a_large_file_is_copied_whole_and_in_pieces(tree: Tree, tmp_path: Path) -> None:
    size = 300 << 20
    with (tree.root / "data.bin").open("wb") as file:
        file.truncate(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with copied(tree, tmp_path / "proofs") as copy:
        assert (copy.root / "data.bin").stat().st_size == size
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib << 10 < size / 2


def test_more_than_fits_is_refused_before_it_is_copied(tree: Tree, tmp_path: Path) -> None:
    with (tree.root / "data.bin").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(CannotCopy, match="over 4 GiB"), copied(tree, tmp_path / "proofs"):
        pass
    assert not [*(tmp_path / "proofs").rglob("data.bin")]


def test_a_file_is_put_back_where_a_test_made_a_folder_a_pipe_or_a_link(
    tree: Tree, tmp_path: Path
) -> None:
    with copied(tree, tmp_path / "proofs") as copy:
        place = copy.root / "src" / "a.py"
        place.unlink()
        place.mkdir()
        (place / "more").write_text("more")
        copy.write("src/a.py", b"a = 1\n")
        assert copy.read("src/a.py") == b"a = 1\n"
        place.unlink()
        os.mkfifo(place)
        copy.write("src/a.py", b"a = 2\n")
        assert copy.read("src/a.py") == b"a = 2\n"
        place.unlink()
        place.symlink_to(tree.root / "src" / "b.py")
        copy.write("src/a.py", b"a = 3\n")
        assert copy.read("src/a.py") == b"a = 3\n"
    assert (tree.root / "src" / "b.py").read_bytes() == b"b = 1\n"


def test_a_disk_without_room_is_named(tree: Tree, tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    selection = select_all(tree.root, tmp_path / "cache")
    deltas = find_deltas(selection, "uncommitted")
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with (
            pytest.raises(BenchpinError, match="cannot be written: File too large") as raised,
            working_copy(selection, deltas, tmp_path / "proofs", Job()),
        ):
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "BENCHPIN_CACHE_DIR" in raised.value.suggestion
    assert not list((tmp_path / "proofs").iterdir())


def test_a_folder_that_cannot_be_made_is_named(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "proofs").write_text("a file")
    with pytest.raises(BenchpinError, match="cannot be written"), copied(tree, tmp_path / "proofs"):
        pass


@pytest.mark.slow
def test_two_at_once_leave_each_other_alone_and_a_killed_one_is_removed(
    tree: Tree, tmp_path: Path
) -> None:
    folder = tmp_path / "proofs"
    arguments = (str(tree.root), str(tmp_path / "other"), str(folder))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        (theirs,) = folder.iterdir()
        with copied(tree, folder) as copy:
            assert theirs.exists()
            assert copy.root.parent != theirs
            assert sweep(folder) == 0
        assert [*folder.iterdir()] == [theirs]
        holder.kill()
    with copied(tree, folder) as copy:
        assert [*folder.iterdir()] == [copy.root.parent]
    assert not [*folder.iterdir()]


def test_what_was_compiled_is_lent_to_the_next_copy_and_to_no_other_project(
    tree: Tree, tmp_path: Path
) -> None:
    folder = tmp_path / "builds"
    with copied(tree, tmp_path / "proofs") as copy:
        with kept_builds(copy, folder) as place:
            (place / "go").mkdir(parents=True)
            (place / "go" / "a").write_text("compiled")
        assert not place.exists()
    with (
        copied(tree, tmp_path / "proofs") as copy,
        kept_builds(copy, folder) as place,
        copied(tree, tmp_path / "proofs") as second,
        kept_builds(second, folder) as other,
    ):
        assert (place / "go" / "a").read_text() == "compiled"
        assert not other.exists()
    assert len([*folder.iterdir()]) == 1


def test_a_link_in_the_place_of_what_was_compiled_is_not_kept(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    with (
        copied(tree, tmp_path / "proofs") as copy,
        kept_builds(copy, tmp_path / "builds") as place,
    ):
        place.symlink_to(tmp_path / "outside")
    assert not [*(tmp_path / "builds").iterdir()]
    assert (tmp_path / "outside").is_dir()
