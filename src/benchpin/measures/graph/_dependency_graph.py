"""What a dependency graph consists of."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Literal, get_args

from benchpin.code.names import Outcome, Symbol
from benchpin.facts import DependencyKind, Import

DagType = Literal["import-graph", "call-graph", "inheritance", "full-dependency"]
EdgeKind = Literal["imports", "calls", "inherits", "defines"]
# The strongest first.
DEPENDENCY_KINDS: tuple[DependencyKind, ...] = get_args(DependencyKind)


@dataclass(frozen=True, slots=True)
class Node:
    """A file, or a function or type that is defined in one."""

    id: str
    """The path of a file; for a function or type, the path, `::` and its qualified name."""
    label: str
    kind: str
    file: str
    line: int

    @classmethod
    def of_file(cls, path: str) -> "Node":
        """Return the node of a file."""
        return cls(path, path, "file", path, 1)

    @classmethod
    def of_symbol(cls, symbol: Symbol) -> "Node":
        """Return the node of a function or type."""
        return cls(symbol.id, symbol.qualified, symbol.kind, symbol.file, symbol.line)


@dataclass(frozen=True, slots=True)
class Edge:
    """One node depends on another."""

    source: int
    target: int
    kind: EdgeKind
    count: int
    """How many imports, or functions of the source, make this edge."""
    confidence: float
    """From 0 to 1: the highest confidence of the references that make this edge."""
    dependency: DependencyKind = "runtime"
    """The strongest of its references."""
    line: int = 0
    """In the source, the first import of that kind; 0 for other edges."""


@dataclass(frozen=True, slots=True)
class UnresolvedImport:
    """An import that should lead to a file of the workspace and does not, and why."""

    file: str
    line: int
    module: str
    names: tuple[str, ...]
    """What is imported from the module."""
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Nodes sorted by id, edges sorted by their ends; edges refer to nodes by position.

    Graphs are compared by identity, so that measures can be remembered for a graph.
    """

    nodes: list[Node]
    edges: list[Edge]
    outcomes: dict[EdgeKind, dict[Outcome, int]]
    """How many references of each kind were resolved, or why not."""
    unresolved_imports: list[UnresolvedImport] = field(default_factory=list)

    def pairs(self) -> list[tuple[int, int]]:
        """Return each pair of nodes with an edge between them once, whatever its kinds."""
        return list(dict.fromkeys((edge.source, edge.target) for edge in self.edges))


@dataclass(slots=True)
class _References:
    """The references that make an edge."""

    confidence: float
    dependency: DependencyKind
    line: int
    count: int = 1

    def add(self, references: "_References") -> None:
        """Add one: the strongest kind counts, and of that the first line."""
        self.count += references.count
        self.confidence = max(self.confidence, references.confidence)
        if references.strength < self.strength:
            self.dependency, self.line = references.dependency, references.line

    @property
    def strength(self) -> int:
        """The position of its kind; 0 is the strongest."""
        return DEPENDENCY_KINDS.index(self.dependency)


@dataclass(slots=True)
class GraphBuilder:
    """A graph under construction; an edge from a node to itself is dropped."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[tuple[str, str, EdgeKind], _References] = field(default_factory=dict)
    outcomes: defaultdict[EdgeKind, Counter[Outcome]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    unresolved_imports: list[UnresolvedImport] = field(default_factory=list)

    def add_nodes(self, nodes: Iterable[Node]) -> None:
        """Add nodes; of two with the same id the first is kept."""
        for node in nodes:
            self.nodes.setdefault(node.id, node)

    def link(
        self,
        source: Node,
        target: Node,
        kind: EdgeKind,
        confidence: float = 1.0,
        *,
        dependency: DependencyKind = "runtime",
        line: int = 0,
    ) -> None:
        """Add a reference to the edge between two nodes."""
        if source.id == target.id:
            return
        self.add_nodes((source, target))
        reference = _References(confidence, dependency, line)
        known = self.edges.setdefault((source.id, target.id, kind), reference)
        if known is not reference:
            known.add(reference)

    def count(self, kind: EdgeKind, outcome: Outcome) -> None:
        """Count the outcome of a reference."""
        self.outcomes[kind][outcome] += 1

    def add_unresolved(self, file: str, imported: Import, reason: str) -> None:
        """Add an import that leads nowhere."""
        found = UnresolvedImport(file, imported.line, imported.module, imported.names, reason)
        self.unresolved_imports.append(found)

    def finish(self) -> Graph:
        """Return the graph, sorted."""
        nodes = [node for _, node in sorted(self.nodes.items())]
        number = {node.id: at for at, node in enumerate(nodes)}
        edges = [
            Edge(
                number[source],
                number[target],
                kind,
                it.count,
                it.confidence,
                it.dependency,
                it.line,
            )
            for (source, target, kind), it in sorted(self.edges.items(), key=itemgetter(0))
        ]
        outcomes = {kind: dict(sorted(counts.items())) for kind, counts in self.outcomes.items()}
        unresolved = sorted(self.unresolved_imports, key=lambda it: (it.file, it.line, it.module))
        return Graph(nodes, edges, outcomes, unresolved)
