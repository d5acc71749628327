"""Points, bars, matrices and checklists, with their fields and colours, as Vega-Lite has them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchpin.present.pictures import VEGA_LITE, Specification

Kind = Literal["quantitative", "nominal", "ordinal", "temporal"]
_HEIGHT = 420
# A page of this width has room for labels; what a character and a line of them take.
_NARROW_PX, _CHAR_PX, _LINE_PX = 700, 6.5, 16
# The part of the width that is free on the chosen side of a point: the end of an axis is a round
# number, up to a quarter beyond the last point, so that the middle of all points is at 0.4.
_ROOM = 0.4
RED, ORANGE, BLUE, GREEN, GREY = "#d55e00", "#e69f00", "#0072b2", "#009e73", "#8a929b"

LEVELS = {"error": RED, "warning": ORANGE, "note": BLUE}
_STEP = 24


# Fields of rows as Vega-Lite names them: which field, of which type, with which title.


@dataclass(frozen=True, slots=True)
class Shown:
    """A field of the rows and how people read it."""

    field: str
    title: str
    """With its unit, as an axis or a legend has it."""
    kind: Kind = "quantitative"
    format: str = ""
    """How a number is written: a format of d3 such as `.0%`."""
    is_count: bool = False
    """Whether there is nothing between two whole numbers."""

    def channel(self, **more: object) -> dict[str, object]:
        found: dict[str, object] = {"field": self.field, "type": self.kind, "title": self.title}
        if self.format:
            found["format"] = self.format
        return found | more

    def axis(self, **more: object) -> dict[str, object]:
        """Return the field as a positional channel has it, with the format on its axis."""
        found: dict[str, object] = {"field": self.field, "type": self.kind, "title": self.title}
        axis: dict[str, object] = {"tickCount": 8} if self.kind == "quantitative" else {}
        axis |= {"format": self.format} if self.format else {}
        axis |= {"tickMinStep": 1} if self.is_count else {}
        return found | ({"axis": axis} if axis else {}) | more


def tooltip(*fields: Shown) -> list[dict[str, object]]:
    return [it.channel() for it in fields]


def _names(
    x: Shown, y: Shown, label: Shown, chosen: str, align: str, shift: int
) -> dict[str, object]:
    most = {"op": "max", "field": x.field, "as": "most"}
    return {
        "transform": [{"joinaggregate": [most]}, {"filter": chosen}],
        "mark": {
            "type": "text",
            "align": align,
            "dx": shift,
            "baseline": "bottom",  # above the axis, even of a point on it
            "limit": {"expr": f"min(260, {_ROOM} * width - {abs(shift)})"},
        },
        "encoding": {"x": x.axis(), "y": y.axis(), "text": {"field": label.field}},
    }


def _description(shown: Sequence[Shown]) -> str:
    """Return an expression for what a screen reader says about a point."""
    parts = (f"{json.dumps(f'{it.title}: ')} + datum[{json.dumps(it.field)}]" for it in shown)
    return " + '; ' + ".join(parts)


def labels_apart(points: Sequence[tuple[float, float, str]], most: int) -> frozenset[int]:
    """Return which points of a scatter get a label: the first ones whose labels do not overlap.

    Room is measured on a narrow page: on a wider one labels are farther apart.
    """
    last_x = max((x for x, _, _ in points), default=0) or 1
    last_y = max((y for _, y, _ in points), default=0) or 1
    taken: list[tuple[float, float, float]] = []
    chosen: list[int] = []
    for at, (x, y, label) in enumerate(points):
        if len(chosen) == most:
            break
        place, size = x / last_x * _NARROW_PX, min(260, len(label) * _CHAR_PX)
        # On the side of the point that has room, as `scatter` draws it.
        start = place - 16 - size if x >= last_x / 2 else place + 16
        top = y / last_y * _HEIGHT
        if all(
            abs(top - other) > _LINE_PX or start + size < left or right < start
            for left, right, other in taken
        ):
            taken.append((start, start + size, top))
            chosen.append(at)
    return frozenset(chosen)


def scatter(
    x: Shown,
    y: Shown,
    *,
    label: Shown,
    size: Shown | None = None,
    color: dict[str, object] | None = None,
    more: Sequence[Shown] = (),
    labelled: str = "",
) -> Specification:
    """Return points; those whose field `labelled` is true have their label beside them."""
    shown = (label, x, y, *([] if size is None else [size]), *more)
    point: dict[str, object] = {
        "x": x.axis(scale={"zero": True, "nice": True}),
        "y": y.axis(scale={"zero": True, "nice": True}),
        "tooltip": tooltip(*shown),
        "color": color or {"value": "#0072b2"},
    }
    if size is not None:
        point["size"] = size.channel(scale={"range": [30, 700]})
    layers: list[dict[str, object]] = [
        {
            "mark": {
                "type": "circle",
                "opacity": 0.75,
                "stroke": "white",
                "strokeWidth": 0.5,
                # A point of unknown colour is drawn too.
                "invalid": None,
                "description": {"expr": _description(shown)},
            },
            "encoding": point,
        }
    ]
    if labelled:
        # Beside the point, on the side that has room.
        layers += [
            _names(x, y, label, f"datum.{labelled} && {side}", align, shift)
            for side, align, shift in (
                (f"datum.{x.field} >= datum.most / 2", "right", -16),
                (f"datum.{x.field} < datum.most / 2", "left", 16),
            )
        ]
    return {
        "$schema": VEGA_LITE,
        "data": {"name": "rows"},
        "height": _HEIGHT,
        "layer": layers,
    }


# Colours with a meaning, which people with any kind of colour blindness tell apart.


def by_level(field: str, title: str) -> dict[str, object]:
    """Return the colour channel of a field with the severity of findings."""
    scale = {"domain": [*LEVELS], "range": [*LEVELS.values()]}
    return {"field": field, "type": "nominal", "title": title, "scale": scale}


def by_share(field: str, title: str) -> dict[str, object]:
    """Return the colour channel of a field from 0 to 1, where more is worse; grey if unknown."""
    scale = {"domain": [0, 1], "range": ["#f6d9a8", "#e69f00", RED, "#7f0000"]}
    legend = {"format": ".0%"}
    known: dict[str, object] = {
        "test": f"isValid(datum.{field})",
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": scale,
        "legend": legend,
    }
    return {"condition": known, "value": GREY}


# Horizontal bars, one row for each thing; parts of a bar are coloured.


def stacked_bars(
    label: Shown,
    value: Shown,
    part: Shown,
    colors: Mapping[str, str] | None = None,
    more: Sequence[Shown] = (),
) -> Specification:
    """Return bars made of parts, in the order of the rows; negative parts go to the left."""
    scale = {} if colors is None else {"domain": [*colors], "range": [*colors.values()]}
    return {
        "$schema": VEGA_LITE,
        "data": {"name": "rows"},
        "height": {"step": _STEP},
        "mark": {"type": "bar"},
        "encoding": {
            "y": _labels(label),
            "x": value.axis(),
            "color": part.channel(scale=scale, legend={"orient": "bottom", "columns": 4}),
            "order": {"field": "part_order", "type": "quantitative"},
            "tooltip": tooltip(label, part, value, *more),
        },
    }


def _ends(narrow: int, wide: int) -> str:
    """Return labels that keep their ends, in characters: paths differ there."""
    room = f"(width < 500 ? {narrow} : {wide})"
    cut = f"'…' + slice(datum.label, 1 - {room})"
    return f"length(datum.label) > {room} ? {cut} : datum.label"


def _labels(label: Shown) -> dict[str, object]:
    axis = {
        "labelExpr": _ends(24, 60),
        "labelLimit": {"expr": "width < 500 ? 170 : 400"},
        "ticks": False,
        "domain": False,
    }
    return {
        "field": label.field,
        "type": "nominal",
        "title": None,
        "sort": _by("order"),
        "axis": axis,
    }


def _by(field: str) -> dict[str, str]:
    return {"field": field, "op": "min"}


def matrix(x: Shown, y: Shown, color: Shown, count: Shown) -> Specification:
    """Return a grid of two lists of names; a cell has a colour and a number."""
    turned = {"labelAngle": -40, "labelLimit": 130, "title": None}
    cell = {
        "x": {"field": x.field, "type": "nominal", "sort": _by("column_order"), "axis": turned},
        "y": {
            "field": y.field,
            "type": "nominal",
            "sort": _by("row_order"),
            "axis": {
                "title": None,
                "labelExpr": _ends(18, 42),
                "labelLimit": {"expr": "width < 500 ? 130 : 290"},
            },
        },
    }
    shade = {"domain": [0.5, 1], "range": ["#cfe1f2", "#08519c"]}
    return {
        "$schema": VEGA_LITE,
        "data": {"name": "rows"},
        "height": {"step": _STEP},
        "layer": [
            {
                "mark": {"type": "rect", "cornerRadius": 2},
                "encoding": {
                    **cell,
                    "color": color.channel(scale=shade, legend={"format": ".0%"}),
                    "tooltip": tooltip(
                        Shown("first", "File", "nominal"),
                        Shown("second", "Changes with", "nominal"),
                        count,
                        color,
                    ),
                },
            },
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    **cell,
                    "text": {"field": count.field, "type": "quantitative"},
                    "color": {
                        "condition": {"test": f"datum.{color.field} > 0.75", "value": "white"},
                        "value": "black",
                    },
                },
            },
        ],
    }


_CHECK_STEP = 28
MARKS = {"passed": "✓", "failed": "✗", "not measured": "?", "reported": "!"}
_COLORS = {"passed": GREEN, "failed": RED, "not measured": GREY, "reported": ORANGE}


def checklist() -> Specification:
    """Return lines of text; rows have `mark`, `status`, `check`, `limit_text` and `result`."""
    scale = {"domain": [*_COLORS], "range": [*_COLORS.values()]}
    color = {"field": "status", "type": "nominal", "scale": scale, "legend": None}
    return {
        "$schema": VEGA_LITE,
        "data": {"name": "rows"},
        "height": {"step": _CHECK_STEP},
        "encoding": {
            "y": {
                "field": "check",
                "type": "nominal",
                "sort": {"field": "order", "op": "min"},
                "axis": {"title": None, "ticks": False, "domain": False, "labelFontWeight": 600},
            },
            "tooltip": [
                {"field": name, "type": "nominal", "title": name.capitalize()}
                for name in ("check", "status", "result")
            ],
        },
        "layer": [
            {
                "mark": {"type": "text", "align": "left", "fontSize": 17, "fontWeight": 700},
                "encoding": {"x": {"value": 4}, "text": {"field": "mark"}, "color": color},
            },
            {
                "mark": {"type": "text", "align": "left", "fontWeight": 600},
                "encoding": {"x": {"value": 26}, "text": {"field": "limit_text"}},
            },
            {
                "mark": {"type": "text", "align": "left", "limit": {"expr": "width - 130"}},
                "encoding": {"x": {"value": 130}, "text": {"field": "result"}},
            },
        ],
    }
