"""How trends are shown: what changed since each moment, the functions, the curve."""

from collections.abc import Iterator
from typing import Any

from benchpin.present import Column, Table, location

from ._trend import HOURS, FunctionTrend, MeasureTrend, TrendPoint

# What the change of a measure is compared with, by the name of its field.
PERIODS = {
    "since_week": "last week",
    "since_month": "last month",
    "since_release": "last release",
}


def headline(report: Any) -> Iterator[str]:
    """Yield for each period what got better and what got worse."""
    by_when = {it.when: it for it in report.points}
    if len(report.points) == 1:
        yield "No earlier commit to compare with."
    for field, when in PERIODS.items():
        if when in by_when:
            point = by_when[when]
            name = point.name or f"{point.date:%Y-%m-%d}"
            yield f"since {when} ({name}): {_changes(report.measures, field)}"


def _changes(measures: list[MeasureTrend], field: str) -> str:
    """Return what got better and worse in a period, each as a list of measures."""
    found: dict[str, list[str]] = {"better": [], "worse": []}
    for row in measures:
        change: float | None = getattr(row, field)
        verdict = row.verdict(change)
        # Hours are an estimate by convention: they are in the table, not in the first lines.
        if verdict in found and row.name != HOURS:
            found[verdict].append(f"{row.name} {change:+,g}")
    parts = [f"{verdict}: {', '.join(rows)}" for verdict, rows in found.items() if rows]
    return "; ".join(parts) or "nothing that is measured changed"


def _change_column(field: str) -> Column[MeasureTrend]:
    """Return the column with how much each measure changed in a period."""

    def change(row: MeasureTrend) -> float | None:
        found: float | None = getattr(row, field)
        return found

    def shown(row: MeasureTrend) -> str:
        value = change(row)
        return f"{value:+,g} {row.verdict(value)}" if value else "same"

    return Column(field, change, heading=f"since {PERIODS[field]}", show=shown)


def _measure_column(name: str, heading: str = "") -> Column[TrendPoint]:
    """Return the column of one measure on the curve."""

    def value(point: TrendPoint) -> float | None:
        found: float | None = getattr(point.measures, name)
        return found

    return Column(name, value, heading=heading)


_MEASURES = Table[Any, MeasureTrend](
    rows=lambda it: it.measures,
    columns=(
        Column("name", heading="measure"),
        Column("now"),
        *map(_change_column, PERIODS),
    ),
    title="What changed",
    is_page=True,
)
_FUNCTIONS = Table[Any, FunctionTrend](
    rows=lambda it: it.functions,
    columns=(
        Column("verdict", heading=""),
        Column("function", is_code=True),
        Column("before", heading="cognitive before"),
        Column("now"),
        location(),
    ),
    title=lambda it: f"Functions since {it.functions_since}",
)
_CURVE = Table[Any, TrendPoint](
    rows=lambda it: it.points,
    columns=(
        Column("date", lambda it: f"{it.date:%Y-%m-%d}"),
        Column("commit"),
        Column("when", lambda it: it.name or it.when),
        *map(_measure_column, ("health", "hot_spots", "over_limit", "debt_hours", "unused")),
        _measure_column("code_lines", "lines"),
    ),
    title="Curve",
    is_detail=True,
)
TREND_TABLES: tuple[Table[Any, Any], ...] = (_MEASURES, _FUNCTIONS, _CURVE)
