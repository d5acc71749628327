"""Find pairs of similar sets without comparing every pair: MinHash with banding (LSH).

For each of many random orders of all elements, take the first element of every set. Two sets agree
in it with a probability equal to their Jaccard similarity. Sets that agree in a whole band of such
elements are candidates.
"""

from typing import TYPE_CHECKING, NamedTuple

from .hashing import mix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Hashes, Places

SHUFFLES = 60
_ROWS = 3
_ROWS_WHERE_LOOSE = 2
_STRICT = 0.5
MARGIN = 0.2
"""How far an estimate may be below the wanted similarity: up to three standard deviations."""
NEIGHBOURS = 12
"""With how many of the next sets in its bucket a set is paired: big buckets are boilerplate."""
_ELEMENTS = 1 << 15
"""How many elements are shuffled at once: 256 KiB, which stay in the processor cache."""
_AT_ONCE = 1 << 16
"""How many pairs are estimated at once, to bound the memory."""


class Candidates(NamedTuple):
    """Pairs of sets that may be similar."""

    pairs: "NDArray[np.int64]"
    """Rows of two numbers."""
    uncompared: int
    """How many pairs of one band were in the same bucket, but are not among them; the most."""


def candidate_pairs(firsts: "Hashes", wanted: float) -> Candidates:
    """Return pairs of sets that are likely to have that Jaccard similarity, by their signatures.

    A pair of similarity s is found with probability 1 - (1 - sʳ)ᵇ, with 20 bands of 3 rows where at
    least 0.5 is wanted (0.99 for s = 0.6), and 30 bands of 2 rows below (0.99 for s = 0.4).
    """
    import numpy as np

    if firsts.shape[1] < 2:  # noqa: PLR2004 - a pair
        return no_candidates()
    rows = rows_for(wanted)
    found: list[Places] = []
    uncompared = 0
    for band in range(0, SHUFFLES, rows):
        key = np.zeros(firsts.shape[1], np.uint64)
        for row in firsts[band : band + rows]:
            key = mix(key ^ row)
        near, missed = _neighbours(key)
        found += near
        uncompared = max(uncompared, missed)
    pairs = _distinct(np.concatenate(found)) if found else np.zeros(0, np.int64)
    kept = pairs[_estimates(firsts, pairs) >= wanted - MARGIN]
    return Candidates(np.column_stack((kept >> 32, kept & 0xFFFF_FFFF)), uncompared)


def no_candidates() -> Candidates:
    """Return that there is no pair."""
    import numpy as np

    return Candidates(np.zeros((0, 2), np.int64), 0)


def rows_for(wanted: float) -> int:
    """Return how many rows a band has."""
    return _ROWS if wanted >= _STRICT else _ROWS_WHERE_LOOSE


def salts() -> "Hashes":
    """Return a factor for each of the orders."""
    import numpy as np

    return mix(np.arange(SHUFFLES)) | np.uint64(1)


def signatures(elements: "Hashes", starts: "Places") -> "Hashes":
    """Return the first element of each set in each of the orders: a row for each order.

    No set may be empty.
    """
    import numpy as np

    firsts = np.zeros((SHUFFLES, len(starts)), np.uint64)
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
            np.minimum.reduceat(shuffled, here, out=row[first:end])
        first = end
    return firsts


def _neighbours(key: "Hashes") -> "tuple[list[Places], int]":
    """Return pairs with the same key, each packed into one number, and how many were left out."""
    import numpy as np

    order = np.argsort(key, kind="stable")
    found: list[Places] = []
    for step in range(1, min(NEIGHBOURS, len(key) - 1) + 1):
        left, right = order[:-step], order[step:]
        is_alike = key[left] == key[right]
        if not is_alike.any():
            break
        found.append((left[is_alike] << 32) | right[is_alike])
    ordered = key[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    sizes = np.diff(ends, prepend=-1)
    return found, int((sizes * (sizes - 1) // 2).sum()) - sum(map(len, found))


def _distinct(pairs: "Places") -> "Places":
    """Return each pair once, in order; np.unique, which hashes, takes five times as long."""
    import numpy as np

    pairs.sort()
    is_new = np.ones(len(pairs), np.bool_)
    is_new[1:] = pairs[1:] != pairs[:-1]
    return pairs[is_new]


def _estimates(firsts: "Hashes", pairs: "Places") -> "NDArray[np.float64]":
    """Return the share of orders in which each pair agrees."""
    import numpy as np

    shares = np.zeros(len(pairs))
    for at in range(0, len(pairs), _AT_ONCE):
        part = pairs[at : at + _AT_ONCE]
        left, right = part >> 32, part & 0xFFFF_FFFF
        shares[at : at + _AT_ONCE] = sum(row[left] == row[right] for row in firsts) / SHUFFLES
    return shares
