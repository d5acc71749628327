"""Pictures of a report: declared once in its view, drawn in pages, SVG, PNG and text.

A picture is a Vega or Vega-Lite specification without data, and the rows that it shows:

    Picture["LongFilesReport"](
        name="sizes",
        title="Lines of the longest files",
        rows=lambda it: [{"file": row.path, "lines": row.lines} for row in it.files],
        spec={
            "$schema": VEGA_LITE,
            "data": {"name": "rows"},
            "mark": "bar",
            "encoding": {
                "y": {"field": "file", "type": "nominal"},
                "x": {"field": "lines", "type": "quantitative"},
            },
        },
        alt=lambda it, rows: f"{rows[0]['file']} is the longest of {counted(it.total, 'file')}",
        text=bars("file", "lines"),
        link="file",
    )

A specification has a height and no width: pages draw it as wide as there is room, files 900 pixels
wide. It names no font, background or colour of text: those come from `theme`, light or dark.
Vega has `{"name": "rows"}` as the first entry of its `data`.

`drawn` returns what every output needs: pages embed it (`page.figure`), `vega.to_svg` and
`vega.to_png` render it, and MCP apps are handed it as JSON (`Drawn.to_fields`). A click on a mark
whose row has the field `link` fires the DOM event `benchpin:open` with the row as its detail; the
page that embeds the picture decides what it does with it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from benchpin.core.text import plain

# Pictures of a protocol fit every report that has what it asks for.
R_contra = TypeVar("R_contra", contravariant=True)

VEGA_LITE = "https://vega.github.io/schema/vega-lite/v6.json"
VEGA = "https://vega.github.io/schema/vega/v6.json"

Value = str | int | float | bool | None
PictureRow = Mapping[str, Value]
Specification = Mapping[str, object]

# The limit of one text: names of 4 kB only fill the page.
_MAX_CHARS = 2_000
_TAB = 4


@dataclass(frozen=True)
class Picture(Generic[R_contra]):
    """One picture of a report."""

    name: str
    """What the argument `picture` chooses it by."""
    title: str
    rows: Callable[[R_contra], Sequence[PictureRow]]
    """Its data, in a stable order and bounded; empty if there is nothing to see."""
    spec: Specification | Callable[[R_contra], Specification]
    alt: Callable[[R_contra, Sequence[PictureRow]], str]
    """What one sees in it, in a sentence, from the report and the rows."""
    text: Callable[[Sequence[PictureRow]], Iterable[str]] = lambda _rows: ()
    """Its form for a terminal that shows no images, from the same rows."""
    link: str = ""
    """The field of a row that says where it is from: a path, or `path:line`."""
    is_variant: bool = False
    """Whether a control of another picture leads to it; pages leave it out."""

    def drawn(self, report: R_contra) -> "Drawn | None":
        rows = self.rows(report)
        if not rows:
            return None
        return Drawn(
            name=self.name,
            title=self.title,
            spec=self.spec(report) if callable(self.spec) else self.spec,
            rows=[{name: shown(value) for name, value in row.items()} for row in rows],
            alt=plain(self.alt(report, rows)),
            link=self.link,
        )


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture of one report; nothing in its rows moves a cursor or reorders text."""

    name: str
    title: str
    spec: Specification
    rows: Sequence[PictureRow]
    alt: str
    link: str

    def with_data(self, *, width: int, theme: Mapping[str, object]) -> dict[str, object]:
        """Return the whole specification: with rows, a width and a theme."""
        spec: dict[str, object] = {**self.spec, "width": width}
        config = self.spec.get("config")
        spec["config"] = {**theme, **(config if isinstance(config, Mapping) else {})}
        data = self.spec["data"]
        if isinstance(data, Sequence):  # Vega
            spec["data"] = [{**data[0], "values": list(self.rows)}, *data[1:]]
        else:
            spec["datasets"] = {"rows": list(self.rows)}
        return spec

    def to_fields(self) -> dict[str, object]:
        return {
            "name": self.name,
            "title": self.title,
            "alt": self.alt,
            "link": self.link,
            "spec": self.spec,
            "rows": self.rows,
        }


def shown(value: Value) -> Value:
    """Return a value of a row without control and direction characters; a long text is cut."""
    if not isinstance(value, str):
        return value
    lines = value[:_MAX_CHARS].expandtabs(_TAB).split("\n")
    return "\n".join(map(plain, lines)) + ("…" if len(value) > _MAX_CHARS else "")


# Okabe and Ito's colours, which people with any kind of colour blindness tell apart.
_CATEGORIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
_GREY = {"light": "#8a929b", "dark": "#7d868f"}


def theme(*, is_dark: bool = False, background: str | None = None) -> dict[str, object]:
    ink, faint, line = (
        ("#e6e8eb", "#aab2bb", "#3a4048") if is_dark else ("#1c1e21", "#5a626b", "#dfe3e8")
    )
    labels = {"labelColor": faint, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": background,
        "font": "system-ui, sans-serif",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": 4,
        "title": {
            "color": ink,
            "fontSize": 15,
            "anchor": "start",
            "frame": "bounds",
            "offset": 14,
            "subtitleColor": faint,
            "subtitleFontSize": 12,
            "subtitlePadding": 6,
        },
        "text": {"fill": ink, "fontSize": 12},
        "style": {"guide-label": {"fill": faint}, "guide-title": {"fill": ink, "fontWeight": 600}},
        "axis": {
            **labels,
            "titleFontWeight": 600,
            "gridColor": line,
            "domainColor": line,
            "tickColor": line,
            "labelLimit": 260,
        },
        "legend": {**labels, "titleFontWeight": 600, "titleLimit": 600, "labelLimit": 260},
        "header": labels,
        "view": {"stroke": None},
        "range": {
            "category": [*_CATEGORIES, _GREY["dark" if is_dark else "light"]],
            "ramp": {"scheme": "viridis"},
            "heatmap": {"scheme": "viridis"},
        },
    }
