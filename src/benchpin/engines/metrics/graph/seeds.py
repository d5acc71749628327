"""The nodes that a caller names as seeds of PageRank."""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import nlargest

from benchpin.core import InvalidParams

from .dependency_graph import Graph

_NEAREST = 3
_COMPARED = 200
"""How many names difflib compares: each takes a tenth of a millisecond."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A name that a caller gave, and the nodes that it fits."""

    seed: str
    nodes: list[str]


def find_seeds(graph: Graph, names: Sequence[str]) -> tuple[list[Seed], list[int]]:
    """Return the nodes of each name, and the positions of all of them.

    A name is an id, or the end of ids, cut before a `/`, `::` or `.`.

    Raises:
        InvalidParams: when a name fits no node, with the nearest names.
    """
    found = {name: _find(graph, name) for name in names}
    seeds = [Seed(name, [graph.nodes[at].id for at in places]) for name, places in found.items()]
    return seeds, sorted({at for places in found.values() for at in places})


def _find(graph: Graph, name: str) -> list[int]:
    exact = [at for at, node in enumerate(graph.nodes) if node.id == name]
    if exact:
        return exact
    endings = tuple(mark + name for mark in ("/", "::", "."))
    hits = [at for at, node in enumerate(graph.nodes) if node.id.endswith(endings)]
    if hits and name:
        return hits
    ids = [node.id for node in graph.nodes]
    ends = {end: it for it in reversed(ids) for end in (it, it.rpartition("/")[2])}
    likely = nlargest(_COMPARED, ends, key=_likeness_to(name))
    near = difflib.get_close_matches(name, likely, n=_NEAREST, cutoff=0.0)
    nearest = ", ".join(repr(ends[it]) for it in near)
    raise InvalidParams(
        f"There is no node {name!r} in this graph of {len(ids)} nodes",
        suggestion=f"The nearest are {nearest}." if near else "The graph is empty; seed nothing.",
        data={"seed": name, "nearest": [ends[it] for it in near]},
    )


def _likeness_to(name: str) -> Callable[[str], float]:
    """Return a fast, rough measure of likeness: the share of common pairs of letters."""
    pairs = {name[at : at + 2] for at in range(len(name) - 1)}
    return lambda other: sum(pair in other for pair in pairs) / (len(name) + len(other))
