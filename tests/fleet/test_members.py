import json
from pathlib import Path

import pytest

from benchpin.core.calls import Permissions, Rule
from benchpin.core.errors import InvalidParams, PathOutsideWorkspace
from benchpin.fleet import find_members
from benchpin.fleet._members import NoMembers
from repositories import Tree

from .conftest import EVERYTHING


def names(root: Path, *patterns: str, listing: bytes | None = None) -> list[str]:
    return [it.name for it in find_members(root, patterns, listing, EVERYTHING).found]


def test_a_glob_finds_work_trees_and_bare_mirrors(one: Tree, two: Tree) -> None:
    root = one.root.parent
    two.git("clone", "--quiet", "--bare", str(two.root), str(root / "three.git"))
    (root / "no-repository").mkdir()

    assert names(root, "*") == ["one", "three.git", "two"]
    assert names(root, "three") == ["three.git"]


@pytest.mark.usefixtures("two")
def test_a_listing_has_one_on_a_line_or_is_json_of_a_forge(one: Tree, tmp_path: Path) -> None:
    lines, forge = tmp_path / "list.txt", tmp_path / "list.json"
    lines.write_text("# ours\none\n\ntwo # theirs\n", encoding="utf-8")
    forge.write_text(json.dumps([{"nameWithOwner": "two"}, "one", 7, {}]), encoding="utf-8")

    assert names(one.root.parent, listing=lines.read_bytes()) == ["one", "two"]
    assert names(one.root.parent, listing=forge.read_bytes()) == ["one", "two"]


def test_what_is_missing_is_named(one: Tree) -> None:
    found = find_members(one.root.parent, ["one", "gone"], None, EVERYTHING)

    assert [it.name for it in found.found] == ["one"]
    assert found.missing == ["gone"]


def test_nothing_at_all_is_an_error_that_names_what_was_asked(tmp_path: Path) -> None:
    with pytest.raises(NoMembers, match="gone"):
        find_members(tmp_path, ["gone"], None, EVERYTHING)


def test_a_name_that_leads_outside_is_refused(one: Tree) -> None:
    with pytest.raises(PathOutsideWorkspace):
        find_members(one.root, ["../two"], None, EVERYTHING)


def test_a_link_that_leads_outside_is_no_member(one: Tree, two: Tree) -> None:
    (one.root / "way-out").symlink_to(two.root)

    with pytest.raises(NoMembers):
        find_members(one.root, ["way-out"], None, EVERYTHING)


@pytest.mark.usefixtures("two")
def test_a_repository_that_may_not_be_read_is_no_member(one: Tree) -> None:
    denied = Permissions(((Rule("one/", frozenset()),),))

    with pytest.raises(NoMembers):
        find_members(one.root.parent, ["one"], None, denied)


def test_a_link_inside_the_workspace_is_known_by_what_it_leads_to(one: Tree) -> None:
    root = one.root.parent
    (root / "also").symlink_to(one.root)

    assert names(root, "also") == ["one"]


@pytest.mark.parametrize("pattern", ["**", "a/**/b", "x" * 2_000])
def test_a_pattern_that_searches_everything_is_refused(one: Tree, pattern: str) -> None:
    with pytest.raises(InvalidParams):
        find_members(one.root.parent, [pattern], None, EVERYTHING)


def test_a_listing_that_is_nested_too_deep_is_an_error(one: Tree) -> None:
    with pytest.raises(NoMembers, match="not JSON"):
        find_members(one.root.parent, [], b"[" * 200_000, EVERYTHING)
