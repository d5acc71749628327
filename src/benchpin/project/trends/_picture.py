"""The curve of health and complexity, drawn."""

from typing import Any

from benchpin.core.text import counted
from benchpin.present.charts import BLUE, RED
from benchpin.present.pictures import VEGA_LITE, Picture, PictureRow, Specification, over_time

_HEIGHT = 320


def _rows(report: Any) -> list[PictureRow]:
    """Return a row for each state, the oldest first; none without a past commit."""
    rows: list[PictureRow] = [
        {
            "date": f"{it.date:%Y-%m-%d}",
            "commit": it.commit,
            "when": it.name or it.when,
            "lines": it.measures.code_lines,
            "over": it.measures.over_limit,
            "health": it.measures.health,
        }
        for it in report.points
    ]
    return rows if len(rows) > 1 else []


def _lines() -> Specification:
    """Return two lines with an axis each: health on the left, functions over a limit right."""
    tip = [
        {"field": "date", "type": "temporal", "title": "Day"},
        *(
            {"field": field, "type": "nominal", "title": title}
            for field, title in (
                ("commit", "Commit"),
                ("when", "When"),
                ("health", "Health"),
                ("over", "Functions over a limit"),
                ("lines", "Lines of code"),
            )
        ),
    ]

    def line(
        field: str, title: str, color: str, dash: list[int], scale: dict[str, object]
    ) -> dict[str, object]:
        axis = {"title": title, "titleColor": color, "grid": color == BLUE, "format": "~r"}
        y = {"field": field, "type": "quantitative", "axis": axis, "scale": scale}
        mark = {"type": "line", "color": color, "strokeWidth": 2.5, "strokeDash": dash}
        return {
            "mark": {**mark, "point": {"filled": True, "size": 70, "color": color}},
            "encoding": {"y": y, "tooltip": tip},
        }

    # From zero, both: a cut axis makes a cliff of every step.
    whole: dict[str, object] = {"domain": [0, 100]}
    return {
        "$schema": VEGA_LITE,
        "data": {"name": "rows"},
        "height": _HEIGHT,
        "encoding": {"x": {"field": "date", "type": "temporal", "axis": {"title": None}}},
        "layer": [
            line("health", "Health", BLUE, [1, 0], whole),
            line("over", "Functions over a complexity limit", RED, [6, 4], {"zero": True}),
        ],
        "resolve": {"scale": {"y": "independent"}},
    }


OVER_TIME: Picture[Any] = Picture(
    name="over-time",
    title="Health and complexity over a year",
    rows=_rows,
    spec=_lines(),
    alt=lambda _, rows: (
        f"From {rows[0]['date']} to {rows[-1]['date']}, functions over a limit went "
        f"from {rows[0]['over']:,} to {rows[-1]['over']:,}, and health from "
        f"{rows[0]['health']} to {rows[-1]['health']}; {counted(len(rows), 'state')} measured."
    ),
    text=over_time("date", "health", "over", "lines"),
)
