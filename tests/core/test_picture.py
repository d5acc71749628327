import json
import re
import sys
from xml.etree import ElementTree as ET

import pytest

from benchpin.core.errors import DependencyMissing, InvalidParams
from benchpin.present import Excerpt, ExcerptGroup, Report, View
from benchpin.present.page import as_script, excerpts, figure, page, text
from benchpin.present.pictures import (
    VEGA,
    VEGA_LITE,
    Drawn,
    Picture,
    PictureRow,
    bars,
    over_time,
    theme,
)
from benchpin.present.pictures._vega import _render as render

HOSTILE = '</script><img src=x onerror=alert(1)>\u2028\u202e"\x1b[31m&amp;'
BARS = {
    "$schema": VEGA_LITE,
    "data": {"name": "rows"},
    "mark": "bar",
    "encoding": {
        "y": {"field": "file", "type": "nominal"},
        "x": {"field": "lines", "type": "quantitative"},
    },
}


class Sizes(Report):
    files: dict[str, int]

    view = View["Sizes"](
        title="Sizes",
        headline=lambda it: [f"{len(it.files)} files"],
        pictures=(
            Picture(
                name="sizes",
                title="Lines",
                rows=lambda it: [{"file": name, "lines": n} for name, n in it.files.items()],
                spec=BARS,
                alt=lambda it, _: f"{len(it.files)} bars",
                text=bars("file", "lines"),
                link="file",
            ),
        ),
    )


def drawn(files: dict[str, int]) -> Drawn:
    return Sizes(files=files).chosen_picture()


def test_rows_of_a_picture_have_no_control_or_direction_characters_and_no_endless_names() -> None:
    found = drawn({HOSTILE: 1, "x" * 5_000: 2})
    names = [str(row["file"]) for row in found.rows]
    assert "\\u202e" in names[0]
    assert not re.search("[\x00-\x1f\u2028\u202e]", names[0])
    assert len(names[1]) == 2_001


def test_what_is_inside_a_script_is_ascii_without_markup_and_the_same_value() -> None:
    written = as_script({"name": HOSTILE})
    assert written.isascii()
    assert not set("<>&") & set(written)
    assert json.loads(written) == {"name": HOSTILE}


def test_a_figure_ends_no_script_early_and_starts_no_element() -> None:
    shown = figure(drawn({HOSTILE: 1}))
    assert shown.count("<script") == shown.count("</script") == 1
    assert "<img" not in shown
    assert "\u202e" not in shown
    assert "<" not in text(HOSTILE)


def test_a_page_allows_its_own_scripts_only() -> None:
    made = page("T", "<p>body</p>", scripts=["window.x = 1"])
    policy = re.search(r'content="(default-src [^"]*)"', made)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert policy[1].count("'sha256-") == 2
    assert "unsafe-eval" not in policy[1]


def test_the_data_is_put_where_vega_and_vega_lite_look_for_it() -> None:
    rows: list[PictureRow] = [{"a": 1}]
    lite = Drawn("n", "t", BARS, rows, "alt", "").with_data(width=500, theme={"font": "f"})
    assert (lite["datasets"], lite["width"], lite["config"]) == ({"rows": rows}, 500, {"font": "f"})
    spec = {"$schema": VEGA, "data": [{"name": "rows"}, {"name": "tree", "source": "rows"}]}
    full = Drawn("n", "t", spec, rows, "alt", "").with_data(width=500, theme={})
    assert full["data"] == [{"name": "rows", "values": rows}, {"name": "tree", "source": "rows"}]
    assert spec["data"][0] == {"name": "rows"}


def test_a_picture_is_drawn_as_svg_and_png() -> None:
    spec = drawn({"a.py": 3, HOSTILE: 5}).with_data(width=400, theme=theme())
    svg = render("svg", spec).decode()
    assert ET.fromstring(svg).tag.endswith("svg")  # noqa: S314 - made by ourselves
    assert "sans-serif" in svg
    assert render("png", spec).startswith(b"\x89PNG")


def test_a_report_with_nothing_to_draw_says_so() -> None:
    with pytest.raises(InvalidParams) as caught:
        Sizes(files={}, format="svg").to_text()
    assert "format=full" in caught.value.suggestion


def test_without_the_extra_pages_have_tables_and_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert "benchpin[look]" in Sizes(files={"a": 1}, format="html").to_text()
    with pytest.raises(DependencyMissing, match="look"):
        Sizes(files={"a": 1}, format="png").to_content()


def test_the_text_of_a_picture_has_bars_in_proportion_and_counts_the_rest() -> None:
    found = Sizes(files={"a.py": 100, "b.py": 50} | {f"{n}": 1 for n in range(20)}, format="png")
    lines = found.to_text().splitlines()
    assert lines[2:4] == [f"a.py  {'█' * 24} 100", f"b.py  {'█' * 12} 50"]
    assert lines[-1] == "and 7 more"


def test_numbers_over_time_are_one_line_of_blocks() -> None:
    rows: list[PictureRow] = [{"date": f"2026-0{n}", "health": n * 10} for n in (1, 2, 3)]
    assert list(over_time("date", "health")(rows)) == [
        "from 2026-01 to 2026-03",
        "health  ▁▅█  10 … 30",
    ]


def test_code_on_a_page_has_line_numbers_and_no_markup_of_its_own() -> None:
    passage = Excerpt("a<b.py", 7, ["if a < b:", f"\t{HOSTILE}"], frozenset({8}))
    [section] = excerpts([ExcerptGroup("one & two", [passage, passage])])
    assert section.html.count("<i>7</i>if a &lt; b:") == 2
    assert "<span class=m><i>8</i>    &lt;/script&gt;" in section.html
    assert "one &amp; two" in section.html
    assert excerpts([]) == []
