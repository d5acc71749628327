"""What is in folders: read once, and again only where something came or went."""

import os
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery, Sources
from benchpin.workspace.files import _reading as opening
from benchpin.workspace.walking import FolderListings
from benchpin.workspace.walking._folder_listings import FolderListing
from listings import note_listings


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust stamps at once, as if all folders were old."""
    monkeypatch.setattr(opening, "RACY_NS", 0)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the names of folders that are read."""
    return note_listings(monkeypatch)


@pytest.fixture
def root(workspace: Path) -> Path:
    (workspace / "src/deep").mkdir(parents=True)
    (workspace / "src/a.py").write_text("def f(): pass\n")
    (workspace / "link").symlink_to("src")
    os.mkfifo(workspace / "pipe")
    for place in (workspace, workspace / "src", workspace / "src/deep"):
        age(place)
    return workspace


def age(place: Path) -> None:
    """Have a folder look old, so that any change to it shows."""
    os.utime(place, (1_000_000_000, 1_000_000_000))


def look(listings: FolderListings, root: Path, prefix: str = "") -> FolderListing:
    return listings.read(str(root / prefix), prefix)


def test_files_and_folders_are_named_and_others_counted(root: Path) -> None:
    listing = look(FolderListings(), root)
    assert (listing.files, listing.folders) == ([], ["src"])
    assert listing.others == {"symbolic link": 1, "not a regular file": 1}
    assert not listing.has_git


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_a_repository_is_noticed_whatever_its_mark_is(root: Path, kind: str) -> None:
    mark = root / ".git"
    if kind == "file":
        mark.write_text("gitdir: elsewhere\n")
    elif kind == "folder":
        mark.mkdir()
    else:
        mark.symlink_to("src")
    listing = look(FolderListings(), root)
    assert listing.has_git
    assert (listing.files, listing.folders) == ([], ["src"])
    assert listing.others == {"symbolic link": 1, "not a regular file": 1}


def test_an_unchanged_folder_is_read_once_in_any_number_of_programs(
    root: Path, read: list[str]
) -> None:
    listings = FolderListings()
    first = look(listings, root, "src/")
    assert look(listings, root, "src/") is first
    assert look(FolderListings(listings.to_bytes()), root, "src/") == first
    assert read == ["src"]


def test_a_folder_in_which_something_came_is_read_again(root: Path) -> None:
    listings = FolderListings()
    look(listings, root, "src/")
    later = FolderListings(listings.to_bytes())
    assert not later.is_changed
    (root / "src/b.py").touch()
    assert sorted(look(later, root, "src/").files) == ["a.py", "b.py"]
    assert later.is_changed


def test_a_folder_that_just_changed_is_not_trusted(
    root: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "RACY_NS", 1 << 62)
    listings = FolderListings()
    assert look(listings, root, "src/") is not look(listings, root, "src/")
    assert read == ["src", "src"]


@pytest.mark.parametrize("data", [b"\xff", b"\x81\xa0\x01", b"no listings"])
def test_damage_is_as_if_nothing_were_known(root: Path, data: bytes) -> None:
    listings = FolderListings(data)
    assert look(listings, root, "src/").files == ["a.py"]
    assert FolderListings(listings.to_bytes())._known.keys() == {"src/"}


def test_folders_that_are_gone_or_cannot_be_written_down_are_left_out(root: Path) -> None:
    listings = FolderListings()
    strange = os.fsdecode(b"\xff")
    (root / strange).mkdir()
    for prefix in ("", "src/", "src/deep/", f"{strange}/"):
        look(listings, root, prefix)
    (root / "src/deep").rmdir()
    look(listings, root, "src/")
    assert listings._known.keys() == {"", "src/", f"{strange}/"}
    assert FolderListings(listings.to_bytes())._known.keys() == {"src/"}


@pytest.mark.parametrize("stamp_s", [0, -11_644_473_600])
def test_a_folder_with_an_impossible_time_is_not_trusted(root: Path, stamp_s: int) -> None:
    os.utime(root / "src", (stamp_s, stamp_s))
    listings = FolderListings()
    assert look(listings, root, "src/").files == ["a.py"]
    assert FolderListings(listings.to_bytes())._known == {}


def test_a_root_that_is_a_link_is_seen_to_change(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere"
    link.symlink_to(root)
    listings = FolderListings()
    look(listings, link)
    (root / "new.py").touch()
    assert look(listings, link).files == ["new.py"]


def test_folders_can_be_written_down_while_others_are_read(root: Path) -> None:
    listings = FolderListings()

    def read_another(_path: str) -> bool:
        look(listings, root, f"{'./' * len(listings._known)}src/deep/")
        return True

    look(listings, root, "src/")
    look(listings, root, "src/deep/")
    assert FolderListings(listings.to_bytes(read_another))._known.keys() == {"src/", "src/deep/"}


def test_the_next_process_reads_no_unchanged_folder_unless_it_must_refresh(
    root: Path, tmp_path: Path, read: list[str]
) -> None:
    def run(query: SourceQuery) -> Sources:
        read.clear()
        index = SourceIndex(root, tmp_path / "facts")
        found = index.read(query, Job())
        index.close()
        return found

    first, second = run(SourceQuery()), run(SourceQuery())
    assert first.files == second.files != []
    assert first.skipped == second.skipped
    assert not {"workspace", "src", "deep"} & set(read)
    run(SourceQuery(strategy="force-refresh"))
    assert {"workspace", "src", "deep"} <= set(read)
