"""A list of checks with their outcome: what fails first, each with its limit and its value."""

from benchpin.present.pictures import VEGA_LITE, Specification

from ._palette import GREEN, GREY, ORANGE, RED

_STEP = 28
MARKS = {"passed": "✓", "failed": "✗", "not measured": "?", "reported": "!"}
_COLORS = {"passed": GREEN, "failed": RED, "not measured": GREY, "reported": ORANGE}


def checklist() -> Specification:
    """Return lines of text; rows have `mark`, `status`, `check`, `limit_text` and `result`."""
    scale = {"domain": [*_COLORS], "range": [*_COLORS.values()]}
    color = {"field": "status", "type": "nominal", "scale": scale, "legend": None}
    return {
        "$schema": VEGA_LITE,
        "data": {"name": "rows"},
        "height": {"step": _STEP},
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
