"""Pairs of functions that share a bucket, found again after few functions changed.

A bucket of a band has the functions with the same key; its pairs depend on nothing else. So only
those buckets are looked at that a function was added to or taken from.
"""

from typing import TYPE_CHECKING, NamedTuple

from ._minhash import FindNeighbours, band_keys, likely, pack, unpack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Checksums, Hashes, Places
    from ._minhash import Signatures

_BAND_BITS = 5
_TABLE_BITS = 16


class BandPairs(NamedTuple):
    """Pairs of functions, each once and in order."""

    pairs: "Places"
    bands: "Checksums"
    """In which bands: a bit for each."""

    def where(self, chosen: "NDArray[np.bool_] | Places") -> "BandPairs":
        """Return some of the pairs."""
        return BandPairs(self.pairs[chosen], self.bands[chosen])


class Signed(NamedTuple):
    """Functions by their signatures: those that there are now, and then those that are gone."""

    rows: "Signatures"
    present: int
    """How many there are now."""
    earlier: "Places"
    """The number that each had before; below zero for new ones. Those that stayed are in order."""


class PairChanges(NamedTuple):
    """How the pairs of functions that are there now differ from those before."""

    added: BandPairs
    removed: BandPairs
    missed: list[int]
    """How many pairs of each band are in the same bucket, and not among the pairs."""


def changed_pairs(
    functions: Signed, missed: list[int], wanted: float, find: FindNeighbours
) -> PairChanges:
    """Return how pairs changed, given how many were missed before; nothing if all are new."""
    added: list[Places] = []
    removed: list[Places] = []
    now_missed: list[int] = []
    for band, keys in enumerate(band_keys(functions.rows, wanted)):
        if not missed:
            new, left_out = find(keys)
            gone = new[:0]
        else:
            new, gone, left_out = _changes(functions, keys, find)
            left_out += missed[band]
        added.append(new[likely(functions.rows, new, wanted)])
        removed.append(gone)
        now_missed.append(left_out)
    return PairChanges(_joined(added), _joined(removed), now_missed)


def _changes(
    functions: Signed, keys: "Hashes", find: FindNeighbours
) -> "tuple[Places, Places, int]":
    """Return the pairs that are new, those that are no more, and how many more are missed."""
    import numpy as np

    present, earlier = functions.present, functions.earlier
    is_changed = earlier < 0
    is_changed[present:] = True
    touched = _having(keys, keys[is_changed])
    now = touched[touched < present]
    before = touched[earlier[touched] >= 0]
    before = before[np.argsort(earlier[before])]
    pairs_now, missed_now = find(keys[now])
    pairs_before, missed_before = find(keys[before])
    left, right = (before[it] for it in unpack(pairs_before))
    stayed = (left < present) & (right < present)
    old = pack(left[stayed], right[stayed])
    new = pack(*(now[it] for it in unpack(pairs_now)))
    added = np.setdiff1d(new, old, assume_unique=True)
    gone = np.setdiff1d(old, new, assume_unique=True)
    return added, gone, missed_now - missed_before


def _having(keys: "Hashes", wanted: "Hashes") -> "Places":
    """Return the numbers of the functions with one of some keys, in order."""
    import numpy as np

    # A table of few bits first: nearly all keys are not there, and need no search.
    below = np.uint64((1 << _TABLE_BITS) - 1)
    table = np.zeros(1 << _TABLE_BITS, np.bool_)
    table[wanted & below] = True
    at = np.flatnonzero(table[keys & below])
    return at[np.isin(keys[at], wanted)]


def _joined(found: "list[Places]") -> BandPairs:
    """Return each pair once, given those of each band."""
    import numpy as np

    marked = np.concatenate([(it << _BAND_BITS) | band for band, it in enumerate(found)])
    marked.sort()
    pairs = marked >> _BAND_BITS
    is_new = np.ones(len(pairs), np.bool_)
    is_new[1:] = pairs[1:] != pairs[:-1]
    firsts = np.flatnonzero(is_new)
    bits = np.left_shift(np.uint32(1), (marked & ((1 << _BAND_BITS) - 1)).astype(np.uint32))
    bands = np.bitwise_or.reduceat(bits, firsts) if len(firsts) else bits
    return BandPairs(pairs[firsts], bands)


def updated_pairs(known: BandPairs, changes: PairChanges) -> "tuple[Checksums, NDArray[np.bool_]]":
    """Return in which bands known pairs are now, and which of the added ones are known."""
    bands = known.bands.copy()
    at, is_known = _found_in(known.pairs, changes.removed.pairs)
    bands[at] &= ~changes.removed.bands[is_known]
    at, is_known = _found_in(known.pairs, changes.added.pairs)
    bands[at] |= changes.added.bands[is_known]
    return bands, is_known


def _found_in(row: "Places", wanted: "Places") -> "tuple[Places, NDArray[np.bool_]]":
    """Return where those of some numbers are in a sorted row that are in it, and which they are."""
    import numpy as np

    if not len(row):
        return np.zeros(0, np.int64), np.zeros(len(wanted), np.bool_)
    at = np.minimum(row.searchsorted(wanted), len(row) - 1)
    is_there = row[at] == wanted
    return at[is_there], is_there
