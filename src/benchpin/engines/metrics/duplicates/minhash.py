"""Pairs of sets that are likely to be much alike, without a look at every pair.

MinHash: of many ways to shuffle all possible elements, in each the first one of a set; two sets
agree in it as often as their Jaccard similarity says. Bands of such firsts are sorted, and those
that agree in a whole band are candidates (locality-sensitive hashing).
"""

from typing import TYPE_CHECKING

from .hashing import mix

if TYPE_CHECKING:
    from .corpus import Hashes, Places

_BANDS = 16
_ROWS = 4
_ROWS_WHERE_LOOSE = 2
_STRICT = 0.7
_NEIGHBOURS = 12
"""With how many of its successors in a bucket a set is paired; big buckets are boilerplate."""


def candidate_pairs(elements: "Hashes", starts: "Places", threshold: float) -> list[tuple[int, int]]:
    """Return pairs of sets that may well be alike to that degree; no set may be empty.

    A pair with similarity s is found with probability 1 - (1 - sʳ)¹⁶, where r is 4 for thresholds
    from 0.7 on and 2 below: 0.99 for s = 0.71 and r = 4, or for s = 0.5 and r = 2.
    """
    import numpy as np

    rows = _ROWS if threshold >= _STRICT else _ROWS_WHERE_LOOSE
    count = len(starts)
    found: list[Places] = []
    for band in range(_BANDS if count > 1 else 0):
        key = np.zeros(count, np.uint64)
        for row in range(rows):
            salt = mix(np.array([band * _ROWS + row]))[0] | np.uint64(1)
            shuffled = elements * salt
            shuffled ^= shuffled >> np.uint64(29)
            key = mix(key ^ np.minimum.reduceat(shuffled, starts))
        order = np.argsort(key, kind="stable")
        for step in range(1, min(_NEIGHBOURS, count - 1) + 1):
            left, right = order[:-step], order[step:]
            alike = key[left] == key[right]
            if not alike.any():
                break
            found.append((left[alike] << 32) | right[alike])
    if not found:
        return []
    pairs = np.unique(np.concatenate(found))
    return list(zip((pairs >> 32).tolist(), (pairs & 0xFFFF_FFFF).tolist(), strict=True))
