"""Graphs that a server remembers: nothing is built or measured again while nothing changed."""

import hashlib
from collections import deque
from collections.abc import Sequence
from operator import is_
from threading import Lock

from benchpin.core import Job
from benchpin.engines.source.index import AnySection, FileFacts
from benchpin.engines.source.resolve import Reader

from .build import build_graph
from .measures import Measures, Metric, measure
from .model import DagType, Graph

_MOST_STUDIES = 2
_Digest = bytes | None


class Study:
    """A graph, what it was made of, and what was last measured of it."""

    def __init__(
        self, files: Sequence[FileFacts], read: Reader, dag_type: DagType, job: Job
    ) -> None:
        """Build the graph.

        Raises:
            Cancelled: when the job was cancelled.
        """
        self._looked_up: dict[str, _Digest] = {}
        self._dag_type = dag_type
        self._paths = [file.path for file in files]
        self._facts = _facts(files)
        self._last: tuple[object, Measures] | None = None

        def noting(path: str) -> bytes | None:
            data = read(path)
            self._looked_up[path] = _digest(data)
            return data

        self.graph: Graph = build_graph(files, noting, dag_type, job)

    def holds(self, files: Sequence[FileFacts], read: Reader, dag_type: DagType) -> bool:
        """Whether building it again would give the same graph."""
        facts = _facts(files)
        return (
            dag_type == self._dag_type
            and len(facts) == len(self._facts)
            and all(map(is_, facts, self._facts))
            and [file.path for file in files] == self._paths
            and all(_digest(read(path)) == known for path, known in self._looked_up.items())
        )

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


def _facts(files: Sequence[FileFacts]) -> list[AnySection]:
    """Return what graphs are made of; the index keeps these as long as a file does not change."""
    return [section for file in files for section in (file.outline, file.links)]


def _digest(data: bytes | None) -> _Digest:
    return None if data is None else hashlib.blake2b(data, digest_size=16).digest()
