"""What a person does with the pages, in Chromium."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from browsers import tab_in

from .conftest import HOSTILE

pytestmark = pytest.mark.slow

PAGES = (
    "/",
    "/map",
    "/findings/analyze_complexity",
    "/findings/analyze_graph_metrics",
    "/source?path=shop/pricing.py",
    "/symbol?name=shop/pricing.py::tangle",
    "/performance",
    "/search?q=py",
    "/search?q=which+function+cleans+a+value",
    "/change",
    "/change?base=HEAD",
    "/source?path=shop/pricing.py&history=1",
)


def go(tab: Any, path: str) -> None:
    """Open a page, and wait until it is whole and its keys work."""
    tab.goto(tab.evaluate("location.origin") + path)
    tab.wait_for_selector("html[data-ready] main:not([data-waiting])")


def test_the_riskiest_file_and_why_are_two_clicks_away(tab: Any) -> None:
    first = tab.locator(".risks li").first
    assert "complexity" in first.inner_text()
    first.locator("a").click()
    tab.wait_for_selector(".outline")
    assert "shop/pricing.py" in tab.locator("h1").inner_text()
    tab.locator(".outline .num.bad").first.click()
    tab.wait_for_selector(".calls .call")
    assert "total" in tab.locator(".calls").first.inner_text()


def test_what_depends_on_a_module_is_two_clicks_away(tab: Any) -> None:
    tab.locator(".risks a", has_text="pricing.py").first.click()
    tab.locator("summary", has_text="Who uses it").click()
    tab.wait_for_selector(".users li")
    assert "shop/cart.py" in tab.locator(".users").inner_text()


def test_the_query_to_fix_first_is_two_clicks_away(tab: Any) -> None:
    tab.locator(".bar a", has_text="Findings").click()
    tab.locator(".side a", has_text="Performance").click()
    tab.wait_for_selector("main:not([data-waiting]) h2 >> text=Findings, worst first")
    first = tab.locator("h2:has-text('Findings, worst first') + .wide tbody tr").first
    assert "<img src=x onerror=window.harmed=location>" in first.inner_text()
    assert tab.evaluate("window.harmed") is None


def test_the_overview_has_one_column_on_a_phone(tab: Any) -> None:
    tab.set_viewport_size({"width": 400, "height": 800})
    columns = tab.evaluate("getComputedStyle(document.querySelector('main')).gridTemplateColumns")
    assert len(columns.split()) == 1


def test_the_overview_fits_one_screen(tab: Any) -> None:
    assert tab.evaluate("document.documentElement.scrollHeight") <= 800
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1280


def test_no_page_is_wider_than_a_phone_or_runs_what_a_repository_says(tab: Any) -> None:
    tab.emulate_media(color_scheme="dark")
    tab.set_viewport_size({"width": 390, "height": 800})
    hostile = [f"/source?path={quote(name)}" for name in HOSTILE]
    for path in (*PAGES, *hostile):
        go(tab, path)
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert tab.evaluate("window.harmed") is None, path


def test_pages_ask_nobody_but_us(tab: Any) -> None:
    asked: list[str] = []
    tab.on("request", lambda it: asked.append(it.url))
    base = tab.evaluate("location.origin")
    for path in PAGES:
        go(tab, path)
    assert asked
    assert [it for it in asked if not it.startswith((base, "data:"))] == []


def test_a_folder_of_the_treemap_opens_and_leads_back(tab: Any) -> None:
    go(tab, "/map")
    tab.wait_for_selector("[data-contents] tbody tr")
    [folder] = tab.locator("[data-contents] tbody tr", has_text="shop/").all()
    assert "⌀ " in folder.inner_text()
    assert "means of its files" in tab.locator("main").inner_text()
    tab.locator("[data-contents] button", has_text="shop/").click()
    assert "⌀ " not in tab.locator("[data-contents] tbody").inner_text()
    assert "shop" in tab.locator(".crumbs button:disabled").inner_text()
    assert "path=shop" in tab.url
    tab.locator(".crumbs button").first.click()
    assert tab.locator("[data-contents] tbody tr").count() > 2
    tab.locator("[data-treemap] select").select_option("complexity")
    assert "measure=complexity" in tab.url


def test_a_click_on_a_file_of_the_treemap_opens_it(tab: Any) -> None:
    go(tab, "/map?path=shop")
    tab.wait_for_selector("[data-contents] tbody tr")
    box = tab.locator("canvas").bounding_box()
    tab.mouse.click(box["x"] + 20, box["y"] + box["height"] / 2)
    tab.wait_for_selector("table.code")
    assert "shop/pricing.py" in tab.locator("h1").inner_text()


def test_a_comment_is_written_answered_and_resolved_beside_its_line(tab: Any) -> None:
    go(tab, "/source?path=shop/cart.py")
    tab.locator("#L4 td.n a").click()
    tab.locator("#compose textarea").fill("Why one?\n<script>window.harmed=4</script>")
    tab.locator("#compose button", has_text="Add").click()
    tab.wait_for_selector("html[data-ready] .noted article")
    note = tab.locator(".noted .note").first
    assert "Why one?" in note.inner_text()
    assert abs(note.bounding_box()["y"] - tab.locator("#L4").bounding_box()["y"]) < 30
    note.locator("summary").click()
    note.locator("textarea").fill("It is enough.")
    note.locator("button", has_text="Answer").click()
    tab.wait_for_selector(".note.answer")
    tab.locator(".note button", has_text="Resolve").click()
    tab.wait_for_selector(".note.closed")
    assert tab.evaluate("window.harmed") is None


def test_a_saved_file_is_shown_without_a_reload(tab: Any, hostile_repository: Path) -> None:
    place = hostile_repository / "shop" / "late.py"
    place.write_text("def before():\n    return 1\n", encoding="utf-8")
    go(tab, "/source?path=shop/late.py")
    tab.evaluate("window.isSame = true")
    place.write_text("def after():\n    return 2\n", encoding="utf-8")
    tab.wait_for_selector("td.c >> text=def after")
    assert tab.evaluate("window.isSame") is True


def test_everything_can_be_reached_by_keyboard(tab: Any) -> None:
    tab.keyboard.press("?")
    assert tab.locator("#keys").is_visible()
    tab.keyboard.press("Escape")
    tab.keyboard.press("/")
    tab.keyboard.type("tangle")
    tab.wait_for_selector("#hits [role=option]")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("html[data-ready] .three")
    tab.keyboard.press("g")
    tab.keyboard.press("f")
    tab.wait_for_url("**/findings")


LAYOUT = """async () => {
  const { treeOf, squarify, meanOf, mostOf, plain } = await import("/static/tree.js");
  const files = [...Array(300).keys()].map((it) => `f${it % 7}/g${it % 3}/n${it}.py`);
  const lines = files.map((_, it) => (it * 37) % 101 + 1);
  const root = treeOf(files, lines);
  const boxes = [];
  squarify(root.children, 0, 0, 600, 400, (it, ...box) => boxes.push([it.lines, ...box]));
  const owners = files.map((_, it) => (it % 7 ? "ada" : null));
  return { boxes, total: root.lines, mean: meanOf(root, lines), owner: mostOf(root, owners),
    plain: plain("a\\u202eb\\nc") };
}"""


def test_the_treemap_fills_its_frame_with_areas_by_lines(tab: Any) -> None:
    found = tab.evaluate(LAYOUT)
    sizes = [(it * 37) % 101 + 1 for it in range(300)]
    assert found["total"] == sum(sizes)
    for lines, x, y, width, height in found["boxes"]:
        assert width * height == pytest.approx(600 * 400 * lines / sum(sizes))
        assert 0 <= x <= x + width <= 600.001
        assert 0 <= y <= y + height <= 400.001
    assert found["mean"] == pytest.approx(sum(it * it for it in sizes) / sum(sizes))
    assert found["owner"] == "ada"
    assert found["plain"] == "a\\u{202e}b\\u{a}c"


def test_comments_strings_numbers_and_keywords_are_found_across_lines(tab: Any) -> None:
    lines = ["int a = 7; /* one", "two */ if (b) // three", "c = 'it\\'s' + `four", "five`; # no"]
    found = tab.evaluate(
        """async (lines) => {
            const { parts } = await import("/static/highlight.js");
            const found = [];
            parts(lines, "javascript", (kind, line, start, end) =>
                found.push([kind, lines[line].slice(start, end)]));
            return found;
        }""",
        lines,
    )
    assert found == [
        ["number", "7"],
        ["comment", "/* one"],
        ["comment", "two */"],
        ["keyword", "if"],
        ["comment", "// three"],
        ["string", "'it\\'s'"],
        ["string", "`four"],
        ["string", "five`"],
    ]


def test_a_card_is_shown_beside_a_name_with_the_pointer_and_with_the_keyboard(tab: Any) -> None:
    go(tab, "/source?path=shop/cart.py")
    name = tab.locator("#L5 .c a", has_text="tangle")
    name.hover()
    tab.wait_for_selector("#card >> text=tangle(rows, limits)")
    tab.keyboard.press("Escape")
    assert tab.locator("#card").count() == 0
    tab.mouse.move(1, 1)
    name.focus()
    tab.wait_for_selector("#card >> text=2 uses")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("h1 >> text=pricing.py")
    assert tab.evaluate("location.hash") == "#L1"


def test_the_focus_stays_on_its_link_when_a_changed_file_renews_the_page(
    tab: Any, hostile_repository: Path
) -> None:
    go(tab, "/source?path=shop/cart.py")
    tab.locator("#L5 .c a", has_text="tangle").focus()
    tab.evaluate("document.querySelector('main').dataset.old = 'yes'")
    file = hostile_repository / "shop/cart.py"
    file.write_bytes(file.read_bytes())
    tab.wait_for_selector("main:not([data-old])")
    tab.wait_for_function("document.activeElement.textContent === 'tangle'")


def test_lines_far_away_are_not_laid_out_until_they_are_chosen(
    tab: Any, hostile_repository: Path
) -> None:
    text = "".join(f"name_{at} = {at}\n" for at in range(1, 801))
    (hostile_repository / "shop/long.py").write_text(text, encoding="utf-8")
    go(tab, "/source?path=shop/long.py")
    is_laid_out = "it => document.getElementById(it).checkVisibility({contentVisibilityAuto: true})"
    assert tab.evaluate(is_laid_out, "L1")
    assert not tab.evaluate(is_laid_out, "L700")
    tab.evaluate("location.hash = 'L700'")
    tab.wait_for_function(f"({is_laid_out})('L700')")
    tab.keyboard.press("j")
    box = tab.locator("#L701").bounding_box()
    assert 0 <= box["y"] < tab.viewport_size["height"]
    assert tab.locator("#L701 td.n").bounding_box()["x"] == box["x"]


def test_findings_functions_and_lines_are_reached_by_keys(tab: Any) -> None:
    go(tab, "/source?path=shop/pricing.py")
    tab.keyboard.press("n")
    assert tab.evaluate("location.hash") == "#L1"
    assert "complex" in tab.locator("#L1 td.f").inner_text()
    tab.keyboard.press("]")
    assert tab.evaluate("location.hash") == "#L15"
    tab.keyboard.press("j")
    assert tab.evaluate("location.hash") == "#L16"
    tab.keyboard.press("h")
    tab.wait_for_selector("html[data-ready] td.h")


def test_a_page_without_script_has_its_text_its_links_and_its_findings(
    browser: Any, served: str
) -> None:
    with tab_in(browser, served, offline=False, java_script_enabled=False) as tab:
        tab.wait_for_selector("main")  # the key in the address is exchanged for a cookie
        tab.goto(f"{tab.url}source?path=shop/cart.py")
        assert "return tangle(rows, [1])" in tab.locator("#L5").inner_text()
        tab.locator("#L5 .c a", has_text="tangle").click()
        assert "pricing.py" in tab.locator("h1").inner_text()
        tab.locator("details.mark summary").first.click()
        assert tab.locator("details.mark a").first.is_visible()
        tab.locator("#compose input[name=line]").fill("3")
        tab.locator("#compose textarea").fill("Without script.")
        tab.locator("#compose button", has_text="Add").click()
        assert "Without script." in tab.locator(".noted").inner_text()
