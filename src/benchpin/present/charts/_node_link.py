"""Boxes and the lines between them: dependencies from top to bottom, calls from left to right.

Rows with `is_edge` are lines (`sx`, `sy`, `tx`, `ty`, `kind`, `count`, and `shift`: how many pixels
to the side), others boxes (`x`, `y`,
`name`, `note`, `room`: how many boxes share the width). Coordinates are from 0 to 1.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchpin.present.pictures import VEGA, Specification

from ._plots import GREY, RED

Pair = tuple[str, str]
_SWEEPS = 6
_ASIDE = 0.16


@dataclass(frozen=True, slots=True)
class LayeredLayout:
    """Layers of nodes from the top, and the edges that close cycles."""

    layers: list[list[str]]
    back: frozenset[Pair]

    def places(self) -> dict[str, tuple[float, float, int]]:
        """Return for each node its x and y, from 0 to 1, and how many nodes its layer has.

        Nodes alone in their layers are not all in the middle, or lines would run behind them.
        """
        return {
            node: (
                0.5 + (-_ASIDE if depth % 2 else _ASIDE) * (len(layer) == 1) + _shift(at, layer),
                (depth + 0.5) / len(self.layers),
                max(len(layer), 2),
            )
            for depth, layer in enumerate(self.layers)
            for at, node in enumerate(layer)
        }


def _shift(at: int, layer: list[str]) -> float:
    return (at + 0.5) / len(layer) - 0.5


def layered(nodes: Sequence[str], weights: Mapping[Pair, int]) -> LayeredLayout:
    """Return the layers of nodes; `weights` are those of the edges, by their ends."""
    place = {node: at for at, node in enumerate(_order(nodes, weights))}
    back = frozenset(pair for pair in weights if place[pair[0]] > place[pair[1]])
    used = defaultdict[str, list[str]](list)
    for source, target in weights:
        if (source, target) not in back:
            used[source].append(target)
    height: dict[str, int] = {}
    for node in sorted(nodes, key=place.__getitem__, reverse=True):
        height[node] = 1 + max((height[it] for it in used[node]), default=-1)
    top = max(height.values(), default=0)
    layers: list[list[str]] = [[] for _ in range(top + 1)]
    for node in sorted(nodes):
        layers[top - height[node]].append(node)
    return LayeredLayout(_untangled(layers, weights), back)


def _order(nodes: Sequence[str], weights: Mapping[Pair, int]) -> list[str]:
    """Return an order with few edges from later to earlier nodes."""
    left = set(nodes)
    first: list[str] = []
    last: list[str] = []
    while left:
        out = dict.fromkeys(left, 0)
        into = dict.fromkeys(left, 0)
        for (source, target), weight in weights.items():
            if source in left and target in left:
                out[source] += weight
                into[target] += weight
        if sinks := sorted(it for it in left if not out[it]):
            last[:0] = sinks
            left -= set(sinks)
            continue
        best = min(left, key=lambda it: (into[it] > 0, into[it] - out[it], it))
        first.append(best)
        left.discard(best)
    return [*first, *last]


def _untangled(layers: list[list[str]], weights: Mapping[Pair, int]) -> list[list[str]]:
    """Return the layers with nodes near those that they are connected with."""
    near = defaultdict[str, list[str]](list)
    for source, target in weights:
        near[source].append(target)
        near[target].append(source)
    at = {it: n / len(layer) for layer in layers for n, it in enumerate(layer)}
    for _ in range(_SWEEPS):
        for layer in layers:
            mean = {it: sum(at[on] for on in near[it]) / max(len(near[it]), 1) for it in layer}
            layer.sort(key=lambda it: (mean[it], it))
            at |= {it: (n + 0.5) / len(layer) for n, it in enumerate(layer)}
    return layers


_BOX_HEIGHT = 34
_MAX_WIDTH_PX = 190


@dataclass(frozen=True, slots=True)
class LineKind:
    """How a kind of edge is drawn."""

    color: str = GREY
    dash: tuple[int, ...] = ()


CLOSES_CYCLE = "closes a cycle"
KINDS: Mapping[str, LineKind] = {
    "runtime": LineKind(),
    "lazy": LineKind(dash=(7, 4)),
    "type-only": LineKind(dash=(2, 3)),
    "test": LineKind("#56b4e9", (7, 4)),
    "containment": LineKind(dash=(1, 4)),
    "certain": LineKind("#0072b2"),
    "possible": LineKind(dash=(6, 4)),
    CLOSES_CYCLE: LineKind(RED),
}


def node_link(
    kinds: list[str], height: int, title: str, *, is_across: bool = False
) -> Specification:
    """Return boxes and lines; `is_across` draws from left to right, else from top to bottom.

    `title` is what the lines are, as the legend says it.
    """
    return {
        "$schema": VEGA,
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": [{"name": "rows"}, _boxes(is_across=is_across), _lines(is_across=is_across)],
        "signals": [
            {
                "name": "over",
                "value": "",
                "on": [
                    {"events": "@box:pointerover", "update": "datum.id"},
                    {"events": "@box:pointerout", "update": "''"},
                ],
            }
        ],
        "scales": [
            {
                "name": "color",
                "type": "ordinal",
                "domain": kinds,
                "range": [KINDS[it].color for it in kinds],
            },
            {
                "name": "dash",
                "type": "ordinal",
                "domain": kinds,
                "range": [list(KINDS[it].dash) or [1, 0] for it in kinds],
            },
        ],
        "legends": [
            {
                "title": title,
                "stroke": "color",
                "strokeDash": "dash",
                "symbolType": "stroke",
                "symbolSize": 400,
                "symbolStrokeWidth": 2.5,
                "orient": "bottom",
                "direction": "horizontal",
                "columns": {"signal": "width < 500 ? 2 : 6"},
            }
        ],
        "marks": _marks(),
    }


def _width(*, is_across: bool) -> str:
    """Return the width of a box; lines from left to right need room between two of them."""
    return f"min({_MAX_WIDTH_PX}, width / datum.room - {40 if is_across else 10})"


def _boxes(*, is_across: bool) -> dict[str, object]:
    wide = _width(is_across=is_across)
    return {
        "name": "boxes",
        "source": "rows",
        "transform": [
            {"type": "filter", "expr": "!datum.is_edge"},
            {"type": "formula", "as": "wide", "expr": wide},
            {"type": "formula", "as": "cx", "expr": "datum.x * width"},
            {"type": "formula", "as": "cy", "expr": "datum.y * height"},
        ],
    }


def _lines(*, is_across: bool) -> dict[str, object]:
    """Return the lines, from border to border of the boxes."""
    half = _BOX_HEIGHT / 2
    if is_across:
        wide = f"{_width(is_across=True)} / 2"
        ends = {
            "sx": f"datum.sx * width + {wide}",
            "sy": "datum.sy * height",
            "tx": f"datum.tx * width - {wide}",
            "ty": "datum.ty * height",
        }
    else:
        ends = {
            "sx": "datum.sx * width + (datum.shift || 0)",
            "sy": f"datum.sy * height + (datum.sy < datum.ty ? {half} : -{half})",
            "tx": "datum.tx * width + (datum.shift || 0)",
            "ty": f"datum.ty * height - (datum.sy < datum.ty ? {half} : -{half})",
        }
    return {
        "name": "lines",
        "source": "rows",
        "transform": [
            {"type": "filter", "expr": "datum.is_edge"},
            *({"type": "formula", "as": f"p{name}", "expr": it} for name, it in ends.items()),
            {
                "type": "linkpath",
                "sourceX": "psx",
                "sourceY": "psy",
                "targetX": "ptx",
                "targetY": "pty",
                "shape": "diagonal",
                "orient": "horizontal" if is_across else "vertical",
            },
        ],
    }


def _marks() -> list[dict[str, object]]:
    touches = "(over === datum.source || over === datum.target)"
    return [
        {
            "type": "path",
            "from": {"data": "lines"},
            "encode": {
                "update": {
                    "path": {"field": "path"},
                    "stroke": {"scale": "color", "field": "kind"},
                    "strokeDash": {"scale": "dash", "field": "kind"},
                    "strokeWidth": {"signal": "1 + log(datum.count) / 2"},
                    "opacity": {"signal": f"!over ? 0.65 : {touches} ? 1 : 0.08"},
                    "tooltip": {
                        "signal": "{title: datum.source + ' → ' + datum.target, "
                        "'How often': datum.count, 'Kind': datum.kind, 'Note': datum.note}"
                    },
                }
            },
        },
        {
            "type": "rect",
            "name": "box",
            "from": {"data": "boxes"},
            "encode": {
                "update": {
                    "xc": {"field": "cx"},
                    "yc": {"field": "cy"},
                    "width": {"field": "wide"},
                    "height": {"value": _BOX_HEIGHT},
                    "cornerRadius": {"value": 5},
                    "fill": {"signal": "datum.is_focus ? '#ffe3b0' : '#e9eef4'"},
                    "stroke": {"signal": f"datum.is_cyclic ? '{RED}' : '#8a929b'"},
                    "strokeWidth": {"signal": "datum.is_cyclic || datum.is_focus ? 2 : 1"},
                    "cursor": {"value": "pointer"},
                    "tooltip": {
                        "signal": "{title: datum.id, 'About': datum.note, 'Code': datum.text}"
                    },
                }
            },
        },
        _text("name", -5, 12, "#1c1e21"),
        _text("note", 10, 10, "#4a525b"),
    ]


def _text(field: str, below: int, size: int, color: str) -> dict[str, object]:
    return {
        "type": "text",
        "interactive": False,
        "from": {"data": "boxes"},
        "encode": {
            "update": {
                "x": {"field": "cx"},
                "y": {"field": "cy", "offset": below},
                "align": {"value": "center"},
                "baseline": {"value": "middle"},
                "text": {"field": field},
                "fontSize": {"value": size},
                "limit": {"signal": "datum.wide - 8"},
                "fill": {"value": color},
            }
        },
    }
