"""Find pairs of similar sets without comparing every pair: MinHash with banding (LSH).

For each of many random orders of all elements, take the first element of every set. Two sets agree
in it with a probability equal to their Jaccard similarity. Sets that agree in a whole band of such
elements are candidates.

Of each first element only 16 bits are kept (b-bit minwise hashing: Li and König, WWW 2010): two
different ones agree by chance once in 65,536 times, and a signature takes 120 bytes.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ._hashing import mix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Hashes, Places

    Signatures = NDArray[np.uint16]
    """A row for each set, with 16 bits of its first element in each of the orders."""

# How many pairs are compared at once, to bound the memory.
_PAIRS_AT_ONCE = 1 << 15
_OWNER_BITS = 32


class WeightedSets:
    """A set of elements with weights for each function; that of an equal element is added."""

    def __init__(self, hashes: "Hashes", weights: "Places", starts: "Places") -> None:
        """Take the elements, function after function, and where those of each begin."""
        import numpy as np

        counts = np.diff(np.append(starts, len(hashes)))
        owners = np.repeat(np.arange(len(starts)), counts)
        order = np.argsort(hashes, kind="stable")
        is_new = np.ones(len(hashes), np.bool_)
        is_new[1:] = hashes[order[1:]] != hashes[order[:-1]]
        keys = np.empty(len(hashes), np.int64)
        keys[order] = np.cumsum(is_new) - 1
        keys |= owners << _OWNER_BITS
        order = np.argsort(keys, kind="stable")
        begins = np.flatnonzero(np.append(True, np.diff(keys[order]) != 0)[: len(keys)])
        self._keys: Places = keys[order[begins]]
        self._weights: Places = np.add.reduceat(weights[order], begins)
        self._starts: Places = self._keys.searchsorted(np.arange(len(starts) + 1) << _OWNER_BITS)
        self._totals: Places = np.add.reduceat(weights, starts)

    def dice(self, pairs: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """Return the Dice similarity of each pair: twice what both have, by what they have."""
        import numpy as np

        found = np.zeros(len(pairs))
        for at in range(0, len(pairs), _PAIRS_AT_ONCE):
            part = pairs[at : at + _PAIRS_AT_ONCE]
            found[at : at + _PAIRS_AT_ONCE] = (
                2 * self._shared(part) / self._totals[part].sum(axis=1)
            )
        return found

    def jaccard(self, pairs: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """Return the Jaccard similarity of each pair: what both have, by what either has."""
        import numpy as np

        found = np.zeros(len(pairs))
        for at in range(0, len(pairs), _PAIRS_AT_ONCE):
            part = pairs[at : at + _PAIRS_AT_ONCE]
            shared = self._shared(part)
            found[at : at + _PAIRS_AT_ONCE] = shared / (self._totals[part].sum(axis=1) - shared)
        return found

    def _shared(self, pairs: "NDArray[np.int64]") -> "Places":
        """Return the weight of what both of each pair have."""
        import numpy as np

        widths = np.diff(self._starts)
        # Look up the elements of the one with fewer among those of the other.
        is_swapped = widths[pairs[:, 0]] > widths[pairs[:, 1]]
        few = np.where(is_swapped, pairs[:, 1], pairs[:, 0])
        many = np.where(is_swapped, pairs[:, 0], pairs[:, 1])
        counts = widths[few]
        begins = np.cumsum(counts) - counts
        at = np.repeat(self._starts[few] - begins, counts) + np.arange(int(counts.sum()))
        wanted = self._keys[at] & ((1 << _OWNER_BITS) - 1)
        wanted |= np.repeat(many << _OWNER_BITS, counts)
        found = np.minimum(self._keys.searchsorted(wanted), len(self._keys) - 1)
        weights = np.minimum(self._weights[at], self._weights[found])
        weights[self._keys[found] != wanted] = 0
        return np.add.reduceat(weights, begins)


SHUFFLES = 60
_ROWS = 3
_ROWS_WHERE_LOOSE = 2
_STRICT = 0.5
# How far an estimate may be below the wanted similarity: up to three standard deviations.
MARGIN = 0.2
# A set is paired with this many of the next sets in its bucket: big buckets are boilerplate.
NEIGHBOURS = 12
# How many elements are shuffled at once: 256 KiB, which stay in the processor cache.
_ELEMENTS = 1 << 15
# How many pairs are estimated at once: their signatures stay in the processor cache.
_AT_ONCE = 1 << 14
_BITS = 16
# A pair of sets is one number: that of the first above these bits, and that of the second.
NUMBER_BITS = 29
_SECOND = (1 << NUMBER_BITS) - 1


class Neighbours(NamedTuple):
    """Pairs of sets in the same buckets of one band."""

    pairs: "Places"
    """Each as one number."""
    missed: int
    """How many pairs of these buckets are not among them."""


FindNeighbours = Callable[["Hashes"], Neighbours]


def pack(left: "Places", right: "Places") -> "Places":
    """Return pairs as one number each."""
    return (left << NUMBER_BITS) | right


def unpack(pairs: "Places") -> "tuple[Places, Places]":
    """Return the first and the second of each pair."""
    return pairs >> NUMBER_BITS, pairs & _SECOND


def rows_for(wanted: float) -> int:
    """Return how many rows a band has.

    A pair of similarity s is found with probability 1 - (1 - sʳ)ᵇ, with 20 bands of 3 rows where at
    least 0.5 is wanted (0.99 for s = 0.6), and 30 bands of 2 rows below (0.99 for s = 0.4).
    """
    return _ROWS if wanted >= _STRICT else _ROWS_WHERE_LOOSE


def salts() -> "Hashes":
    """Return a factor for each of the orders."""
    import numpy as np

    return mix(np.arange(SHUFFLES)) | np.uint64(1)


def signatures(elements: "Hashes", starts: "Places") -> "Signatures":
    """Return the signatures of sets, given where the elements of each begin; none may be empty."""
    import numpy as np

    firsts = np.zeros((SHUFFLES, len(starts)), np.uint16)
    bounds = np.append(starts, len(elements))
    first = 0
    while first < len(starts):
        end = int(bounds.searchsorted(bounds[first] + _ELEMENTS, side="right")) - 1
        end = max(first + 1, end)
        some = elements[bounds[first] : bounds[end]]
        here = starts[first:end] - starts[first]
        for row, salt in zip(firsts, salts(), strict=True):
            shuffled = some * salt
            shuffled ^= shuffled >> np.uint64(29)
            # The lower bits: the upper ones of a minimum are mostly zero.
            row[first:end] = np.minimum.reduceat(shuffled, here).astype(np.uint16)
        first = end
    return np.ascontiguousarray(firsts.T)


def band_keys(rows: "Signatures", wanted: float) -> "Iterator[Hashes]":
    """Yield for each band the key of each set: those with the same one are in the same bucket."""
    import numpy as np

    columns = np.ascontiguousarray(rows.T)
    for band in range(0, SHUFFLES, rows_for(wanted)):
        key = np.zeros(len(rows), np.uint64)
        for column in columns[band : band + rows_for(wanted)]:
            key <<= np.uint64(_BITS)
            key |= column
        yield key


def neighbours(key: "Hashes") -> Neighbours:
    """Return pairs with the same key: of each set with the next ones in its bucket."""
    import numpy as np

    order = np.argsort(key, kind="stable")
    ordered = key[order]
    found = [np.zeros(0, np.int64)]
    for step in range(1, min(NEIGHBOURS, len(key) - 1) + 1):
        is_alike = ordered[:-step] == ordered[step:]
        if not is_alike.any():
            break
        found.append(pack(order[:-step][is_alike], order[step:][is_alike]))
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: len(key)])
    sizes = np.diff(ends, prepend=-1)
    pairs = np.concatenate(found)
    return Neighbours(pairs, int((sizes * (sizes - 1) // 2).sum()) - len(pairs))


def are_neighbours(key: "Hashes", left: "Places", right: "Places") -> "NDArray[np.bool_]":
    """Return which pairs `neighbours` finds."""
    import numpy as np

    places = np.empty(len(key), np.int64)
    places[np.argsort(key, kind="stable")] = np.arange(len(key))
    is_near: NDArray[np.bool_] = np.abs(places[left] - places[right]) <= NEIGHBOURS
    is_near &= key[left] == key[right]
    return is_near


def likely(rows: "Signatures", pairs: "Places", wanted: float) -> "NDArray[np.bool_]":
    """Return which pairs may have that Jaccard similarity, by the orders in which they agree."""
    import numpy as np

    is_likely = np.zeros(len(pairs), np.bool_)
    least = (wanted - MARGIN) * SHUFFLES
    for at in range(0, len(pairs), _AT_ONCE):
        left, right = unpack(pairs[at : at + _AT_ONCE])
        agreed = np.count_nonzero(rows[left] == rows[right], axis=1)
        is_likely[at : at + _AT_ONCE] = agreed >= least
    return is_likely
