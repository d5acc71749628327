"""Points by two numbers: what is far to the right and high up is what to look at first."""

import json
from collections.abc import Sequence

from benchpin.present.pictures import VEGA_LITE, Specification

from ._fields import Shown, tooltip

_HEIGHT = 420
# The part of the width that is free on the chosen side of a point: the end of an axis is a round
# number, up to a quarter beyond the last point, so that the middle of all points is at 0.4.
_ROOM = 0.4


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
