"""What pairs of functions have in common: lines or other elements, whatever their order."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Hashes, Places

# How many pairs are compared at once, to bound the memory.
_AT_ONCE = 1 << 15
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
        for at in range(0, len(pairs), _AT_ONCE):
            part = pairs[at : at + _AT_ONCE]
            found[at : at + _AT_ONCE] = 2 * self._shared(part) / self._totals[part].sum(axis=1)
        return found

    def jaccard(self, pairs: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """Return the Jaccard similarity of each pair: what both have, by what either has."""
        import numpy as np

        found = np.zeros(len(pairs))
        for at in range(0, len(pairs), _AT_ONCE):
            part = pairs[at : at + _AT_ONCE]
            shared = self._shared(part)
            found[at : at + _AT_ONCE] = shared / (self._totals[part].sum(axis=1) - shared)
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
