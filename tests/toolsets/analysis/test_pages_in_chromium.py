"""Pages of reports in a real browser: offline, with a strict policy, and with hostile names."""

from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.present import Report
from browsers import opened
from repositories import Tree

HOSTILE = (
    'x/<img src=x onerror="window.harmed=1">.py',
    "x/\u202etxt.py",
    "x/a\x1b[31m\nb.py",
    'x/"><script>window.harmed=2<.py',
    f"x/{'n' * 240}.py",
)
CODE = b"def f(a):\n    if a:\n        return 1\n    return 2\n"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of an analysis of a project whose names try to break it."""
    root = tmp_path_factory.mktemp("hostile")
    Tree(root).commit(dict.fromkeys(("src/plain.py", *HOSTILE), CODE))
    report = Workbench.open(root).call("analyze_comprehensive", format="html")
    assert isinstance(report, Report)
    place = tmp_path_factory.mktemp("page") / "page.html"
    place.write_text(report.to_text(), encoding="utf-8")
    return place


def labels(tab: Any) -> str:
    return str(tab.locator(".drawing").first.text_content())


@pytest.mark.slow
def test_a_page_draws_offline_and_runs_nothing_that_a_name_contains(page: Path) -> None:
    for width, scheme in ((1_280, "light"), (400, "dark")):
        with opened(page, viewport={"width": width, "height": 900}, color_scheme=scheme) as tab:
            tab.locator(".drawing svg").first.wait_for()
            assert tab.evaluate("window.harmed") is None
            assert tab.evaluate("document.images.length") == 0
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
            assert "\u202e" not in tab.content()
            assert "plain.py" in labels(tab)


@pytest.mark.slow
def test_a_treemap_opens_a_folder_and_changes_its_colours(page: Path) -> None:
    with opened(page, viewport={"width": 1_280, "height": 900}) as tab:
        tab.locator(".drawing svg").first.wait_for()
        tab.locator(".drawing text", has_text="src: 4 lines").first.click()
        tab.wait_for_function("!document.querySelector('.drawing').textContent.includes('x:')")
        assert "plain.py" in labels(tab)
        tab.locator(".vega-bindings select").first.select_option("commits")
        tab.wait_for_function(
            "document.querySelector('.drawing svg').textContent.includes('1 to 2')"
        )
