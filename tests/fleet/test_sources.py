"""Folders without git as members of a fleet."""

from pathlib import Path

import pytest

from benchpin.core.calls import Job, Operation, Permissions, Rule
from benchpin.fleet import find_members
from benchpin.fleet._sources import MemberChanged, open_source
from made_projects import LOADER
from repositories import Tree

from .conftest import EVERYTHING, Fleet


@pytest.fixture
def plain(fleet: Fleet) -> Path:
    """A folder with a file of a repository, and what a walk leaves out."""
    folder = fleet.root / "plain"
    for name, text in {
        "shared.py": LOADER,
        "own.py": "import shared\n",
        "ignored.py": "x = 1\n",
        ".gitignore": "ignored.py\n",
        "node_modules/a.js": "a()\n",
        "LICENSE": "SPDX-License-Identifier: MIT\n",
    }.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder


def head_of(folder: Path, permissions: Permissions = EVERYTHING) -> str | None:
    [member] = find_members(folder.parent, [folder.name], None, permissions).found
    return open_source(folder).head(member.may_read, Job())


@pytest.mark.usefixtures("plain")
def test_a_folder_without_git_is_a_member_when_it_is_named_itself(fleet: Fleet) -> None:
    assert [it.name for it in find_members(fleet.root, ["*"], None, EVERYTHING).found] == [
        "one",
        "two",
    ]
    assert [it.name for it in find_members(fleet.root, ["plain"], None, EVERYTHING).found] == [
        "plain"
    ]


@pytest.mark.usefixtures("plain")
def test_what_a_folder_shares_with_a_repository_is_not_measured_again(fleet: Fleet) -> None:
    fleet.measure()
    run = fleet.measure(names=["plain"])

    assert (run.blobs, run.new_blobs, run.failed) == (3, 1, {})
    sql = "SELECT path, commits, target FROM files LEFT JOIN imports USING (repository, path) "
    assert fleet.query(f"{sql} WHERE repository = 'plain' ORDER BY path") == [
        ["own.py", None, "shared.py"],
        ["shared.py", None, None],
    ]
    sql = "SELECT licence, commits, risk_basis FROM repositories WHERE repository = 'plain'"
    basis = "code alone: it is not under version control"
    assert fleet.query(sql) == [["MIT", None, basis]]
    assert fleet.measure(names=["plain"]).unchanged == 1


def test_a_folder_is_measured_again_when_its_content_changed(fleet: Fleet, plain: Path) -> None:
    fleet.measure(names=["plain"])
    (plain / "ignored.py").write_text("x = 2\n", encoding="utf-8")
    assert fleet.measure(names=["plain"]).unchanged == 1
    (plain / "own.py").write_text("import other\n", encoding="utf-8")
    assert [it.name for it in fleet.measure(names=["plain"]).measured] == ["plain"]
    assert [it["repository"] for it in fleet.ask("trend")] == ["plain"]


def test_a_link_in_a_folder_leads_nowhere(fleet: Fleet, plain: Path, one: Tree) -> None:
    before = head_of(plain)
    (plain / "link.py").symlink_to(one.root / "app.py")
    (plain / "folder").symlink_to(one.root, target_is_directory=True)

    assert head_of(plain) == before
    fleet.measure(names=["plain"])
    assert fleet.query("SELECT path FROM files ORDER BY path") == [["own.py"], ["shared.py"]]


def test_what_may_not_be_read_of_a_folder_is_not_opened(plain: Path) -> None:
    read = frozenset({Operation.READ})
    guarded = Permissions(((Rule("**", read), Rule("own.py", frozenset())),))
    before = head_of(plain, guarded)
    assert before != head_of(plain)
    (plain / "own.py").unlink()
    assert head_of(plain, guarded) == before


def test_a_file_that_changes_while_it_is_measured_is_not_kept_under_its_old_content(
    plain: Path,
) -> None:
    source = open_source(plain)
    commit = source.head(bool, Job()) or ""
    files = source.tree(commit, bool, Job()).code
    (plain / "own.py").write_text("import another\n", encoding="utf-8")

    with pytest.raises(MemberChanged), source.opened(Job()) as contents:
        list(contents.read_each(files))
    with pytest.raises(MemberChanged):
        source.tree(commit, bool, Job())


def test_a_folder_without_code_is_empty(fleet: Fleet) -> None:
    (fleet.root / "nothing").mkdir()

    assert fleet.measure(names=["nothing"]).empty == ["nothing"]
