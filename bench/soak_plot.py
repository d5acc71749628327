"""A line chart as SVG, in a few lines: one panel for each series, over minutes."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _PANEL, _LEFT, _TOP, _BOTTOM = 760, 150, 64, 34, 26
_INK, _GRID, _LINE, _LIMIT = "#222", "#ddd", "#1f6feb", "#c33"


@dataclass(frozen=True)
class Series:
    """Values over time, and a line that they should stay under."""

    title: str
    points: Sequence[tuple[float, float]]
    """Minutes and values."""
    limit: float | None = None


def chart(title: str, series: Sequence[Series]) -> str:
    """Return the chart."""
    height = _TOP + len(series) * (_PANEL + _BOTTOM + 18)
    font = f'font-family="sans-serif" font-size="12" fill="{_INK}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {font}>',
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="12" y="20" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    for number, it in enumerate(series):
        parts += _panel(it, _TOP + number * (_PANEL + _BOTTOM + 18) + 18)
    return "\n".join([*parts, "</svg>", ""])


def _panel(series: Series, top: float) -> list[str]:
    end = max((minute for minute, _ in series.points), default=1.0) or 1.0
    most = max([value for _, value in series.points] + [series.limit or 0.0, 1.0]) * 1.08

    def at(minute: float, value: float) -> tuple[float, float]:
        x = _LEFT + (_WIDTH - _LEFT - 16) * minute / end
        return round(x, 1), round(top + _PANEL * (1 - value / most), 1)

    parts = [f'<text x="12" y="{top - 6}">{escape(series.title)}</text>']
    for step in range(5):
        value = most * step / 4
        x, y = at(0, value)
        parts.append(f'<path d="M{x} {y}H{_WIDTH - 16}" stroke="{_GRID}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{value:,.0f}</text>')
    for step in range(6):
        minute = end * step / 5
        x, y = at(minute, 0)
        parts.append(f'<text x="{x}" y="{y + 16}" text-anchor="middle">{minute:.1f} min</text>')
    if series.limit is not None:
        x, y = at(0, series.limit)
        parts.append(f'<path d="M{x} {y}H{_WIDTH - 16}" stroke="{_LIMIT}" stroke-dasharray="4 4"/>')
    line = " ".join(f"{x},{y}" for x, y in (at(*point) for point in series.points))
    parts.append(f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="1.5"/>')
    return parts
