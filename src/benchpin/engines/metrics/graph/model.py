"""What a dependency graph is made of."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from benchpin.core import Item
from benchpin.engines.source.facts import Import

DagType = Literal["import-graph", "call-graph", "inheritance", "full-dependency"]
EdgeKind = Literal["imports", "calls", "inherits", "defines"]
Outcome = Literal["resolved", "external", "outside", "unresolved"]


@dataclass(frozen=True, slots=True)
class Node:
    """A file, or something that is defined in one."""

    id: str
    """The path; for what is defined in the file, with `::` and its qualified name after it."""
    label: str
    kind: str
    file: str
    line: int

    @classmethod
    def of_file(cls, path: str) -> "Node":
        """Return a file as a node."""
        return cls(path, path, "file", path, 1)


@dataclass(frozen=True, slots=True)
class Edge:
    """One node depends on another."""

    source: int
    target: int
    kind: EdgeKind
    count: int
    """How many imports, or functions of the source, stand behind it."""
    confidence: float
    """How sure it is that these two are meant, at best; 1 is certain."""


class LostImport(Item):
    """An import that should lead to something in the workspace and does not, and why."""

    file: str
    line: int
    module: str
    names: list[str]
    """What is imported from it."""
    reason: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by id, edges by their ends, and what became of every reference that was looked at."""

    nodes: list[Node]
    edges: list[Edge]
    outcomes: dict[EdgeKind, dict[Outcome, int]]
    lost_imports: list[LostImport] = field(default_factory=list)
    """Those that are counted as unresolved."""

    def pairs(self) -> list[tuple[int, int]]:
        """Return each pair of nodes between which there is an edge, of whatever kind, once."""
        return list(dict.fromkeys((edge.source, edge.target) for edge in self.edges))


@dataclass(slots=True)
class Draft:
    """A graph while it is put together; nothing depends on itself."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[tuple[str, str, EdgeKind], tuple[int, float]] = field(default_factory=dict)
    outcomes: defaultdict[EdgeKind, Counter[Outcome]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    lost_imports: list[LostImport] = field(default_factory=list)

    def add_nodes(self, nodes: Iterable[Node]) -> None:
        """Add nodes; of two with the same id the first stays."""
        for node in nodes:
            self.nodes.setdefault(node.id, node)

    def link(self, source: Node, target: Node, kind: EdgeKind, confidence: float = 1.0) -> None:
        """Add an edge, or add to one that is there."""
        if source.id == target.id:
            return
        self.add_nodes((source, target))
        count, best = self.edges.get((source.id, target.id, kind), (0, 0.0))
        self.edges[source.id, target.id, kind] = (count + 1, max(best, confidence))

    def count(self, kind: EdgeKind, outcome: Outcome) -> None:
        """Note what became of a reference."""
        self.outcomes[kind][outcome] += 1

    def lose(self, file: str, imported: Import, reason: str) -> None:
        """Note an import that leads nowhere."""
        lost = LostImport(
            file=file,
            line=imported.line,
            module=imported.module,
            names=list(imported.names),
            reason=reason,
        )
        self.lost_imports.append(lost)

    def finish(self) -> Graph:
        """Return the graph, everything in order."""
        nodes = [node for _, node in sorted(self.nodes.items())]
        number = {node.id: at for at, node in enumerate(nodes)}
        edges = [
            Edge(number[source], number[target], kind, count, confidence)
            for (source, target, kind), (count, confidence) in sorted(self.edges.items())
        ]
        outcomes = {kind: dict(sorted(counts.items())) for kind, counts in self.outcomes.items()}
        return Graph(
            nodes,
            edges,
            outcomes,
            sorted(self.lost_imports, key=lambda it: (it.file, it.line, it.module)),
        )
