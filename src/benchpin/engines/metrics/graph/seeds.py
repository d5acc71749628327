"""Which nodes a caller means by a name."""

import difflib
from collections.abc import Sequence

from benchpin.core import InvalidParams

from .model import Graph

_NEAREST = 3


def find_seeds(graph: Graph, names: Sequence[str]) -> dict[str, list[int]]:
    """Return the nodes of each name: its id, or the end of ids, cut where a name begins.

    Raises:
        InvalidParams: when a name fits no node, naming the nearest.
    """
    return {name: _find(graph, name) for name in names}


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
    near = difflib.get_close_matches(name, ends, n=_NEAREST, cutoff=0.0)
    nearest = ", ".join(repr(ends[it]) for it in near)
    raise InvalidParams(
        f"There is no node {name!r} in this graph of {len(ids)} nodes",
        suggestion=f"The nearest are {nearest}." if near else "The graph is empty; seed nothing.",
        data={"seed": name, "nearest": [ends[it] for it in near]},
    )
