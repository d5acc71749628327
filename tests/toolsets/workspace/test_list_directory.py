import shutil
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, FileMissing, InvalidPath
from benchpin.toolsets.workspace import list_directory as tool_module
from benchpin.toolsets.workspace.list_directory import (
    DirectoryListing,
    DirectoryParams,
    list_directory,
)


def listed(shop: Workbench, **params: object) -> DirectoryListing:
    return shop.run(list_directory, DirectoryParams.model_validate(params))


def paths(shop: Workbench, **params: object) -> list[str]:
    return [entry.path for entry in listed(shop, **params).entries]


@pytest.fixture(autouse=True)
def files(workspace: Path) -> None:
    for path in ("b.txt", "a/inner/deep.txt", "a/one.py", "out/made.o", ".hidden", "a/x.o"):
        place = workspace / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("12345")
    (workspace / ".git").mkdir()
    (workspace / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (workspace / ".gitignore").write_text("*.o\n/out/\n!a/x.o\n")
    (workspace / "link").symlink_to("a")


def test_one_level_by_default(shop: Workbench) -> None:
    assert listed(shop).to_text().splitlines() == [
        "3 entries in .",
        "",
        "bytes  path",
        "    -  a/",
        "    5  b.txt",
        "    -  link (link)",
    ]


def test_folders_come_before_their_entries(shop: Workbench) -> None:
    everything = ["a", "a/inner", "a/inner/deep.txt", "a/one.py", "a/x.o", "b.txt", "link"]
    assert paths(shop, recursive=True) == everything
    assert paths(shop, max_depth=2) == [path for path in everything if path.count("/") < 2]
    assert paths(shop, path="a", recursive=True) == everything[1:5]


def test_hidden_and_ignored_files_come_when_asked_for(shop: Workbench) -> None:
    assert paths(shop, include_hidden=True) == [".gitignore", ".hidden", "a", "b.txt", "link"]
    assert "out/made.o" in paths(shop, include_ignored=True, recursive=True)


def test_entries_have_kinds_and_sizes(shop: Workbench) -> None:
    kinds = {entry.path: (entry.kind, entry.size_bytes) for entry in listed(shop).entries}
    assert kinds == {"a": ("folder", None), "b.txt": ("file", 5), "link": ("link", None)}


def test_a_link_is_not_followed_in_a_circle(shop: Workbench, workspace: Path) -> None:
    (workspace / "a/loop").symlink_to(workspace)
    assert "a/loop" in paths(shop, recursive=True)
    assert "a/loop/a" not in paths(shop, recursive=True)


def test_a_missing_folder_is_an_error(shop: Workbench) -> None:
    with pytest.raises(FileMissing):
        listed(shop, path="nothing")


def test_an_empty_folder_is_said_to_be(shop: Workbench, workspace: Path) -> None:
    (workspace / "empty").mkdir()
    assert listed(shop, path="empty").to_text() == "The folder is empty."


def test_a_name_cannot_forge_an_entry(shop: Workbench, workspace: Path) -> None:
    (workspace / "new\nline\x1b[31m.txt").touch()
    assert r"    0  new\nline\x1b[31m.txt" in listed(shop).to_text().splitlines()


def test_a_total_that_was_not_counted_is_not_given(
    shop: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_module, "MAX_COUNTED", 5)
    first = listed(shop, recursive=True, limit=4)
    assert (first.total, first.is_cut) == (None, True)
    assert "4 of an unknown number" in first.to_text()
    rest = listed(shop, recursive=True, limit=4, cursor=first.next_cursor)
    assert (rest.total, rest.is_cut, rest.next_cursor) == (7, False, None)
    assert len(rest.entries) == 3


def test_rules_above_the_folder_hold_without_a_repository(shop: Workbench, workspace: Path) -> None:
    shutil.rmtree(workspace / ".git")
    (workspace / ".gitignore").write_text("one.py\ndeep.txt\n")
    assert paths(shop, path="a", recursive=True) == ["a/inner", "a/x.o"]
    assert paths(shop, path="a/inner") == []


def test_time_that_runs_out_is_said(shop: Workbench, workspace: Path) -> None:
    for number in range(600):
        (workspace / f"{number}.txt").touch()
    ticks = iter(range(100_000))
    job = Job(time_limit_s=1, monotonic=lambda: next(ticks))
    listing = shop.catalogue.find("list_directory")
    found = shop.prepare(listing, {}, job=job).run()
    assert isinstance(found, DirectoryListing)
    assert (found.partial, found.total, found.is_cut) == (True, None, True)


def test_a_listing_of_what_is_all_ignored_can_be_cancelled(
    shop: Workbench, workspace: Path
) -> None:
    for number in range(600):
        (workspace / f"{number}.o").touch()
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        shop.prepare(shop.catalogue.find("list_directory"), {}, job=job).run()


def test_not_recursive_wins_over_a_depth(shop: Workbench) -> None:
    assert paths(shop, recursive=False, max_depth=3) == ["a", "b.txt", "link"]


def test_a_file_is_named_as_such(shop: Workbench) -> None:
    with pytest.raises(InvalidPath, match=r"^b\.txt is a file, not a folder") as refused:
        listed(shop, path="b.txt")
    assert "read_file" in refused.value.suggestion
    with pytest.raises(FileMissing):
        listed(shop, path="b.txt/inner")


def test_a_denied_folder_is_not_named_and_one_without_a_rule_is(workspace: Path) -> None:
    for path in ("secrets/a.txt", ".ssh/config", "src/a.py", "docs/a.md"):
        place = workspace / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x")
    rules = [
        {"pattern": "**/*.py", "operations": ["read"]},
        {"pattern": "secrets/", "operations": []},
    ]
    shop = Workbench.open(workspace, resource_permissions=rules)
    found = paths(shop, recursive=True, include_hidden=True)
    assert [it for it in found if not it.startswith("a")] == ["docs", "src", "src/a.py"]
