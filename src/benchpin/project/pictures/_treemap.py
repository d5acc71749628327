"""The repository as a treemap: area is lines of code, colour is a measure; folders open."""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchpin.core.text import plain
from benchpin.present.pictures import VEGA, PictureRow, Specification, Value

from ._folders import PERIOD_DAYS

UNKNOWN = "#c3c9d0"
_BAD_TO_GOOD = ("#b2182b", "#ef8a62", "#f7e1b5", "#92c5de", "#2166ac")
_LITTLE_TO_MUCH = ("#f6ecd4", "#fdcc8a", "#fc8d59", "#d7301f", "#7f0000")
_NEW_TO_OLD = ("#fde725", "#5ec962", "#21918c", "#3b528b", "#440154")
_OWNERS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
_MAX_NAME_CHARS = 24


@dataclass(frozen=True, slots=True)
class ColorScale:
    """A number of a file and the limits of its classes."""

    field: str
    title: str
    limits: tuple[float, ...]
    """Where a class ends and the next begins."""
    labels: tuple[str, ...]
    colors: tuple[str, ...]
    unknown: str = "not measured"


MEASURES = (
    ColorScale(
        "health",
        "Health of functions (50 is at the complexity limits)",
        (35, 50, 65, 80),
        ("0 to 35, far over the limits", "35 to 50", "50 to 65", "65 to 80", "80 to 100, simple"),
        _BAD_TO_GOOD,
        "no functions",
    ),
    ColorScale(
        "commits",
        f"Commits in {PERIOD_DAYS} days",
        (1, 3, 7, 16),
        ("none", "1 to 2", "3 to 6", "7 to 15", "16 and more"),
        _LITTLE_TO_MUCH,
        "no history",
    ),
    ColorScale(
        "defects",
        "Probability of a bug fix within a year",
        (0.1, 0.3, 0.5, 0.7),
        ("below 10 %", "10 to 30 %", "30 to 50 %", "50 to 70 %", "70 % and more"),
        _LITTLE_TO_MUCH,
        "not predicted (tests)",
    ),
    ColorScale(
        "coverage",
        "Covered by tests",
        (0.2, 0.4, 0.6, 0.8),
        ("below 20 %", "20 to 40 %", "40 to 60 %", "60 to 80 %", "80 % and more"),
        _BAD_TO_GOOD,
        "in no coverage report",
    ),
    ColorScale(
        "age",
        "Last changed",
        (7, 30, 90, 180),
        ("this week", "this month", "1 to 3 months ago", "3 to 6 months ago", "6 to 12 months ago"),
        _NEW_TO_OLD,
        f"over {PERIOD_DAYS} days ago",
    ),
)
OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Colors:
    """The classes of every measure, as a specification has them."""

    titles: Mapping[str, str]
    labels: Mapping[str, Sequence[str]]
    """The last one is of what is unknown."""
    palettes: Mapping[str, Sequence[str]]


def color_rows(rows: Sequence[PictureRow]) -> tuple[list[PictureRow], Colors]:
    """Return the rows with the class of each measure that some row has, and the classes."""
    known = [it for it in MEASURES if any(it.field in row for row in rows)]
    owners = _owners(rows)
    colored: list[PictureRow] = []
    for row in rows:
        if row.get("is_open"):
            colored.append(row)
            continue
        classes = {f"{it.field}_class": _class_of(it, row) for it in known}
        if owners:
            classes["owner_class"] = _owner_class(owners, row.get(OWNER))
        colored.append({**row, **classes})
    titles = {it.field: it.title for it in known}
    labels: dict[str, Sequence[str]] = {it.field: (*it.labels, it.unknown) for it in known}
    palettes: dict[str, Sequence[str]] = {it.field: (*it.colors, UNKNOWN) for it in known}
    if owners:
        nobody = f"nobody in {PERIOD_DAYS} days"
        titles[OWNER] = f"Most commits in {PERIOD_DAYS} days"
        labels[OWNER] = (*(plain(it)[:_MAX_NAME_CHARS] for it in owners), "others", nobody)
        palettes[OWNER] = (*_OWNERS[: len(owners)], "#8a929b", UNKNOWN)
    return colored, Colors(titles, labels, palettes)


def _owner_class(owners: Sequence[str], owner: Value) -> int:
    """Return the place of an owner; after them come the others, and after these nobody."""
    if owner is None:
        return len(owners) + 1
    return owners.index(owner) if isinstance(owner, str) and owner in owners else len(owners)


def _owners(rows: Sequence[PictureRow]) -> list[str]:
    """Return the owners of the most lines, who get a colour of their own."""
    lines = Counter[str]()
    for row in rows:
        if isinstance(owner := row.get(OWNER), str):
            lines[owner] += int(str(row["lines"]))
    return sorted(lines, key=lambda it: (-lines[it], it))[: len(_OWNERS)]


def _class_of(measure: ColorScale, row: PictureRow) -> int:
    value = row.get(measure.field)
    if not isinstance(value, int | float):
        return len(measure.labels)
    return bisect_right(measure.limits, value)


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
