"""Horizontal bars, one row for each thing; parts of a bar are coloured."""

from collections.abc import Mapping, Sequence

from benchpin.present.pictures import VEGA_LITE, Specification

from ._fields import Shown, tooltip

_STEP = 24


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


def _labels(label: Shown) -> dict[str, object]:
    axis = {"labelLimit": {"expr": "width < 500 ? 150 : 380"}, "ticks": False, "domain": False}
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
            "axis": {"title": None, "labelLimit": {"expr": "width < 500 ? 110 : 260"}},
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
