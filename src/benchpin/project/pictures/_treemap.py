"""The repository as a treemap: area is lines of code, colour is a measure; folders open."""

import json
from collections.abc import Sequence

from benchpin.present.pictures import VEGA, PictureRow, Specification

from ._coloring import UNKNOWN, Colors

_MAX_HEIGHT_PX = 560
_MIN_HEIGHT_PX = 120
# What each cell adds, so that three files are not as large as three thousand.
_CELL_HEIGHT = 12
_HEADER = 17
# The width in pixels from which the legend has room for all classes in one row.
_ONE_ROW_FROM = 560
_WIDE = "datum.x1 - datum.x0"
_HIGH = "datum.y1 - datum.y0"
_CLASS = "datum[colour + '_class']"


def treemap(colors: Colors, chosen: str, rows: Sequence[PictureRow]) -> Specification:
    """Return the treemap with a control for the colour, which starts with the chosen measure.

    A click on a folder shows it alone, a click on the folder that is shown its parent.
    """
    root = str(rows[0]["id"])
    known = [*colors.titles]
    chosen = chosen if chosen in known else known[0]
    names = [colors.titles[it] for it in known]
    return {
        "$schema": VEGA,
        "height": min(_MAX_HEIGHT_PX, _MIN_HEIGHT_PX + _CELL_HEIGHT * len(rows)),
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": [{"name": "rows"}, *_data(root)],
        "signals": [
            {
                "name": "colour",
                "value": chosen,
                "bind": {"input": "select", "options": known, "labels": names, "name": "Colour "},
            },
            {"name": "titles", "value": colors.titles},
            {"name": "labels", "value": colors.labels},
            {"name": "palettes", "value": colors.palettes},
            {
                "name": "root",
                "value": root,
                "on": [
                    {
                        "events": "@folder:click, @header:click",
                        "update": "datum.id === root ? datum.parent || root : datum.id",
                    }
                ],
            },
        ],
        "scales": [
            {
                "name": "class",
                "type": "ordinal",
                "domain": {"signal": "sequence(length(palettes[colour]))"},
                "range": {"signal": "palettes[colour]"},
            }
        ],
        "legends": [
            {
                "fill": "class",
                "title": {"signal": "titles[colour]"},
                "orient": "bottom",
                "direction": "horizontal",
                "columns": {"signal": f"width < {_ONE_ROW_FROM} ? 2 : 6"},
                "symbolType": "square",
                "encode": {
                    "labels": {"update": {"text": {"signal": "labels[colour][datum.value]"}}}
                },
            }
        ],
        "marks": _marks(),
    }


def _data(root: str) -> list[dict[str, object]]:
    """Return the rows below the folder that is shown, laid out."""
    return [
        {
            "name": "tree",
            "source": "rows",
            "transform": [
                {
                    "type": "filter",
                    "expr": f"datum.id === root || root === {json.dumps(root)} "
                    "|| indexof(datum.id, root + '/') === 0",
                },
                {
                    "type": "formula",
                    "as": "within",
                    "expr": "datum.id === root ? null : datum.parent",
                },
                {"type": "stratify", "key": "id", "parentKey": "within"},
                {
                    "type": "treemap",
                    "field": "lines",
                    "sort": {"field": "value", "order": "descending"},
                    "round": True,
                    "paddingInner": 1,
                    "paddingOuter": 1,
                    "paddingTop": _HEADER,
                    "ratio": 1.3,
                    "size": [{"signal": "width"}, {"signal": "height"}],
                },
            ],
        },
        {
            "name": "folders",
            "source": "tree",
            "transform": [{"type": "filter", "expr": "datum.is_open"}],
        },
        {
            "name": "cells",
            "source": "tree",
            "transform": [{"type": "filter", "expr": "!datum.is_open"}],
        },
    ]


def _box(**more: object) -> dict[str, object]:
    sides = {"x": "x0", "x2": "x1", "y": "y0", "y2": "y1"}
    return {side: {"field": field} for side, field in sides.items()} | more


def _marks() -> list[dict[str, object]]:
    tip = (
        "{title: datum.id + (datum.files ? ' (' + datum.files + ' files)' : ''), "
        "'Lines of code': format(datum.lines, ','), 'Complexity': datum.complexity, "
        "'Health': datum.health, 'Commits': datum.commits, 'Owner': datum.owner, "
        "'Days since change': datum.age, "
        "'Bug fix likely': isValid(datum.defects) ? format(datum.defects, '.0%') : null, "
        "'Covered': isValid(datum.coverage) ? format(datum.coverage, '.0%') : null}"
    )
    label = f"{_WIDE} > 34 && {_HIGH} > 13 ? datum.name : ''"
    color = f"isValid({_CLASS}) ? scale('class', {_CLASS}) : '{UNKNOWN}'"
    return [
        {
            "type": "rect",
            "name": "folder",
            "from": {"data": "folders"},
            "encode": {
                "update": _box(
                    fill={"value": "#5a626b"},
                    fillOpacity={"value": 0.2},
                    cursor={"value": "pointer"},
                    tooltip={
                        "signal": "{title: datum.id, 'Lines of code': format(datum.total, ',')}"
                    },
                )
            },
        },
        {
            "type": "rect",
            "name": "cell",
            "from": {"data": "cells"},
            "encode": {
                "update": _box(fill={"signal": color}, tooltip={"signal": tip}),
                "hover": {"stroke": {"value": "#000000"}, "strokeWidth": {"value": 2}},
            },
        },
        {
            "type": "text",
            "name": "header",
            "from": {"data": "folders"},
            "encode": {
                "update": {
                    "x": {"field": "x0", "offset": 3},
                    "y": {"field": "y0", "offset": 12},
                    "text": {
                        "signal": f"{_WIDE} > 30 && {_HIGH} > {_HEADER} "
                        "? datum.name + ': ' + format(datum.total, ',') + ' lines' : ''"
                    },
                    "limit": {"signal": f"{_WIDE} - 6"},
                    "fontWeight": {"value": 600},
                    "fontSize": {"value": 11},
                    "cursor": {"value": "pointer"},
                }
            },
        },
        {
            "type": "text",
            "interactive": False,
            "from": {"data": "cells"},
            "encode": {
                "update": {
                    "x": {"signal": "(datum.x0 + datum.x1) / 2"},
                    "y": {"signal": "(datum.y0 + datum.y1) / 2"},
                    "align": {"value": "center"},
                    "baseline": {"value": "middle"},
                    "text": {"signal": label},
                    "limit": {"signal": f"{_WIDE} - 4"},
                    "fontSize": {"value": 11},
                    "fill": {"signal": f"luminance({color}) > 0.35 ? '#000000' : '#ffffff'"},
                }
            },
        },
    ]
