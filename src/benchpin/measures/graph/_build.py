"""A dependency graph, and how it is built from the facts of files."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from operator import itemgetter
from typing import Literal, get_args

import msgspec

from benchpin.code.names import NameResolver, Outcome, Symbol, SymbolTable
from benchpin.core.calls import Job
from benchpin.facts import DependencyKind, FileFacts, Import
from benchpin.facts.imports import ReadFile, Resolution, resolve_imports
from benchpin.memory import key_digest
from benchpin.workspace.walking import is_test_path

from ._automation import AutomationStep

DagType = Literal["import-graph", "call-graph", "inheritance", "full-dependency"]
EdgeKind = Literal["imports", "calls", "inherits", "defines", "runs"]
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
        return cls(path, path, "file", path, 1)

    @classmethod
    def of_symbol(cls, symbol: Symbol) -> "Node":
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
        if source.id == target.id:  # recursion says nothing about dependencies
            return
        self.add_nodes((source, target))
        reference = _References(confidence, dependency, line)
        known = self.edges.setdefault((source.id, target.id, kind), reference)
        if known is not reference:
            known.add(reference)

    def count(self, kind: EdgeKind, outcome: Outcome) -> None:
        self.outcomes[kind][outcome] += 1

    def add_unresolved(self, file: str, imported: Import, reason: str) -> None:
        found = UnresolvedImport(file, imported.line, imported.module, imported.names, reason)
        self.unresolved_imports.append(found)

    def finish(self) -> Graph:
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


# Files that only declare types: nothing of them runs.
_DECLARATIONS = (".pyi", ".d.ts", ".d.mts", ".d.cts")
Outcomes = dict[Outcome, int]


def build_graph(files: Sequence[FileFacts], read: ReadFile, dag_type: DagType, job: Job) -> Graph:
    """Return the graph of a kind; the files need their sections `outline` and `links`.

    The nodes of an `import-graph` are files; of a `call-graph` functions, and files for the code
    outside of functions; of `inheritance` types. `full-dependency` has all of these, and an edge
    from each file to what it defines.
    """
    return graph_from(files, resolve_imports(files, read, job), dag_type, job)


def graph_from(
    files: Sequence[FileFacts],
    resolutions: Mapping[str, Sequence[Resolution]],
    dag_type: DagType,
    job: Job,
    automation: Sequence[AutomationStep] = (),
) -> Graph:
    """Return the graph of those files of which it is known where their imports lead.

    A full one has the `automation`, too: what workflows and container files run and use.
    """
    # Time may have run out before the imports of a file were followed.
    known = [file for file in files if file.path in resolutions]
    builder = GraphBuilder()
    if dag_type in {"import-graph", "full-dependency"}:
        _add_imports(builder, known, resolutions)
    if dag_type != "import-graph":
        symbols = SymbolTable.of(known, resolutions)
        names = NameResolver(symbols)
        if dag_type != "inheritance":
            _add_calls(builder, symbols, names, job)
        if dag_type != "call-graph":
            _add_inheritance(builder, symbols, names, job)
        if dag_type == "full-dependency":
            _add_definitions(builder, symbols)
            for step in automation:
                _add_step(builder, step)
    return builder.finish()


def _add_imports(
    builder: GraphBuilder,
    files: Sequence[FileFacts],
    resolutions: Mapping[str, Sequence[Resolution]],
) -> None:
    builder.add_nodes(Node.of_file(file.path) for file in files)
    for file in files:
        is_test = is_test_path(file.path)
        for imported, resolution in zip(file.links.imports, resolutions[file.path], strict=True):
            builder.count("imports", outcome_of(resolution))
            if resolution.status == "unresolved":
                builder.add_unresolved(file.path, imported, resolution.reason)
            is_for_tests = is_test or resolution.is_for_tests
            dependency = _dependency(file.path, imported, is_for_tests=is_for_tests)
            for path in resolution.files:
                builder.link(
                    Node.of_file(file.path),
                    Node.of_file(path),
                    "imports",
                    dependency=dependency,
                    line=imported.line,
                )


def outcome_of(resolution: Resolution) -> Outcome:
    """Return how the resolution of an import is counted."""
    return "resolved" if resolution.status == "file" else resolution.status


def _dependency(path: str, imported: Import, *, is_for_tests: bool) -> DependencyKind:
    """Return the kind of an import; tests and declarations of types are known by their paths."""
    if imported.kind in {"type-only", "containment"}:
        return imported.kind
    if is_for_tests:
        return "test"
    return "type-only" if path.endswith(_DECLARATIONS) else imported.kind


def _add_calls(builder: GraphBuilder, symbols: SymbolTable, names: NameResolver, job: Job) -> None:
    node_of = cache(Node.of_symbol)  # a function is called from many places
    for module in job.each(list(symbols.modules.values()), "files"):
        builder.add_nodes(node_of(it) for it in module.symbols.values() if not it.is_type)
        for owner, callees in module.calls:
            caller = module.symbols.get(owner)
            source = Node.of_file(module.path) if caller is None else node_of(caller)
            for callee in callees:
                target = names.callee(module, owner, callee)
                builder.count("calls", target.outcome)
                if target.symbol is not None:
                    builder.link(source, node_of(target.symbol), "calls", target.confidence)


def _add_inheritance(
    builder: GraphBuilder, symbols: SymbolTable, names: NameResolver, job: Job
) -> None:
    for module in job.each(list(symbols.modules.values()), "files"):
        builder.add_nodes(Node.of_symbol(it) for it in module.symbols.values() if it.is_type)
        for owner, bases in module.bases:
            source = Node.of_symbol(module.symbols[owner])
            for base in bases:
                target = names.base(module, owner, base)
                builder.count("inherits", target.outcome)
                if target.symbol is not None:
                    builder.link(
                        source, Node.of_symbol(target.symbol), "inherits", target.confidence
                    )


def _add_definitions(builder: GraphBuilder, symbols: SymbolTable) -> None:
    for module in symbols.modules.values():
        for symbol in module.symbols.values():
            builder.link(
                Node.of_file(module.path),
                Node.of_symbol(symbol),
                "defines",
                dependency="containment",
            )


def _add_step(builder: GraphBuilder, step: AutomationStep) -> None:
    is_file = step.kind not in {"action", "image"} or step.target.startswith(".")
    used = Node(f"{step.kind}:{step.target}", step.target, step.kind, step.file, step.line)
    target = Node.of_file(step.target) if is_file else used
    builder.link(Node.of_file(step.file), target, "runs", line=step.line)


# What each file adds to an import graph, so that an edit replaces the imports of one file.


class FileImports(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file as a graph was built from it."""

    key: bytes
    language: str
    outcomes: Outcomes | None
    """How many of its imports were resolved, or why not; None for one that is in no graph."""
    imports: bytes = b""
    """A digest of its imports as they are written; empty for one that is in no graph."""


def imports_by_file(
    listed: Iterable[FileFacts],
    read: Iterable[FileFacts],
    resolutions: Mapping[str, Sequence[Resolution]],
) -> dict[str, FileImports]:
    """Return what to remember of each file, by path; generated ones are not read."""
    written = {file.path: digest_of_imports(file) for file in read}
    return {
        file.path: FileImports(
            file.key,
            file.language,
            _outcomes(resolutions[file.path]) if file.path in resolutions else None,
            written.get(file.path, b""),
        )
        for file in listed
    }


def digest_of_imports(file: FileFacts) -> bytes:
    """Return a digest of the imports of a file with their lines."""
    return key_digest(file.links.imports)


def _outcomes(resolutions: Iterable[Resolution]) -> Outcomes:
    return dict(Counter(map(outcome_of, resolutions)))


def changed_paths(
    before: Mapping[str, FileImports], listed: Collection[FileFacts]
) -> list[str] | None:
    """Return the files with another content than before.

    None where a file is new, gone or in another language: then any import may lead elsewhere.
    """
    if len(listed) != len(before):  # one is new or gone
        return None
    changed: list[str] = []
    for file in listed:
        known = before.get(file.path)
        if known is None or known.language != file.language:
            return None
        if known.key != file.key:
            changed.append(file.path)
    return changed


def replace_imports(
    graph: Graph,
    files: Sequence[FileFacts],
    resolutions: Mapping[str, Sequence[Resolution]],
    before: Mapping[str, FileImports],
    job: Job,
) -> Graph:
    """Return an import graph in which some files have other imports than before."""
    number = {node.id: at for at, node in enumerate(graph.nodes)}
    part = graph_from(files, resolutions, "import-graph", job)
    # Edges refer to nodes by position, and the part has other positions than the whole.
    at = [number[node.id] for node in part.nodes]
    sources = {number[file.path] for file in files}
    paths = {file.path for file in files}
    edges = [edge for edge in graph.edges if edge.source not in sources]
    edges += [replace(it, source=at[it.source], target=at[it.target]) for it in part.edges]
    lost = [it for it in graph.unresolved_imports if it.file not in paths]
    counts = Counter(graph.outcomes.get("imports", {}))
    for file in files:
        counts.subtract(before[file.path].outcomes or {})
        counts.update(_outcomes(resolutions[file.path]))
    known = {outcome: count for outcome, count in sorted(counts.items()) if count}
    return Graph(
        nodes=graph.nodes,
        edges=sorted(edges, key=lambda it: (it.source, it.target)),
        outcomes={"imports": known} if known else {},
        unresolved_imports=sorted(
            (*lost, *part.unresolved_imports), key=lambda it: (it.file, it.line, it.module)
        ),
    )
