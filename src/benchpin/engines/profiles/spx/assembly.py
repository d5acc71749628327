"""Put functions, pairs and the tree into the order in which a profile keeps them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchpin.engines.profiles.model import Cost, Edge, Node

from .call_tree import OTHER, ROOT, CallTree, totals
from .ledger import Ledger


class Name(NamedTuple):
    """What a function is called, and where it is written if that is known."""

    function: str
    file: str | None = None
    line: int | None = None


def costs_of(ledger: Ledger, names: Mapping[int, Name]) -> tuple[tuple[Cost, ...], dict[int, int]]:
    """Return the functions, the one that spent most itself first, and the place of each."""
    costs = {
        number: Cost(
            function=name.function,
            calls=tally.calls,
            self=tuple(tally.own),
            inclusive=tuple(tally.inclusive),
            deepest_recursion=tally.deepest,
            file=name.file,
            line=name.line,
        )
        for number, tally in ledger.functions.items()
        for name in [names.get(number) or Name(f"#{number}")]
    }
    order = sorted(costs, key=lambda number: (*_rank(costs[number]), number))
    return tuple(costs[number] for number in order), {it: place for place, it in enumerate(order)}


def edges_of(ledger: Ledger, places: Mapping[int, int]) -> tuple[Edge, ...]:
    """Return the pairs of caller and callee, by their places."""
    edges = [
        Edge(
            caller=places[caller],
            callee=places[callee],
            calls=tally.calls,
            inclusive=tuple(tally.inclusive),
        )
        for (caller, callee), tally in ledger.pairs.items()
    ]
    return tuple(sorted(edges, key=lambda edge: (edge.caller, edge.callee)))


def nodes_of(tree: CallTree, places: Mapping[int, int]) -> tuple[Node, ...]:
    """Return the tree from the top, of the children of a place the dearest first."""
    inclusive = totals(tree)
    below: dict[int, list[int]] = {}
    for node in range(1, len(tree)):
        below.setdefault(tree.parents[node], []).append(node)
    nodes: list[Node] = []
    pending = [(ROOT, -1)]
    while pending:
        node, parent = pending.pop()
        if node != ROOT:
            nodes.append(_node(tree, inclusive, node, parent, places))
        place = len(nodes) - 1
        ranked = sorted(below.get(node, []), key=lambda it: _dearest(tree, inclusive, it, places))
        pending.extend((child, place) for child in reversed(ranked))
    return tuple(nodes)


def _rank(cost: Cost) -> tuple[int, int, str, str, int]:
    return -cost.self[0], -cost.inclusive[0], cost.function, cost.file or "", cost.line or 0


def _dearest(
    tree: CallTree, inclusive: Sequence[Sequence[int]], node: int, places: Mapping[int, int]
) -> tuple[int, int]:
    return -inclusive[0][node], places.get(tree.functions[node], len(places))


def _node(
    tree: CallTree,
    inclusive: Sequence[Sequence[int]],
    node: int,
    parent: int,
    places: Mapping[int, int],
) -> Node:
    function = tree.functions[node]
    return Node(
        parent=parent,
        function=OTHER if function == OTHER else places[function],
        calls=tree.calls[node],
        self=tuple(costs[node] for costs in tree.costs),
        inclusive=tuple(sums[node] for sums in inclusive),
    )
