"""Place the nodes of a small directed graph in layers: what uses others above what it uses.

Edges that close a cycle point up; the fewer and lighter these are, the better, so the order of the
nodes is found with the heuristic of Eades, Lin and Smyth (1993). Nodes of a layer are ordered by
the mean place of their neighbours. For at most some dozens of nodes.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Pair = tuple[str, str]
_SWEEPS = 6
_ASIDE = 0.16


@dataclass(frozen=True, slots=True)
class Layout:
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


def layered(nodes: Sequence[str], weights: Mapping[Pair, int]) -> Layout:
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
    return Layout(_untangled(layers, weights), back)


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
