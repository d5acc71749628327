import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchpin.performance.exports import Flames
from benchpin.performance.exports._flamegraph import flames_page
from benchpin.performance.exports._flames import FunctionTotals
from browsers import chromium, tab_in

from .test_flamegraph import EVIL, difference

pytestmark = pytest.mark.slow
MANY = 100_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Give one browser to all tests here."""
    with chromium() as running:
        yield running


def flames(names: list[str], parents: list[int], functions: list[int], own: list[int]) -> Flames:
    zeros = [0] * len(names)
    return Flames(
        title="/shop",
        noun="wall time",
        unit="nanoseconds",
        names=names,
        hues=zeros,
        places=[""] * len(names),
        parents=parents,
        functions=functions,
        calls=[1] * len(parents),
        self=own,
        totals=FunctionTotals(calls=zeros, self=zeros, inclusive=zeros),
    )


def small() -> Flames:
    """main calls load (30 ms) and render (20 ms), which calls load (50 ms)."""
    own = [0, 30_000_000, 20_000_000, 50_000_000]
    return flames(["main", "load", EVIL], [-1, 0, 0, 2], [0, 1, 2, 1], own)


def large() -> Flames:
    chance = random.Random(1)  # noqa: S311 - a shape, not a secret
    parents = [-1, *(chance.randrange(max(0, it - 400), it) for it in range(1, MANY))]
    own = [int(chance.expovariate(1e-5)) for _ in parents]
    names = [f"App\\Part{it % 97}::method{it}" for it in range(5000)]
    return flames(names, parents, [chance.randrange(5000) for _ in parents], own)


def press(tab: Any, *keys: str) -> None:
    for key in keys:
        tab.locator(".flame-graph").press(key)


def test_a_flame_graph_is_searched_zoomed_and_read_by_keyboard(
    tmp_path: Path, browser: Any
) -> None:
    file = tmp_path / "page.html"
    file.write_text(flames_page(small()))
    with tab_in(browser, file) as tab:
        item = tab.locator(".flame-item")
        assert item.text_content() == "main: Total 100 ms (100.0 %), Self 0 ns (0.0 %), Calls 1"
        press(tab, "ArrowDown")
        assert (item.text_content() or "").startswith(f"{EVIL}: Total 70.0 ms (70.0 %)")
        press(tab, "Enter")
        assert tab.locator(".flame-path li").all_text_contents() == ["All calls", "main", EVIL]
        assert tab.locator(".flame-callees tbody").inner_text() == "load\t1\t50.0 ms (50.0 %)"
        tab.locator(".flame-callees button").click()
        rows = tab.locator(".flame-callers tbody tr").all_inner_texts()
        assert rows == [f"{EVIL}\t1\t50.0 ms (50.0 %)", "main\t1\t30.0 ms (30.0 %)"]
        tab.locator(".flame-search").fill("LOAD")
        assert tab.locator(".flame-found").text_content() == "2 frames, 80.0 ms (80.0 %)"
        press(tab, "Escape", "Escape")
        assert tab.locator(".flame-path li").all_text_contents() == ["All calls"]


def test_a_difference_lists_its_changes_and_shows_each_frame(tmp_path: Path, browser: Any) -> None:
    file = tmp_path / "page.html"
    file.write_text(flames_page(difference()))
    with tab_in(browser, file, viewport={"width": 400, "height": 800}, color_scheme="dark") as tab:
        row = tab.locator(".flame-changes tbody tr")
        assert row.inner_text().split("\t")[3:] == ["+400 samples (+80 %)", "slower"]
        row.locator("button").click()
        assert (tab.locator(".flame-details").text_content() or "").startswith("escape: Before 500")
        tab.get_by_label("before").check()
        assert tab.locator(".flame-path li").count() == 4
        assert tab.evaluate("document.documentElement.scrollWidth") == 400


_STEPS = """() => {
  const graph = document.querySelector(".flame-graph");
  const search = document.querySelector(".flame-search");
  graph.focus();
  for (const key of ["ArrowDown", "Enter", "0", "ArrowRight"]) {
    graph.dispatchEvent(new KeyboardEvent("keydown", { key }));
  }
  search.value = "method1";
  search.dispatchEvent(new Event("input"));
}"""


def test_a_hundred_thousand_frames_can_be_used(tmp_path: Path, browser: Any) -> None:
    file = tmp_path / "page.html"
    file.write_text(flames_page(large()))
    with tab_in(browser, file, viewport={"width": 1280, "height": 800}) as tab:
        tab.evaluate(_STEPS)
        assert "frames" in (tab.locator(".flame-found").text_content() or "")
