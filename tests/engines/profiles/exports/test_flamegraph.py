import json
import re
from html.parser import HTMLParser

import pytest

from benchpin.core import InvalidParams
from benchpin.engines.profiles.exports.flamegraph import (
    SCRIPT_NAME,
    STYLE_NAME,
    asset,
    to_flame_graph_page,
)
from spx_kit import read_named, read_text

MIX_05 = "spx-full-20261115_060902-vm-5395-1804289383"
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;"


class _Page(HTMLParser):
    """The elements of a page, with the text of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._is_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._is_script = tag == "script"

    def handle_data(self, data: str) -> None:
        if self._is_script:
            self.scripts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._is_script = self._is_script and tag != "script"


def test_names_cannot_break_out_of_the_page() -> None:
    text = f"[events]\n0 1 0\n1 1 10\n1 0 30\n0 0 60\n[functions]\n{EVIL}\nb\n"
    page = _Page(to_flame_graph_page(read_text(text), title=EVIL))
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert "img" not in {tag for tag, _ in page.elements}
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    data = json.loads(page.scripts[0])
    assert data["names"] == [EVIL, "b", "(other)"]


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = to_flame_graph_page(read_named(MIX_05))
    elements = _Page(page).elements
    assert {"src", "href"}.isdisjoint({name for _, attributes in elements for name in attributes})
    written = asset(SCRIPT_NAME) + asset(STYLE_NAME)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|innerHTML|eval\(", written)
    [policy] = [it["content"] or "" for _, it in elements if "http-equiv" in it]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_the_graph_adds_up() -> None:
    profile = read_named(MIX_05)
    for place, metric in enumerate(("wt", "ct")):
        data = json.loads(_Page(to_flame_graph_page(profile, metric)).scripts[0])
        assert sum(data["self"]) == sum(cost.self[place] for cost in profile.functions)
        assert sum(data["calls"]) == sum(cost.calls for cost in profile.functions)
        assert data["unit"] == "nanoseconds"


def test_the_page_can_be_used_without_seeing_the_graph() -> None:
    page = _Page(to_flame_graph_page(read_named(MIX_05)))
    tags = [tag for tag, _ in page.elements]
    assert {"main", "h1", "table", "label", "output"} <= set(tags)
    assert ("html", {"lang": "en"}) in page.elements
    assert "tree" in {attributes.get("role") for _, attributes in page.elements}


def test_a_metric_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidParams):
        to_flame_graph_page(read_named(MIX_05), "io")
