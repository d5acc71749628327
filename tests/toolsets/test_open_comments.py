"""Tools that show code show the open comments on it."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from benchpin.app import Workbench, configure
from benchpin.comments import PlacedSidecar, WorkspaceComments
from comment_calls import call
from repositories import Tree

CART = dedent(
    """\
    LIMIT = 10


    def add(item, count):
        if count > LIMIT:
            raise ValueError(item)
        return item


    def fill():
        return add("pen", 1)
    """
)
WORDS = "Why ten?"


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"shop/cart.py": CART.encode(), "shop/other.py": b"def other():\n    return 1\n"})
    return made


@pytest.fixture
def shop(tree: Tree) -> Iterator[Workbench]:
    opened = Workbench.open(tree.root)
    yield opened
    opened.close()


def comment(shop: Workbench, line: int = 5, text: str = WORDS, path: str = "shop/cart.py") -> str:
    given = {"filePath": path, "line": line, "text": text, "tag": "QUESTION"}
    return str(call(shop, "add_comment", author="ann", **given)["commentId"])


def lines(shop: Workbench, tool: str, **arguments: object) -> list[tuple[str, int, str]]:
    found = call(shop, tool, **arguments).get("comments", {"items": []})
    return [(it["file"], it["line"], it["text"]) for it in found["items"]]


SHOWN = {
    "read_file": {"path": "shop/cart.py"},
    "outline_file": {"path": "shop"},
    "find_symbol": {"symbol": "add"},
    "analyze_impact": {"symbol": "shop/cart.py"},
    "review_change": {},
}


@pytest.mark.parametrize("tool", SHOWN)
def test_an_open_comment_is_shown_with_its_code(tree: Tree, shop: Workbench, tool: str) -> None:
    comment(shop)
    tree.write({"shop/cart.py": CART.replace("return item", "return [item]").encode()})
    assert lines(shop, tool, **SHOWN[tool]) == [("shop/cart.py", 5, WORDS)]
    result = shop.call(tool, **SHOWN[tool])
    said = [it for it in f"{result.to_text()}\n{result.closing_note()}".split("\n") if WORDS in it]
    assert len(said) == 1
    assert "ann" in said[0]
    assert "QUESTION" in said[0]


@pytest.mark.parametrize("tool", SHOWN)
def test_without_comments_an_answer_has_not_a_word_more(
    tree: Tree, shop: Workbench, tool: str
) -> None:
    tree.write({"shop/cart.py": CART.replace("return item", "return [item]").encode()})
    result = shop.call(tool, **SHOWN[tool])
    assert "comments" not in result.model_dump(mode="json")
    assert "comment" not in f"{result.to_text()}{result.closing_note()}".lower()


def test_a_comment_follows_its_line_after_an_edit(tree: Tree, shop: Workbench) -> None:
    comment(shop)
    assert lines(shop, "read_file", path="shop/cart.py") == [("shop/cart.py", 5, WORDS)]
    tree.write({"shop/cart.py": f"import os\n\n{CART}".encode()})
    assert lines(shop, "read_file", path="shop/cart.py") == [("shop/cart.py", 7, WORDS)]
    assert lines(shop, "find_symbol", symbol="add") == [("shop/cart.py", 7, WORDS)]


def test_only_comments_on_the_shown_lines_are_shown(shop: Workbench) -> None:
    comment(shop, 5, "first")
    comment(shop, 11, "second")
    read = lines(shop, "read_file", path="shop/cart.py", start_line=8)
    assert [text for _, _, text in read] == ["second"]
    assert [it[2] for it in lines(shop, "find_symbol", symbol="fill")] == ["second"]
    assert [it[2] for it in lines(shop, "analyze_impact", symbol="add")] == ["first"]


def test_a_review_shows_comments_on_what_changed_only(tree: Tree, shop: Workbench) -> None:
    comment(shop, 5, "on add")
    comment(shop, 11, "on fill")
    tree.write({"shop/cart.py": CART.replace('"pen"', '"ink"').encode()})
    assert [it[2] for it in lines(shop, "review_change")] == ["on fill"]
    assert [it[2] for it in lines(shop, "analyze_impact")] == ["on fill"]


def test_a_resolved_comment_is_not_shown(shop: Workbench) -> None:
    made = comment(shop)
    call(shop, "resolve_comment", filePath="shop/cart.py", commentId=made)
    assert lines(shop, "read_file", path="shop/cart.py") == []


def test_comments_come_along_when_their_file_is_renamed(tree: Tree, shop: Workbench) -> None:
    comment(shop)
    (tree.root / "shop/cart.py").rename(tree.root / "shop/basket.py")
    assert lines(shop, "read_file", path="shop/basket.py") == [("shop/basket.py", 5, WORDS)]
    (tree.root / "shop/basket.py").rename(tree.root / "cart.py")
    edited = CART.replace("return item", "return [item]")
    (tree.root / "cart.py").write_text(edited, encoding="utf-8")
    assert lines(shop, "review_change") == [("cart.py", 5, WORDS)]


def test_a_long_comment_is_one_short_line(shop: Workbench) -> None:
    comment(shop, text="a\nb " + "x" * 5_000 + "\x1b[31m")
    result = shop.call("read_file", path="shop/cart.py")
    [line] = result.closing_note().split("\n")
    assert len(line) < 300
    assert "[line 5: QUESTION by ann: a b xxx" in line


def test_many_comments_are_counted_and_the_first_shown(shop: Workbench) -> None:
    for at in range(25):
        comment(shop, text=f"finding {at}")
    result = shop.call("read_file", path="shop/cart.py")
    *shown, last = result.closing_note().split("\n")
    assert len(shown) == 20
    assert "20 of 25" in last


def test_the_content_of_a_file_stays_as_it_is(shop: Workbench) -> None:
    comment(shop)
    result = shop.call("read_file", path="shop/cart.py")
    assert result.to_text() == result.document() == CART


def test_a_rule_that_denies_sidecars_hides_their_comments(tree: Tree, shop: Workbench) -> None:
    comment(shop)
    rules = ({"pattern": "**", "operations": ["read"]}, {"pattern": "**/*.comments"})
    narrowed = Workbench(configure(root=tree.root, resource_permissions=rules))
    assert lines(narrowed, "read_file", path="shop/cart.py") == []


def test_comments_in_the_central_store_are_shown_too(tree: Tree) -> None:
    shop = Workbench(configure(root=tree.root, comments={"store": "central"}))
    comment(shop)
    assert not (tree.root / "shop/cart.py.comments").exists()
    assert lines(shop, "read_file", path="shop/cart.py") == [("shop/cart.py", 5, WORDS)]


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b"\0" * 100])
def test_a_damaged_sidecar_does_not_keep_a_file_from_being_read(
    tree: Tree, shop: Workbench, content: bytes
) -> None:
    (tree.root / "shop/cart.py.comments").write_bytes(content)
    assert lines(shop, "read_file", path="shop/cart.py") == []


def test_a_sidecar_that_is_a_pipe_or_a_link_is_not_read(tree: Tree, shop: Workbench) -> None:
    os.mkfifo(tree.root / "shop/cart.py.comments")
    assert lines(shop, "read_file", path="shop/cart.py") == []
    (tree.root / "shop/other.py.comments").symlink_to("/etc/passwd")
    assert lines(shop, "read_file", path="shop/other.py") == []


def test_nothing_is_read_again_while_nothing_changes(
    tree: Tree, shop: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    comment(shop)
    long_ago = 1_700_000_000
    for it in (tree.root / "shop").iterdir():
        os.utime(it, (long_ago, long_ago))
    reads = 0

    def count(self: WorkspaceComments, paths: Iterable[str]) -> Iterator[PlacedSidecar]:
        nonlocal reads
        reads += 1
        return place_each(self, paths)

    monkeypatch.setattr("benchpin.comments.shown.is_racy", lambda *_: False)
    place_each = WorkspaceComments.place_each
    monkeypatch.setattr(WorkspaceComments, "place_each", count)
    for _ in range(3):
        shop.call("read_file", path="shop/cart.py")
    assert reads == 1
