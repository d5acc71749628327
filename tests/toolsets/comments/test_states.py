"""What became of the code of a note since it was written: fresh, moved, changed, gone."""

from pathlib import Path
from typing import Any, cast

import pytest

from benchpin.app import Workbench
from benchpin.comments import PlacedComment
from benchpin.comments.anchoring._code_state import quotes_in
from benchpin.core.text import TextStyle
from repositories import Tree

PATH = "src/pay.py"
CODE = """\
import os

RETRIES = 3


def charge(card, amount):
    for _ in range(RETRIES):
        if send(card, amount, timeout=30):
            return True
    return False


def refund(card):
    return send(card, 0)
"""


@pytest.fixture
def tree(workspace: Path) -> Tree:
    """Return a repository with a file and a note on its eighth line."""
    found = Tree(workspace)
    (workspace / PATH).parent.mkdir(exist_ok=True)
    write(found, CODE)
    found.commit()
    return found


def write(tree: Tree, code: str, path: str = PATH) -> None:
    (tree.root / path).write_text(code, encoding="utf-8")


def note(shop: Workbench, line: int = 8, text: str = "why so long?", path: str = PATH) -> None:
    shop.call("add_comment", file_path=path, line=line, text=text, tag="NOTE")


def only(shop: Workbench, path: str = PATH, **arguments: object) -> PlacedComment:
    [found] = shown(shop, "get_file_comments", file_path=path, **arguments)
    return cast("PlacedComment", found)


def shown(shop: Workbench, tool: str, **arguments: object) -> list[Any]:
    found: list[Any] = cast("Any", shop.call(tool, **arguments)).comments
    return found


def test_a_note_on_the_same_code_is_fresh(shop: Workbench, tree: Tree) -> None:
    note(shop)
    assert (only(shop).state, only(shop).commit) == (
        "fresh",
        tree.git("rev-parse", "HEAD").decode(),
    )


def test_a_note_below_new_lines_moved(shop: Workbench, tree: Tree) -> None:
    note(shop)
    write(tree, "# a line\n" + CODE)
    assert (only(shop).line, only(shop).state) == (9, "moved")


def test_a_change_of_the_line_or_of_the_function_around_it_is_seen(
    shop: Workbench, tree: Tree
) -> None:
    note(shop)
    write(tree, CODE.replace("timeout=30", "timeout=60"))
    assert only(shop).state == "changed"
    write(tree, CODE.replace("    return False", "    return None"))
    assert (only(shop).line, only(shop).state) == (8, "changed")


def test_a_change_of_another_function_or_of_white_space_is_none(
    shop: Workbench, tree: Tree
) -> None:
    note(shop)
    write(tree, CODE.replace("send(card, 0)", "send(card, 1)").replace("        if", "         if"))
    assert only(shop).state == "fresh"


def test_a_note_outside_of_functions_is_about_its_line(shop: Workbench, tree: Tree) -> None:
    note(shop, line=3)
    write(tree, CODE.replace("range(RETRIES)", "range(RETRIES + 1)"))
    assert only(shop).state == "fresh"
    write(tree, CODE.replace("RETRIES = 3", "RETRIES = 5"))
    assert only(shop).state == "changed"


def test_a_note_whose_code_is_gone_names_its_last_place_and_the_commit(
    shop: Workbench, tree: Tree
) -> None:
    note(shop, line=14)
    write(tree, "# a line\n" + CODE)
    tree.commit()
    write(tree, "# a line\n" + CODE[: CODE.index("\n\ndef refund")] + "\n")
    tree.commit()
    removed = tree.git("rev-parse", "HEAD").decode()
    write(tree, "# another\n# a line\n" + CODE[: CODE.index("\n\ndef refund")] + "\n")
    tree.commit()
    found = only(shop)
    assert found.state == "gone"
    assert found.last_place is not None
    last = found.last_place
    assert (last.file_path, last.line, last.removed_in) == (PATH, 15, removed)


def test_the_old_and_new_lines_are_there_on_request(shop: Workbench, tree: Tree) -> None:
    note(shop)
    write(tree, CODE.replace("timeout=30", "timeout=60"))
    assert only(shop).change is None
    change = only(shop, include_changes=True).change
    assert change is not None
    assert (change.old_start, change.new_start) == (6, 6)
    assert change.old_lines[2] == "        if send(card, amount, timeout=30):"
    assert change.new_lines[2] == "        if send(card, amount, timeout=60):"


def test_a_note_that_quotes_what_is_no_longer_there_is_marked(shop: Workbench, tree: Tree) -> None:
    note(shop, text="waits 30 s for `send`, three times; see charge_card and RETRIES")
    write(tree, CODE.replace("timeout=30", "timeout=60").replace("range(RETRIES)", "range(5)"))
    assert (only(shop).state, only(shop).contradicts) == ("changed", ("30", "RETRIES"))


def test_a_note_is_marked_without_git_too(shop: Workbench, workspace: Path) -> None:
    (workspace / PATH).parent.mkdir(exist_ok=True)
    (workspace / PATH).write_text(CODE, encoding="utf-8")
    note(shop, text="`RETRIES` is enough", line=9)
    (workspace / PATH).write_text(CODE.replace("range(RETRIES)", "range(5)"), encoding="utf-8")
    assert (only(shop).state, only(shop).contradicts) == ("changed", ("RETRIES",))


def test_states_are_in_searches_exports_and_beside_shown_code(shop: Workbench, tree: Tree) -> None:
    note(shop)
    write(tree, CODE.replace("timeout=30", "timeout=60"))
    [found] = shown(shop, "search_comments", query="long")
    assert found.state == "changed"
    assert '"state": "changed"' in shop.call("export_comments", format="json").to_text()
    assert "the code changed since" in shop.call("export_comments", format="markdown").to_text()
    beside = cast("Any", shown(shop, "read_file", path=PATH))
    assert [it.state for it in beside.items] == ["changed"]
    lines = beside.lines(TextStyle())
    assert "[line 8: NOTE by ai (the code changed since): why so long?]" in [*lines]


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("call `charge` twice", ["charge"]),
        ("a plain sentence of 2 words", []),
        (
            "MAX_RETRIES is 30, see parse_args() and HttpClient",
            ["MAX_RETRIES", "30", "parse_args", "HttpClient"],
        ),
        ("ask Ada or GitHub on 2024-01-02", ["GitHub", "2024"]),
    ],
)
def test_names_and_numbers_are_quotes_and_prose_is_none(text: str, quotes: list[str]) -> None:
    assert quotes_in(text) == quotes
