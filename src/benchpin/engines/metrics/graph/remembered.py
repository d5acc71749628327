"""Graphs and measures that a session remembers while the files are the same."""

from collections.abc import Sequence

from benchpin.core import Job, WorkspaceSession
from benchpin.engines.source.basis import ManifestReads, content_digest
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.selection import FileSelection

from .build import build_graph
from .dependency_graph import DagType, Graph
from .measures import Measures, Metric, measure

_ROOM = 2
"""Graphs are big: keep those of two kinds, or before and after a change."""


def graph_of(selection: FileSelection, files: Sequence[FileFacts], dag_type: DagType) -> Graph:
    """Return the graph of the selected files, which need their links.

    A remembered one is used while neither the files nor the manifests that it depends on change.
    """
    job = selection.job

    def make() -> tuple[Graph, ManifestReads]:
        reads = ManifestReads(selection.read_manifest)
        return build_graph(files, reads, dag_type, job), reads

    graph, _ = selection.session.remember(
        job,
        "graph",
        (dag_type, content_digest(files)),
        make,
        room=_ROOM,
        is_current=lambda it: it[1].is_current(selection.read_manifest),
        is_fresh=selection.is_fresh,
    )
    return graph


def measures_of(
    session: WorkspaceSession,
    graph: Graph,
    metrics: Sequence[Metric],
    job: Job,
    *,
    seeds: Sequence[int],
    damping: float,
) -> Measures:
    """Return the measures of a graph, remembered or taken now; see `measure`."""
    return session.remember(
        job,
        "graph measures",
        (graph, tuple(metrics), tuple(seeds), damping),
        lambda: measure(graph, metrics, job, seeds=seeds, damping=damping),
        room=_ROOM,
    )
