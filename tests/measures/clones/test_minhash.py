"""Where very many sets are alike, the number of pairs is bounded, and what is left out counted."""

import numpy as np
import pytest
from numpy.typing import NDArray

from benchpin.measures.clones._bands import PairChanges, Signed, changed_pairs
from benchpin.measures.clones._hashing import mix
from benchpin.measures.clones._minhash import WeightedSets, neighbours, signatures, unpack

NEIGHBOURS = 12


WANTED = 0.8


def pairs_of(elements: NDArray[np.uint64], starts: NDArray[np.int64]) -> PairChanges:
    """Return the candidates among sets that are all new."""
    rows = signatures(elements, starts)
    functions = Signed(rows, len(rows), np.full(len(rows), -1))
    return changed_pairs(functions, np.zeros(0, np.int64), [], WANTED, neighbours)


@pytest.mark.parametrize(("count", "left_out"), [(2, 0), (13, 0), (14, 1), (100, 3828)])
def test_of_many_equal_sets_each_is_paired_with_its_neighbours(count: int, left_out: int) -> None:
    found = pairs_of(np.tile(mix(np.arange(10)), count), np.arange(count) * 10)
    steps = [(at, at + step) for at in range(count) for step in range(1, NEIGHBOURS + 1)]
    pairs = list(zip(*(it.tolist() for it in unpack(found.added)), strict=True))
    assert pairs == [it for it in steps if it[1] < count]
    assert set(found.missed) == {left_out} == {count * (count - 1) // 2 - len(pairs)}


def test_unlike_sets_make_no_pairs() -> None:
    found = pairs_of(mix(np.arange(1_000)), np.arange(0, 1_000, 10))
    assert (len(found.added), set(found.missed)) == (0, {0})


def test_similarity_of_weighted_sets() -> None:
    hashes = np.array([1, 2, 2, 2, 3, 9], np.uint64)
    sets = WeightedSets(hashes, np.array([5, 1, 1, 1, 4, 7]), np.array([0, 3, 5]))
    pairs = np.array([[0, 1], [1, 0], [0, 2]])
    # Both have 2: two tokens of it in the first, one in the second.
    assert sets.dice(pairs).tolist() == [2 * 1 / 12, 2 * 1 / 12, 0.0]
    assert sets.jaccard(pairs).tolist() == [1 / 11, 1 / 11, 0.0]
