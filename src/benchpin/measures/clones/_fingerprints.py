"""Few numbers for each file, so that files with code in common have one in common.

Winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003): of all n-grams in a window the one with the
lowest hash is chosen. Windows that are equal choose the same, and neighbours mostly share theirs.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._corpus import Corpus

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Places

    Keys = NDArray[np.uint32]

_FACTOR = 0x9E37_79B1
_BITS = 32
_TABLE_BITS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprints:
    """The numbers of files one after the other, and how many each file has."""

    values: "Keys"
    counts: "Places"

    def sharing(self, others: "Keys") -> "Places":
        """Return the numbers of the files that have one of these numbers."""
        import numpy as np

        # A table of few bits first: nearly all numbers are not there, and need no search.
        shift = np.uint32(_BITS - _TABLE_BITS)
        table = np.zeros(1 << _TABLE_BITS, np.bool_)
        table[others >> shift] = True
        at = np.flatnonzero(table[self.values >> shift])
        at = at[np.isin(self.values[at], others)]
        ends = np.cumsum(self.counts)
        return np.unique(ends.searchsorted(at, side="right"))


def fingerprints_of(corpus: Corpus, width: int) -> Fingerprints:
    """Return the fingerprints of the files of a corpus, for windows of a width.

    Names count as one, and literals too, where the corpus has shapes.
    """
    import numpy as np

    gram = 1 << (width.bit_length() - 1)
    values = [np.zeros(0, np.uint32)]
    counts = [np.zeros(0, np.int64)]
    for files in corpus.stretches():
        chosen, owners = _chosen(corpus, files, width, gram)
        values.append(chosen)
        counts.append(np.bincount(owners, minlength=len(files)))
    return Fingerprints(np.concatenate(values), np.concatenate(counts))


def _chosen(
    corpus: Corpus, files: range, width: int, gram: int
) -> "tuple[Keys, NDArray[np.int64]]":
    """Return the chosen hashes of some files, each once, and the file of each."""
    import numpy as np

    row = corpus.shapes[corpus.starts[files.start] : corpus.starts[files.stop]]
    is_end = row < 0
    keys = _grams(corpus.checksums[np.maximum(row, 0)], gram)
    lowest = _lowest(keys, width - gram + 1)
    ends: Places = np.cumsum(is_end)
    owners = ends[: len(lowest)] - is_end[: len(lowest)]
    is_inside: NDArray[np.bool_] = ends[width - 1 :] == owners
    marked = (owners[is_inside].astype(np.uint64) << np.uint64(_BITS)) | lowest[is_inside]
    is_new = np.ones(len(marked), np.bool_)
    is_new[1:] = marked[1:] != marked[:-1]
    marked = np.unique(marked[is_new])
    return marked.astype(np.uint32), (marked >> np.uint64(_BITS)).astype(np.int64)


def _grams(row: "Keys", gram: int) -> "Keys":
    """Return a hash of every n-gram, each made from those of its halves."""
    import numpy as np

    keys, shift = row, 1
    while shift < gram:
        factor = np.uint32(pow(_FACTOR, shift, 1 << _BITS))
        keys = keys[:-shift] * factor + keys[shift:]
        keys ^= keys >> np.uint32(15)
        shift *= 2
    return keys


def _lowest(keys: "Keys", width: int) -> "Keys":
    """Return the lowest number of every window of this width."""
    import numpy as np

    size = 1
    while 2 * size <= width:
        keys = np.minimum(keys[:-size], keys[size:])
        size *= 2
    rest = width - size
    return np.minimum(keys[: len(keys) - rest], keys[rest:]) if rest else keys
