"""How much two texts have in common."""

from collections.abc import Hashable, Sequence


def common_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence.

    Hyyrö, "Bit-parallel LCS-length computation revisited" (2004): a bit for each element of the
    one, so that each element of the other costs a few operations on one integer.
    """
    places: dict[Hashable, int] = {}
    for at, element in enumerate(one):
        places[element] = places.get(element, 0) | 1 << at
    every = (1 << len(one)) - 1
    row = every
    for element in other:
        matches = row & places.get(element, 0)
        row = (row + matches | row - matches) & every
    return len(one) - row.bit_count()


def similarity(one: str, other: str) -> float:
    """Return twice the common length as a share of both lengths, from 0 to 1."""
    total = len(one) + len(other)
    return 1 - (total - 2 * common_length(one, other)) / total if total else 1.0
