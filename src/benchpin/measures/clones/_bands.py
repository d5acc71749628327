"""Pairs of functions that share a bucket, found again after few functions changed.

A bucket of a band has the functions with the same key; its pairs depend on nothing else. So only
those buckets are looked at that a function was added to or taken from.
"""

from typing import TYPE_CHECKING, NamedTuple

from ._minhash import FindNeighbours, are_neighbours, band_keys, likely, pack, unpack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Hashes, Places
    from ._minhash import Signatures

_TABLE_BITS = 16


class Signed(NamedTuple):
    """Functions by their signatures: those that there are now, and then those that are gone."""

    rows: "Signatures"
    present: int
    """How many there are now."""
    earlier: "Places"
    """The number that each had before; below zero for new ones. Those that stayed are in order."""


class PairChanges(NamedTuple):
    """How the pairs of functions that are there now differ from those before."""

    added: "Places"
    """Pairs that were not in a bucket of each band, each once and in order."""
    is_kept: "NDArray[np.bool_]"
    """Which of the known pairs are still close in a bucket."""
    missed: list[int]
    """How many pairs of each band are in the same bucket, and not among the pairs."""


def changed_pairs(
    functions: Signed, known: "Places", missed: list[int], wanted: float, find: FindNeighbours
) -> PairChanges:
    """Return how pairs changed, given those that are known and how many were missed before."""
    import numpy as np

    added: list[Places] = []
    now_missed: list[int] = []
    is_kept = np.zeros(len(known), np.bool_)
    for band, keys in enumerate(band_keys(functions.rows, wanted)):
        if not missed:
            new, left_out = find(keys)
        else:
            new, left_out = _changes(functions, keys, find)
            left_out += missed[band]
            is_kept |= are_neighbours(keys[: functions.present], *unpack(known))
        added.append(new[likely(functions.rows, new, wanted)])
        now_missed.append(left_out)
    return PairChanges(np.unique(np.concatenate(added)), is_kept, now_missed)


def _changes(functions: Signed, keys: "Hashes", find: FindNeighbours) -> "tuple[Places, int]":
    """Return the pairs that are new in a band, and how many more are missed."""
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
    old = pack(*(before[it] for it in unpack(pairs_before)))
    new = pack(*(now[it] for it in unpack(pairs_now)))
    return np.setdiff1d(new, old, assume_unique=True), missed_now - missed_before


def _having(keys: "Hashes", wanted: "Hashes") -> "Places":
    """Return the numbers of the functions with one of some keys, in order."""
    import numpy as np

    # A table of few bits first: nearly all keys are not there, and need no search.
    below = np.uint64((1 << _TABLE_BITS) - 1)
    table = np.zeros(1 << _TABLE_BITS, np.bool_)
    table[wanted & below] = True
    at = np.flatnonzero(table[keys & below])
    return at[np.isin(keys[at], wanted)]
