"""Gapped clones: functions that are the same except for some lines."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchpin.core.calls import Job

from ._aligning import Aligner, FunctionCorpus
from ._corpus import gather
from ._grouping import CloneType
from ._hashing import windows_of
from ._near_pairs import FunctionSets, NearPairs

if TYPE_CHECKING:
    from ._corpus import Places

# Tokens of a shingle: fewer are too common, more are lost around every changed line.
SHINGLE = 5
# How much lower the similarity of shingles is: a changed line also changes those at its ends.
_BORDER = 0.15


class GappedClones:
    """Functions at least so similar, line by line, that are no renamed clones."""

    type: CloneType = "gapped"

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self.wanted = threshold / (2 - threshold) - _BORDER

    def sets(self, sources: FunctionCorpus, aligner: Aligner) -> Iterator[FunctionSets]:
        """Yield the shingles of the functions: hashes of what some tokens in a row look like."""
        import numpy as np

        corpus = sources.corpus
        for files in corpus.stretches():
            first, last = aligner.files.searchsorted((files.start, files.stop)).tolist()
            if first == last:
                continue
            begin, end = corpus.starts[[files.start, files.stop]].tolist()
            # Not the numbers of shapes: these depend on the other files.
            row = corpus.checksums[np.maximum(corpus.shapes[begin:end], 0)]
            ends = aligner.ends[first:last] - begin - SHINGLE + 1
            shingles = gather(windows_of(row, SHINGLE), aligner.starts[first:last] - begin, ends)
            yield FunctionSets(np.arange(first, last), *shingles)

    def compare(
        self, _sources: FunctionCorpus, aligner: Aligner, pairs: "Places", job: Job
    ) -> NearPairs:
        """Return the clones among pairs of functions."""
        import numpy as np

        threshold = self._threshold
        # The cheapest test first: alignment takes a thousand times as long as the others.
        chosen = np.flatnonzero(aligner.at_most(pairs) >= threshold)
        chosen = chosen[aligner.are_comparable(pairs[chosen])]
        found: list[int] = []
        similarities: list[float] = []
        for at in job.each(chosen.tolist(), "pairs of functions"):
            similarity, _ = aligner.align(*pairs[at].tolist())
            if threshold <= similarity < 1:
                found.append(at)
                similarities.append(similarity)
        return NearPairs(np.array(found, np.int64), np.array(similarities))
