"""A chart with logarithmic axes as SVG."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _LEGEND = 860, 460, 64, 40, 34, 250
_COLOURS = ("#1f6feb", "#c33", "#2a8", "#b60", "#83c", "#088", "#666", "#d28", "#590", "#36a")
_INK, _GRID = "#222", "#ddd"


@dataclass(frozen=True)
class Line:
    """Values over sizes."""

    title: str
    points: Sequence[tuple[float, float]]
    colour: int
    is_dashed: bool = False


def chart(title: str, lines: Sequence[Line]) -> str:
    """Return the chart: sizes to the right, values upwards."""
    drawn = [it for it in lines if it.points]
    xs = [x for it in drawn for x, _ in it.points] or [1.0]
    ys = [max(y, 0.01) for it in drawn for _, y in it.points] or [1.0]
    left, right = math.log10(min(xs)), math.log10(max(xs))
    low, high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))

    def at(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - left) / (right - left or 1.0)
        up = (math.log10(max(y, 0.01)) - low) / (high - low or 1)
        return (
            round(_LEFT + (_WIDTH - _LEFT - _LEGEND) * across, 1),
            round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - up), 1),
        )

    font = f'font-family="sans-serif" font-size="12" fill="{_INK}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {font}>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="12" y="22" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    for power in range(low, high + 1):
        x, y = at(10**left, 10.0**power)
        parts.append(f'<path d="M{x} {y}H{_WIDTH - _LEGEND}" stroke="{_GRID}"/>')
        label = f"{10.0**power:g} s"
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{label}</text>')
    for size in sorted(set(xs)):
        x, y = at(size, 10.0**low)
        parts.append(f'<path d="M{x} {_TOP}V{y}" stroke="{_GRID}"/>')
        parts.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle">{size:,.0f}</text>')
    for number, it in enumerate(drawn):
        parts += _drawn(it, [at(*point) for point in it.points], number)
    return "\n".join([*parts, "</svg>", ""])


def _drawn(line: Line, points: Sequence[tuple[float, float]], number: int) -> list[str]:
    colour = _COLOURS[line.colour % len(_COLOURS)]
    dashes = ' stroke-dasharray="5 4"' if line.is_dashed else ""
    path = " ".join(f"{x},{y}" for x, y in points)
    top = _TOP + 8 + 18 * number
    start = _WIDTH - _LEGEND + 14
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dashes}/>',
        *(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour}"/>' for x, y in points),
        f'<path d="M{start} {top}h20" stroke="{colour}" stroke-width="1.8"{dashes}/>',
        f'<text x="{start + 26}" y="{top + 4}">{escape(line.title)}</text>',
    ]
