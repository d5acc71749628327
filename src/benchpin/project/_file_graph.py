"""What graphs and clones say of each file: import cycles, coupling, the duplicated share."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchpin.facts import FileFacts
from benchpin.measures.clones import Duplicates
from benchpin.measures.debt_gradient import Coupling
from benchpin.measures.graph import Graph, Measures


def duplicated_shares(found: Duplicates, files: Iterable[FileFacts]) -> dict[str, float]:
    """Return for each file the share that is duplicated elsewhere, from 0 to 1."""
    shares = {it.file: it.duplicated_lines / it.total_lines for it in found.files}
    return {file.path: shares.get(file.path, 0.0) for file in files}


def coupling_of(graph: Graph) -> dict[str, Coupling]:
    """Return how many others each file of an import graph uses, and how many use it."""
    pairs = graph.pairs()
    used = Counter(source for source, _ in pairs)
    users = Counter(target for _, target in pairs)
    return {node.file: Coupling(used[at], users[at]) for at, node in enumerate(graph.nodes)}


@dataclass(frozen=True, slots=True)
class FileCycle:
    """Files that all import one another, directly or through others."""

    files: tuple[str, ...]
    path: tuple[str, ...]
    """A shortest way around, through some of them."""
    imports: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """The line in each file that imports another one, and which; on the path, the next one."""

    def line(self, file: str) -> int:
        """Return the line of the import in a file."""
        return self.imports.get(file, (1, ""))[0]


def file_cycles(graph: Graph, measures: Measures) -> list[FileCycle]:
    """Return the cycles of an import graph, the biggest first."""
    nodes = graph.nodes
    found = []
    # A node is in one cycle at most: these are the strongly connected components.
    cycle_of = {at: number for number, ends in enumerate(measures.cycle_members) for at in ends}
    inside: list[dict[str, tuple[int, str]]] = [{} for _ in measures.cycle_members]
    for edge in graph.edges:
        number = cycle_of.get(edge.source)
        if (
            number is not None
            and number == cycle_of.get(edge.target)
            and edge.dependency == "runtime"
        ):
            # The first of a file counts; edges are sorted by their ends.
            line_and_target = edge.line, nodes[edge.target].file
            inside[number].setdefault(nodes[edge.source].file, line_and_target)
    for cycle, members, imports in zip(
        measures.cycles or (), measures.cycle_members, inside, strict=True
    ):
        following = (*cycle.path[1:], cycle.path[0])
        for file, line, after in zip(cycle.path, cycle.lines, following, strict=True):
            imports[file] = (line, after)
        files = tuple(nodes[at].file for at in members)
        found.append(FileCycle(files, tuple(cycle.path), imports))
    return found
