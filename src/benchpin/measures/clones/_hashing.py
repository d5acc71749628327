"""Rolling hashes of parts of an array of numbers, without a Python loop over the array.

The hash of a part is a polynomial modulo 2⁶⁴ over well-mixed numbers, computed from prefix sums, so
that any part costs one subtraction. Equal hashes are verified by those who use them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Hashes, Ids, Places

    Keys = NDArray[np.uint32]

# A prime near 2³² divided by the golden ratio, for Knuth's multiplicative hash.
_FACTOR = 0x9E37_79B1
_BITS = 32


def may_repeat(row: "Ids", width: int) -> "Ids":
    """Return the starts of the windows of a width all of whose n-grams occur more than once.

    Most windows occur once, and sorting the hashes of all of them would take longer than everything
    else. But a window with an n-gram that occurs once occurs once itself, and n-grams are counted
    fast: by hashes of few bits, in a table that fits into the processor cache. Where two n-grams
    have the same hash, too many windows are kept; none is lost.
    """
    import numpy as np

    gram = 1 << max(0, width.bit_length() - 2)
    grams = width - gram + 1
    is_single = _counts(row, gram) == 1
    found = [np.zeros(0, np.int32)]
    # The hashes are computed a second time: to keep them would take as much memory as the row.
    for block in blocks(max(0, len(row) - width + 1)):
        is_alone = is_single[_keys(row, gram, slice(block.start, block.stop + grams - 1))]
        alone_before = np.zeros(len(is_alone) + 1, np.int32)
        np.cumsum(is_alone, out=alone_before[1:])
        is_kept = alone_before[grams:] == alone_before[:-grams]
        found.append((np.flatnonzero(is_kept) + block.start).astype(np.int32))
    return np.concatenate(found)


def _counts(row: "Ids", gram: int) -> "Ids":
    """Return how often each hash of an n-gram occurs."""
    import numpy as np

    counts = np.zeros(1 << _used_bits(row), np.int32)
    for block in blocks(max(0, len(row) - gram + 1)):
        np.add.at(counts, _keys(row, gram, block).astype(np.intp), np.int32(1))
    return counts


def _keys(row: "Ids", gram: int, block: slice) -> "Keys":
    """Return a hash of each n-gram, made from those of its halves: log₂ n passes."""
    import numpy as np

    keys = row[block.start : block.stop + gram - 1].astype(np.uint32) * np.uint32(_FACTOR)
    shift = 1
    while shift < gram:
        factor = np.uint32(pow(_FACTOR, shift, 1 << _BITS))
        keys = keys[:-shift] * factor + keys[shift:]
        shift *= 2
    return keys >> np.uint32(_BITS - _used_bits(row))


def _used_bits(row: "Ids") -> int:
    """Return how many bits a hash has, so that there are at most as many hashes as tokens."""
    return max(1, len(row).bit_length() - 1)


# The constants of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
BASE = 0x9E37_79B9_7F4A_7C15
INVERSE = pow(BASE, -1, 1 << 64)
FIRST_FACTOR = 0xBF58_476D_1CE4_E5B9
SECOND_FACTOR = 0x94D0_49BB_1331_11EB
# 128 KiB of 64-bit numbers, which stay in the processor cache.
_BLOCK = 1 << 14


def blocks(size: int) -> Iterator[slice]:
    """Yield slices of an array that fit into the processor cache."""
    for start in range(0, size, _BLOCK):
        yield slice(start, min(start + _BLOCK, size))


def mix(numbers: "NDArray[np.integer]") -> "Hashes":
    """Return well-mixed 64-bit hashes of numbers."""
    import numpy as np

    mixed = numbers.astype(np.uint64)
    _mix(mixed)
    return mixed


class PartHashes:
    """Hashes of any parts of one array."""

    def __init__(self, row: "NDArray[np.integer]") -> None:
        self._sums = _sums(_terms(row))
        self._inverses = _Powers(INVERSE, len(row))

    def hashes(self, starts: "NDArray[np.integer]", sizes: "Places | int") -> "Hashes":
        hashes: Hashes = self._sums[starts + sizes] - self._sums[starts]
        hashes *= self._inverses.at(starts)
        return hashes


def windows_of(row: "NDArray[np.integer]", width: int) -> "Hashes":
    windows = _differences(_sums(_terms(row)), width)
    _Powers(INVERSE, len(windows)).scale(windows)
    return windows


def renamed_windows_of(shapes: "Ids", distances: "Ids", width: int) -> "Hashes":
    """Return the hash of every window of a width, equal for windows that differ only by renaming.

    A name is hashed as its distance to the previous occurrence, or as a new name if that is outside
    of the window (Baker's parameterised matching).
    """
    import numpy as np

    near = np.flatnonzero((distances > 0) & (distances < width))
    terms = _terms(shapes)
    excess = mix(-1 - distances[near].astype(np.int64)) - mix(shapes[near])
    excess *= _Powers(BASE, len(shapes)).at(near)
    terms[near + 1] += excess
    windows = _differences(_sums(terms), width)
    # In windows that begin after the previous occurrence, the name is a new one.
    changes = np.zeros(len(shapes) + 1, np.uint64)
    changes[near - distances[near] + 1] += excess
    changes[near + 1] -= excess
    windows -= _sums(changes)[: len(windows)]
    _Powers(INVERSE, len(windows)).scale(windows)
    return windows


def distances_to_previous(tokens: "Ids", is_name: "NDArray[np.bool_]") -> "Ids":
    """Return for each name the distance to its previous occurrence; 0 for others."""
    import numpy as np

    places = np.flatnonzero(is_name)
    order = places[np.argsort(tokens[places], kind="stable")]
    distances = np.zeros(len(tokens), np.int32)
    is_again = tokens[order[1:]] == tokens[order[:-1]]
    distances[order[1:][is_again]] = (order[1:] - order[:-1])[is_again]
    return distances


def _terms(row: "NDArray[np.integer]") -> "Hashes":
    """Return zero and then the terms of the polynomial."""
    import numpy as np

    terms = np.zeros(len(row) + 1, np.uint64)
    terms[1:] = row
    _mix(terms[1:])
    _Powers(BASE, len(row)).scale(terms[1:])
    return terms


def _sums(terms: "Hashes") -> "Hashes":
    """Replace terms by their prefix sums, in place."""
    import numpy as np

    for part in blocks(len(terms)):
        block = terms[max(0, part.start - 1) : part.stop]
        np.cumsum(block, out=block)
    return terms


def _differences(sums: "Hashes", width: int) -> "Hashes":
    """Replace prefix sums by the sums of every window of a width, in place."""
    import numpy as np

    count = max(0, len(sums) - width)
    for part in blocks(count):
        np.subtract(sums[part.start + width : part.stop + width], sums[part], out=sums[part])
    return sums[:count]


def _mix(values: "Hashes") -> None:
    import numpy as np

    for part in blocks(len(values)):
        block = values[part]
        block += np.uint64(BASE)
        for shift, factor in ((30, FIRST_FACTOR), (27, SECOND_FACTOR)):
            block ^= block >> np.uint64(shift)
            block *= np.uint64(factor)
        block ^= block >> np.uint64(31)


class _Powers:
    """The powers of a number modulo 2⁶⁴, as products from two small tables."""

    def __init__(self, base: int, size: int) -> None:
        self._low = _geometric(base, _BLOCK)
        self._high = _geometric(pow(base, _BLOCK, 1 << 64), size // _BLOCK + 1)

    def at(self, exponents: "NDArray[np.integer]") -> "Hashes":
        powers: Hashes = self._low[exponents % _BLOCK] * self._high[exponents // _BLOCK]
        return powers

    def scale(self, values: "Hashes") -> None:
        """Multiply each value by the power of its position."""
        for part, high in zip(blocks(len(values)), self._high, strict=False):
            block = values[part]
            block *= self._low[: len(block)]
            block *= high


def _geometric(base: int, size: int) -> "Hashes":
    import numpy as np

    powers = np.full(size, base, np.uint64)
    powers[:1] = 1
    return np.cumprod(powers, out=powers)
