import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from io import BytesIO
from xml.etree import ElementTree as ET

import pytest

from artifact_kit import read_format
from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.performance.calls import tree_difference
from benchpin.performance.exports import (
    Flames,
    flame_script,
    flame_style,
    to_flame_svg,
)
from benchpin.performance.exports._flamegraph import flames_page
from benchpin.performance.exports._flames import flames_of, flames_of_difference, hue_of
from benchpin.performance.reading import Budget
from benchpin.performance.values import Profile
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
    page = _Page(flames_page(flames_of(read_text(text), title=EVIL)))
    assert [tag for tag, _ in page.elements].count("script") == 3
    assert "img" not in {tag for tag, _ in page.elements}
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    data = json.loads(page.scripts[0])
    assert data["names"] == [EVIL, "b", "(other)"]


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = flames_page(flames_of(read_named(MIX_05)))
    elements = _Page(page).elements
    assert {"src", "href"}.isdisjoint({name for _, attributes in elements for name in attributes})
    written = flame_script() + flame_style()
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|innerHTML|eval\(", written)
    [policy] = [it["content"] or "" for _, it in elements if "http-equiv" in it]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe-eval" not in policy
    assert "unsafe" not in policy.partition("script-src")[2]


def test_the_graph_adds_up() -> None:
    profile = read_named(MIX_05)
    for place, metric in enumerate(("wt", "ct")):
        data = json.loads(_Page(flames_page(flames_of(profile, metric))).scripts[0])
        assert sum(data["self"]) == sum(cost.self[place] for cost in profile.functions)
        assert sum(data["calls"]) == sum(cost.calls for cost in profile.functions)
        assert data["unit"] == "nanoseconds"


def test_the_page_can_be_used_without_seeing_the_graph() -> None:
    page = _Page(flames_page(flames_of(read_named(MIX_05))))
    tags = [tag for tag, _ in page.elements]
    assert {"main", "h1", "table", "label", "output"} <= set(tags)
    assert ("html", {"lang": "en"}) in page.elements
    assert "tree" in {attributes.get("role") for _, attributes in page.elements}


def test_a_metric_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidParams):
        flames_of(read_named(MIX_05), "io")


def collapsed(text: str) -> Profile:
    return read_format("collapsed", BytesIO(text.encode()), Budget(), Job())


def runs(template: str, values: Sequence[int]) -> list[Profile]:
    return [collapsed(template.format(value)) for value in values]


TREE = "main;load 1000\nmain;render;escape {}\nmain;render;draw 300\n"


def difference() -> Flames:
    before = runs(TREE, [500, 510, 490, 505, 495])
    found = tree_difference(before, runs(TREE, [900, 910, 890, 905, 895]))
    return flames_of_difference(found, "/shop")


def test_a_title_has_the_human_name_and_the_summary_the_total_with_its_unit() -> None:
    flames = flames_of(read_named(MIX_05))
    assert flames.heading.startswith("Flame graph of ")
    assert MIX_05 not in flames.heading
    assert flames.summary.startswith(f"{flames.shown(flames.whole)} wall time in ")
    assert flames.shown(flames.whole).endswith(" ms")


@pytest.mark.parametrize(
    ("cost", "shown"),
    [(0, "0 ns"), (999, "999 ns"), (1_500, "1.50 µs"), (61_800_000, "61.8 ms"), (-2e9, "-2.00 s")],
)
def test_times_are_shown_with_three_digits(cost: float, shown: str) -> None:
    assert flames_of(read_named(MIX_05)).shown(cost) == shown


def test_names_that_reorder_or_move_text_are_made_visible() -> None:
    text = "[events]\n0 1 0\n0 0 60\n[functions]\n\u202eevil\x1b[2J\n"
    flames = flames_of(read_text(text))
    assert flames.names[0] == "\\u202eevil\\x1b[2J"
    assert "\u202e" not in to_flame_svg(flames) + flames_page(flames)


def test_functions_of_one_class_have_one_colour() -> None:
    assert hue_of("App\\Cart::add") == hue_of("App\\Cart::remove") != hue_of("wpdb::query")


def test_only_what_is_beyond_noise_is_coloured_in_a_difference() -> None:
    flames = difference()
    assert flames.kinds
    assert flames.verdicts
    assert flames.below
    assert flames.changes
    kinds = {
        flames.names[function]: (flames.kinds[own], flames.kinds[all_])
        for function, own, all_ in zip(flames.functions, flames.verdicts, flames.below, strict=True)
    }
    assert kinds == {
        "main": ("same", "slower"),
        "render": ("same", "slower"),
        "escape": ("slower", "slower"),
        "draw": ("same", "same"),
        "load": ("same", "same"),
    }
    assert [flames.names[flames.functions[it]] for it in flames.changes] == ["escape"]
    assert flames.summary == (
        "1,800 samples before (5 profiles), 2,200 samples after (5 profiles), samples, on average."
    )


def test_the_svg_has_every_wide_call_with_its_change_in_words() -> None:
    drawing = to_flame_svg(difference())
    root = ET.fromstring(drawing)  # noqa: S314 - we wrote it
    titles = [it.text for it in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles[0] == "Diff flame graph of /shop"
    assert "escape: 500 samples before, 900 samples after, slower" in titles
    assert len(titles) == 6
    assert "#ee9a82" in drawing
    assert "script" not in drawing


def test_the_svg_of_hostile_names_is_whole() -> None:
    text = f"[events]\n0 1 0\n0 0 60\n[functions]\n{EVIL}\n"
    drawing = to_flame_svg(flames_of(read_text(text), title=EVIL))
    root = ET.fromstring(drawing)  # noqa: S314 - we wrote it
    assert EVIL in "".join(root.itertext())


@pytest.mark.parametrize(
    ("title", "shown"), [("/home/me/run.pstats", "run.pstats"), ("runs/a.pstats", "runs/a.pstats")]
)
def test_a_title_that_is_a_whole_path_is_the_name_of_the_file(title: str, shown: str) -> None:
    flames = flames_of(read_text("main;work 5\nmain 1\n"), title=title)
    assert flames.title == shown
