"""Similar functions: the same except for some lines, or made of the same ingredients."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchpin.core.calls import Job

from ._aligning import Aligner, FunctionCorpus
from ._corpus import gather
from ._grouping import CloneType
from ._hashing import windows_of
from ._ingredients import FUNCTIONS_AT_ONCE, ingredients_of
from ._minhash import WeightedSets
from ._near_pairs import FunctionSets, NearPairs

if TYPE_CHECKING:
    from ._corpus import Places

# Functions with fewer are too similar to one another.
MIN_INGREDIENTS = 15


class SemanticClones:
    """Functions made of the same ingredients, in any order, that are no gapped clones.

    The ingredients of a function are its loops, branches, comparisons, operators, calls by name,
    literals, and how often each variable is used, whatever its name. Different spellings count as
    one: `for` and `while`, `a < b` and `b > a`, `n += 1` and `n = n + 1`. Similarity is the Jaccard
    similarity of the multisets of ingredients. It does not prove that two functions do the same,
    nor does it find the same done by other means.
    """

    type: CloneType = "semantic"

    def __init__(self, threshold: float) -> None:
        self.wanted = self._threshold = threshold

    def sets(self, sources: FunctionCorpus, aligner: Aligner) -> Iterator[FunctionSets]:
        """Yield the ingredients of the functions that have enough of them."""
        import numpy as np

        row = sources.ingredients
        for first in range(0, len(aligner.starts), FUNCTIONS_AT_ONCE):
            here = slice(first, first + FUNCTIONS_AT_ONCE)
            elements, owners = ingredients_of(row, aligner.starts[here], aligner.ends[here])
            counts = np.bincount(owners, minlength=1)
            rich = np.flatnonzero(counts >= MIN_INGREDIENTS)
            starts = np.cumsum(counts[rich]) - counts[rich]
            yield FunctionSets(rich + first, elements[counts[owners] >= MIN_INGREDIENTS], starts)

    def compare(
        self, sources: FunctionCorpus, aligner: Aligner, pairs: "Places", job: Job
    ) -> NearPairs:
        """Return the clones among pairs of functions."""
        import numpy as np

        threshold = self._threshold
        elements, owners = ingredients_of(sources.ingredients, aligner.starts, aligner.ends)
        starts = owners.searchsorted(np.arange(len(aligner.starts)))
        sets = WeightedSets(elements, np.ones(len(elements), np.int64), starts)
        similarities = sets.jaccard(pairs)
        is_found = similarities >= threshold
        is_found[is_found] = aligner.are_comparable(pairs[is_found])
        # Most are so unlike line by line that they need not be aligned.
        doubtful = np.flatnonzero(is_found)
        doubtful = doubtful[aligner.at_most(pairs[doubtful]) >= threshold]
        is_found[doubtful] = False
        for at in job.each(doubtful.tolist(), "pairs of functions"):
            is_found[at] = aligner.align(*pairs[at].tolist())[0] < threshold
        return NearPairs(np.flatnonzero(is_found), similarities[is_found])


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
