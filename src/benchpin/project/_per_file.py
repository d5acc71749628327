"""What measures of a whole project say of each file."""

from collections import Counter
from collections.abc import Iterable

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.facts import FileFacts
from benchpin.measures.clones import Duplicates
from benchpin.measures.debt_gradient import Coupling
from benchpin.measures.graph import Graph

# Graphs whose coupling is remembered.
_ROOM = 2


def duplicated_shares(found: Duplicates, files: Iterable[FileFacts]) -> dict[str, float]:
    """Return for each file the share that is duplicated elsewhere, from 0 to 1."""
    shares = {it.file: it.duplicated_lines / it.total_lines for it in found.files}
    return {file.path: shares.get(file.path, 0.0) for file in files}


def known_coupling(session: WorkspaceSession, job: Job, graph: Graph) -> dict[str, Coupling]:
    """Return `coupling_of`, computed once for each graph."""
    return session.remember(job, "coupling", graph, lambda: coupling_of(graph), room=_ROOM)


def coupling_of(graph: Graph) -> dict[str, Coupling]:
    """Return how many others each file of an import graph uses, and how many use it."""
    pairs = graph.pairs()
    used = Counter(source for source, _ in pairs)
    users = Counter(target for _, target in pairs)
    return {node.file: Coupling(used[at], users[at]) for at, node in enumerate(graph.nodes)}
