"""Graphs that a server remembers: nothing is built or measured again while nothing changed."""

from collections import deque
from collections.abc import Sequence
from threading import Lock

from benchpin.core import Job
from benchpin.engines.source.basis import Basis
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.resolve import Reader

from .build import build_graph
from .measures import Measures, Metric, measure
from .model import DagType, Graph

_MOST_STUDIES = 2


class Study:
    """A graph, what it was made of, and what was last measured of it."""

    def __init__(
        self, files: Sequence[FileFacts], read: Reader, dag_type: DagType, job: Job
    ) -> None:
        """Build the graph.

        Raises:
            Cancelled: when the job was cancelled.
        """
        self._basis = Basis(files)
        self._dag_type = dag_type
        self._last: tuple[object, Measures] | None = None
        self.graph: Graph = build_graph(files, self._basis.noting(read), dag_type, job)

    def holds(self, files: Sequence[FileFacts], read: Reader, dag_type: DagType) -> bool:
        """Whether building it again would give the same graph."""
        return dag_type == self._dag_type and self._basis.holds(files, read)

    def measure(
        self, metrics: Sequence[Metric], job: Job, *, seeds: Sequence[int], damping: float
    ) -> Measures:
        """Measure the graph; with seeds, PageRank starts anew at these nodes only.

        Raises:
            Cancelled: when the job was cancelled.
        """
        wanted = (tuple(metrics), tuple(seeds), damping)
        last = self._last
        if last is not None and last[0] == wanted:
            return last[1]
        measures = measure(self.graph, metrics, job, seeds=seeds, damping=damping)
        if not measures.not_measured:
            self._last = (wanted, measures)
        return measures


_studies: deque[Study] = deque(maxlen=_MOST_STUDIES)
_remembering = Lock()


def study_graph(files: Sequence[FileFacts], read: Reader, dag_type: DagType, job: Job) -> Study:
    """Return the graph of a kind, the one from before if the files are as they were.

    Raises:
        Cancelled: when the job was cancelled.
    """
    with _remembering:
        known = list(_studies)
    for study in known:
        if study.holds(files, read, dag_type):
            return study
    study = Study(files, read, dag_type, job)
    if not job.missing:
        with _remembering:
            _studies.append(study)
    return study
