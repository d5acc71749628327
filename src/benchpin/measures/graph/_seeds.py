"""The nodes that a caller names as seeds of PageRank."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.core.errors import InvalidParams
from benchpin.system.processes import require_extra

from ._dependency_graph import Graph

_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Seed:
    """A name that a caller gave, and the nodes that it fits."""

    seed: str
    nodes: list[str]


def find_seeds(graph: Graph, names: Sequence[str]) -> tuple[list[Seed], list[int]]:
    """Return the nodes of each name, and the positions of all of them.

    A name is an id, or the end of ids, cut before a `/`, `::` or `.`.

    Raises:
        DependencyMissing: when there are names, but not the extra that PageRank needs.
        InvalidParams: when a name fits no node, with the nearest names.
    """
    if names:
        require_extra("measures", "PageRank")
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
    raise _no_such_node(name, [node.id for node in graph.nodes])


def _no_such_node(name: str, ids: Sequence[str]) -> InvalidParams:
    from rapidfuzz.process import extract

    ends = {end: it for it in reversed(ids) for end in (it, it.rpartition("/")[2])}
    near = [ends[end] for end, _score, _at in extract(name, list(ends), limit=_NEAREST)]
    nearest = ", ".join(map(repr, near))
    return InvalidParams(
        f"There is no node {name!r} in this graph of {len(ids)} nodes",
        suggestion=f"The nearest are {nearest}." if near else "The graph is empty; seed nothing.",
        data={"seed": name, "nearest": near},
    )
