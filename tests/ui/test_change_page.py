"""The page of a change: what changed, what the review says, what it reaches, if it is proven."""

import re
from pathlib import Path

import pytest

from benchpin.ui._change_page import diffs_of
from page_kit import Browser
from repositories import Tree

PRICE = "def price(item):\n    return item.cost * 2\n"
CART = (
    "from shop.price import price\n\n\ndef total(all):\n    return sum(price(it) for it in all)\n"
)
TEST = "from shop.cart import total\n\n\ndef test_total():\n    assert total([]) == 0\n"


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    files = {
        "shop/__init__.py": "",
        "shop/price.py": PRICE,
        "shop/cart.py": CART,
        "tests/test_cart.py": TEST,
    }
    made.commit({name: text.encode() for name, text in files.items()})
    return made


@pytest.fixture
def browser(tree: Tree) -> Browser:
    tree.write({"shop/price.py": PRICE.replace("item)", "item, rate)").encode()})
    return Browser(tree.root)


async def test_a_change_is_shown_with_its_symbols_and_the_review_at_the_lines(
    browser: Browser,
) -> None:
    page = (await browser.wait_for("/change")).text
    assert "1 file" in page
    assert "Uncommitted changes" in page
    assert '/symbol?name=shop%2Fprice.py%3A%3Aprice"' in page
    assert re.search(r'<tr class="old">.*?def price\(item\):', page)
    assert re.search(r'<tr class="new">.*?def price\(item, rate\):', page)
    assert "no longer fits" in page
    assert "/source?path=shop%2Fcart.py#L5" in page


async def test_what_a_change_reaches_is_drawn_with_its_tests(browser: Browser) -> None:
    page = (await browser.wait_for("/change")).text
    drawn = page[page.index('<svg class="impact"') : page.index("</svg>")]
    assert "shop/price.py" in drawn
    assert "shop/cart.py" in drawn
    assert "test_total" in page
    assert "pytest" in page


async def test_the_overview_leads_to_uncommitted_work(browser: Browser, tree: Tree) -> None:
    page = (await browser.wait_for("/")).text
    assert '<a href="/change">1 file with uncommitted changes, +1 -1 lines' in page
    tree.write({"shop/price.py": PRICE.encode()})
    assert 'class="change"' not in (await Browser(tree.root).wait_for("/")).text


async def test_another_change_can_be_chosen_and_a_wrong_one_is_named(browser: Browser) -> None:
    page = (await browser.wait_for("/change?base=HEAD")).text
    assert "Changes since HEAD" in page
    wrong = (await browser.wait_for("/change?base=nope%3Cb%3E")).text
    assert "nope&lt;b&gt;" in wrong
    assert wrong.count('class="error"') == 1


async def test_a_change_is_proven_only_when_somebody_asks(browser: Browser) -> None:
    before = (await browser.wait_for("/change")).text
    assert "Prove it" in before
    assert "What was checked" not in before
    answer = await browser.post("/change/prove", {"base": "uncommitted"})
    assert answer.status == 303
    assert answer.headers["location"] == "/change?base=uncommitted#proof"
    page = (await browser.wait_for("/change")).text
    assert "What was checked" in page
    assert "Broken: " in page
    assert "Prove it again" in page


async def test_a_page_that_may_run_nothing_says_how_tests_are_run(tree: Tree) -> None:
    assert "Nothing changed" in (await Browser(tree.root).wait_for("/change")).text
    tree.write({"shop/price.py": b"x = 1\n"})
    page = (await Browser(tree.root).wait_for("/change")).text
    assert "benchpin ui --allow execute" in page
    page = (await Browser(tree.root, allow="execute").wait_for("/change")).text
    assert "runs the affected tests in a sandbox" in page


async def test_a_folder_without_history_says_so(workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    browser = Browser(workspace)
    assert 'class="error"' in (await browser.wait_for("/change")).text
    assert 'class="change"' not in (await browser.wait_for("/")).text


async def test_names_and_lines_of_a_change_are_escaped(tree: Tree) -> None:
    hostile = '"><script>alert(1)</script>\u202e'
    tree.write({f"{hostile.replace('/', '')}.py": f"x = '{hostile}'\n".encode()})
    page = (await Browser(tree.root).wait_for("/change")).text
    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_a_deleted_line_that_looks_like_the_head_of_a_diff_is_a_line() -> None:
    text = "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n select 1"
    [file] = diffs_of(text)
    assert (file.path, file.added, file.deleted) == ("q.sql", 1, 1)
    assert [(it.mark, it.text) for it in file.lines[1:]] == [
        ("-", "-- old"),
        ("+", "++ new"),
        (" ", "select 1"),
    ]


def test_a_long_diff_is_cut_and_says_so() -> None:
    many = "\n".join(f"+line {it}" for it in range(6_000))
    text = f"--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,6000 @@\n{many}\n--- a/b.txt\n+++ b/b.txt"
    first, second = diffs_of(text)
    assert first.is_cut
    assert (len(first.lines), first.added) == (5_000, 6_000)
    assert second.path == "b.txt"
