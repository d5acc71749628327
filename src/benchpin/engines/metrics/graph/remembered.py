"""Graphs and their measures, kept from call to call and from process to process."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from benchpin.core import Job, WorkspaceSession
from benchpin.engines.source.basis import ManifestReads, are_current
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.reductions import Reduction, remember
from benchpin.engines.source.selection import FileSelection

from .build import build_graph
from .dependency_graph import DagType, Graph
from .measures import Measures, Metric, measure


@dataclass(frozen=True, slots=True)
class _BuiltGraph:
    """A graph, and the manifests that it depends on."""

    graph: Graph
    manifests: dict[str, bytes | None]
    """The digest of each; None for one that is not there."""


_GRAPH = Reduction[_BuiltGraph]("graph", _BuiltGraph)
_MEASURES = Reduction[Measures]("graph measures", Measures)
_COMPONENTS = Reduction[Measures]("graph components", Measures)


def graph_of(
    selection: FileSelection,
    digest: bytes,
    files: Callable[[], Sequence[FileFacts]],
    dag_type: DagType,
) -> Graph:
    """Return the graph of the selected files; `digest` is that of their paths and contents.

    `files` returns them with their links, and is called only if there is no graph that was built
    from the same files and manifests.
    """
    job = selection.job

    def make() -> _BuiltGraph:
        reads = ManifestReads(selection.read_manifest)
        return _BuiltGraph(build_graph(files(), reads, dag_type, job), reads.digests)

    return remember(
        selection.session,
        job,
        _GRAPH,
        (dag_type, digest),
        make,
        is_current=lambda it: are_current(it.manifests, selection.read_manifest),
        is_fresh=selection.is_fresh,
    ).graph


def measures_of(
    session: WorkspaceSession,
    graph: Graph,
    metrics: Sequence[Metric],
    job: Job,
    *,
    seeds: Sequence[int],
    damping: float,
) -> Measures:
    """Return the measures of a graph, recalled or taken now; see `measure`.

    Components and cycles name nodes and lines. The other measures depend on nothing but which nodes
    have an edge: an edit that changes no edge leaves them as they are.
    """
    ends = [(edge.source, edge.target) for edge in graph.edges]
    shape = msgspec.msgpack.encode((len(graph.nodes), ends))
    others = tuple(it for it in metrics if it != "components")
    found = remember(
        session,
        job,
        _MEASURES,
        (shape, others, tuple(seeds), damping),
        lambda: measure(graph, others, job, seeds=seeds, damping=damping),
    )
    if "components" not in metrics:
        return found
    parts = components_of(session, graph, job)
    return replace(
        found,
        components=parts.components,
        strong_components=parts.strong_components,
        cycles=parts.cycles,
        cycle_members=parts.cycle_members,
        other_cycles=parts.other_cycles,
        not_measured=parts.not_measured | found.not_measured,
    )


def components_of(session: WorkspaceSession, graph: Graph, job: Job) -> Measures:
    """Return the components and cycles of a graph; recalled while no edge changes its line."""
    nodes = [node.id for node in graph.nodes]
    return remember(
        session,
        job,
        _COMPONENTS,
        (msgspec.msgpack.encode((nodes, graph.edges)),),
        lambda: measure(graph, ("components",), job),
    )
