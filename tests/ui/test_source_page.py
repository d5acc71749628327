"""The page of a file: names that lead somewhere, findings at their lines, history, cards."""

from pathlib import Path

import pytest

from benchpin.code import CodeIndex, SourceText
from benchpin.ui._pages import PageLinks
from benchpin.ui._source_text import Links, ShownLines, name_links
from page_kit import Browser
from repositories import Tree

TAX = '''\
"""Taxes."""
from shop.rates import RATE


def tax(price):
    """Return the tax on a price."""
    amount = price * RATE
    return amount


def unused(value):
    # TODO: this is a hack, remove it
    return tax(value)
'''
COPY = """\
def totals(rows, limit, found):
    for row in rows:
        if row.price > limit and row.is_sold:
            found.append(row.price * row.amount)
        elif row.price < 0:
            found.append(0)
        else:
            found.append(row.price)
    found.sort(key=lambda it: -it)
    return sum(found[:limit])
"""
TANGLED = (
    "def tangled(a):\n"
    + "".join(f"{'    ' * depth}if a > {depth}:\n" for depth in range(1, 9))
    + "    " * 9
    + "return a\n"
)


@pytest.fixture
def browser(workspace: Path) -> Browser:
    tree = Tree(workspace)
    files = {
        "shop/__init__.py": "",
        "shop/rates.py": "RATE = 0.2\n",
        "shop/tax.py": TAX,
        "shop/one.py": COPY,
        "shop/two.py": COPY,
        "shop/tangled.py": TANGLED,
        "shop/page.py": "from shop.tax import tax\n\ntax(1)\n",
    }
    tree.commit({name: text.encode() for name, text in files.items()})
    return Browser(workspace)


async def test_names_lead_to_where_they_are_defined(browser: Browser) -> None:
    page = (await browser.wait_for("/source?path=shop/tax.py")).text
    assert 'import <a href="/source?path=shop%2Frates.py#L1">RATE</a>' in page
    assert '<a href="#L7">amount</a>' in page
    assert 'return <a href="#L5">tax</a>(' in page
    assert 'def <a href="/symbol?name=shop%2Ftax.py%3A%3Atax">tax</a>(' in page


async def test_names_on_the_page_of_a_symbol_lead_to_pages_of_files(browser: Browser) -> None:
    page = (await browser.wait_for("/symbol?name=shop/tax.py::unused")).text
    assert 'return <a href="/source?path=shop%2Ftax.py#L5">tax</a>(' in page


async def test_the_page_of_a_variable_lists_its_uses_not_callers(browser: Browser) -> None:
    page = (await browser.wait_for("/symbol?name=shop/rates.py::RATE")).text
    assert "<h2>Uses</h2>" in page
    assert "/source?path=shop%2Ftax.py#L7" in page
    assert "Callers" not in page
    unnamed = await browser.get("/symbol?name=+")
    assert (unnamed.status, "No function or type is named" in unnamed.text) == (400, True)


@pytest.mark.parametrize(
    ("path", "word", "said"),
    [
        ("shop/tangled.py", "complex", "cognitive complexity of tangled is"),
        ("shop/tax.py", "debt", "this is a hack"),
        ("shop/tax.py", "unused", "nothing in the workspace uses unused"),
        ("shop/one.py", "copy", "the same in shop/two.py:1"),
    ],
)
async def test_findings_are_at_their_lines(
    browser: Browser, path: str, word: str, said: str
) -> None:
    page = (await browser.wait_for(f"/source?path={path}")).text
    found = [it for it in page.split("<details")[1:] if f">{word}</span>" in it]
    assert any(said in it for it in found), found


async def test_what_a_review_says_of_uncommitted_work_is_at_its_line(
    browser: Browser, workspace: Path
) -> None:
    changed = TAX.replace("def tax(price):", "def tax(price, country):")
    (workspace / "shop/tax.py").write_text(changed, encoding="utf-8")
    page = (await browser.wait_for("/source?path=shop/page.py")).text
    assert ">review</span>" in page
    assert 'href="/change"' in page


async def test_history_is_beside_the_lines_on_request(browser: Browser) -> None:
    assert 'class="h"' not in (await browser.wait_for("/source?path=shop/tax.py")).text
    page = (await browser.wait_for("/source?path=shop/tax.py&history=1")).text
    [first] = [it for it in page.split("<tr ") if it.startswith('id="L1"')]
    assert "Ada" in first


async def test_history_without_a_repository_says_why_there_is_none(workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    page = (await Browser(workspace).wait_for("/source?path=a.py&history=1")).text
    assert 'class="error"' in page
    assert "</a> = 1" in page


async def test_a_card_says_what_a_name_is(browser: Browser) -> None:
    card = (await browser.wait_for("/card?path=shop/tax.py&line=5&name=tax")).text
    assert "tax(price)" in card
    assert "Return the tax on a price." in card
    assert "2 uses" in card or "3 uses" in card
    local = (await browser.get("/card?path=shop/tax.py&line=7&name=amount")).text
    assert "amount = price * RATE" in local


@pytest.mark.parametrize("query", ["", "path=shop/none.py&line=1", "path=shop/tax.py&line=x"])
async def test_a_card_about_nothing_is_empty(browser: Browser, query: str) -> None:
    answer = await browser.wait_for(f"/card?{query}")
    assert (answer.status, answer.text) == (204, "")


async def test_rows_are_in_lots_of_fifty_lines_of_which_each_is_whole(
    browser: Browser, workspace: Path
) -> None:
    text = "".join(f"name_{at} = {at}\n" for at in range(1, 121))
    (workspace / "long.py").write_text(text + "# TODO: this is a hack\n", encoding="utf-8")
    page = (await browser.wait_for("/source?path=long.py")).text
    _, *lots = page.split('<div class="lot">')
    assert [it.count("<tr id=") for it in lots] == [50, 50, 21]
    for lot in lots:
        assert lot.count("<tr") == lot.count("</tr>")
        assert lot.count("</tbody></table></div>") == 1
    assert lots[2].index('id="L121"') < lots[2].index(">debt</span>")


async def test_links_of_a_page_are_found_once_until_a_file_changes(
    browser: Browser, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []

    def counted(index: CodeIndex, links: PageLinks, page: ShownLines, text: SourceText) -> Links:
        found.append(page.path)
        return name_links(index, links, page, text)

    first = (await browser.wait_for("/source?path=shop/tax.py")).text
    monkeypatch.setattr("benchpin.ui._source_pages.name_links", counted)
    assert (await browser.get("/source?path=shop/tax.py")).text == first
    assert found == []
    (workspace / "shop/tax.py").write_text(f"{TAX}\n\nunused(2)\n", encoding="utf-8")
    page = (await browser.wait_for("/source?path=shop/tax.py")).text
    assert "shop/tax.py" in found
    assert 'id="L15"' in page


async def test_an_empty_file_has_no_rows(browser: Browser, workspace: Path) -> None:
    (workspace / "empty.py").write_text("", encoding="utf-8")
    page = await browser.wait_for("/source?path=empty.py")
    assert (page.status, page.text.count('class="lot"')) == (200, 0)


async def test_every_folder_of_the_path_is_a_link(browser: Browser) -> None:
    page = (await browser.get("/source?path=./shop/tax.py")).text
    assert '<a href="/map?path=shop"><bdi>shop</bdi></a>/<bdi>tax.py</bdi>' in page


async def test_names_beside_hidden_characters_are_linked_and_all_text_is_escaped(
    workspace: Path,
) -> None:
    text = 'def f(a):\n    return "\u202e</td><script>\x1b[0m" + a + f(a)\n'
    (workspace / "a.py").write_text(text, encoding="utf-8")
    page = (await Browser(workspace).wait_for("/source?path=a.py")).text
    assert "\\u202e&lt;/td&gt;&lt;script&gt;\\x1b[0m" in page
    assert '+ <a href="#L1">a</a> + <a href="#L1">f</a>(<a href="#L1">a</a>)' in page
    assert "\u202e" not in page


async def test_a_name_beyond_the_lines_of_a_page_leads_to_its_page(workspace: Path) -> None:
    lines = ["def last(): return first()", *["x = 1"] * 2_500, "def first(): return last()"]
    (workspace / "a.py").write_text("\n".join(lines), encoding="utf-8")
    page = (await Browser(workspace).wait_for("/source?path=a.py")).text
    assert 'return <a href="/source?path=a.py&amp;start=2001#L2502">first</a>()' in page
