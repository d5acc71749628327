"""Which pairs of functions may be similar, by the lines that both have, whatever their order."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Hashes, Places

_AT_ONCE = 1 << 15
"""How many pairs are compared at once, to bound the memory."""
_OWNER_BITS = 32


class LineSets:
    """The lines of functions as multisets of tokens: for each distinct line, how many it has."""

    def __init__(self, hashes: "Hashes", sizes: "Places", starts: "Places") -> None:
        """Take the hash and size of each line, function after function, and where each begins."""
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
        self._tokens: Places = np.add.reduceat(sizes[order], begins)
        self._starts: Places = self._keys.searchsorted(np.arange(len(starts) + 1) << _OWNER_BITS)
        self._totals: Places = np.add.reduceat(sizes, starts)

    def may_have(
        self, pairs: Sequence[tuple[int, int]], similarity: float
    ) -> list[tuple[int, int]]:
        """Return the pairs whose lines in common allow for a similarity."""
        import numpy as np

        both = np.array(pairs, np.int64).reshape(-1, 2)
        totals = self._totals[both]
        both = both[2 * totals.min(axis=1) >= similarity * totals.sum(axis=1)]
        kept = [
            part[2 * self._shared(part) >= similarity * self._totals[part].sum(axis=1)]
            for part in (both[at : at + _AT_ONCE] for at in range(0, len(both), _AT_ONCE))
        ]
        return [(left, right) for part in kept for left, right in part.tolist()]

    def _shared(self, pairs: "NDArray[np.int64]") -> "Places":
        """Return how many tokens of each pair are in lines that both have."""
        import numpy as np

        widths = np.diff(self._starts)
        # Look up the lines of the one with fewer among those of the other.
        is_swapped = widths[pairs[:, 0]] > widths[pairs[:, 1]]
        few = np.where(is_swapped, pairs[:, 1], pairs[:, 0])
        many = np.where(is_swapped, pairs[:, 0], pairs[:, 1])
        counts = widths[few]
        begins = np.cumsum(counts) - counts
        at = np.repeat(self._starts[few] - begins, counts) + np.arange(int(counts.sum()))
        wanted = self._keys[at] & ((1 << _OWNER_BITS) - 1)
        wanted |= np.repeat(many << _OWNER_BITS, counts)
        found = np.minimum(self._keys.searchsorted(wanted), len(self._keys) - 1)
        tokens = np.minimum(self._tokens[at], self._tokens[found])
        tokens[self._keys[found] != wanted] = 0
        return np.add.reduceat(tokens, begins)
