"""Hashes of every stretch of a row of numbers, without a loop over the row.

The hash of a stretch is a polynomial modulo 2⁶⁴ over well-mixed numbers, made from sums up to each
place, so that any stretch costs one subtraction. Equal hashes are only a reason to look.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Hashes, Places, Row

_BASE = 0x9E37_79B9_7F4A_7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_FIRST_FACTOR = 0xBF58_476D_1CE4_E5B9
_SECOND_FACTOR = 0x94D0_49BB_1331_11EB
_BLOCK = 1 << 14


def blocks(size: int) -> Iterator[slice]:
    """Return parts of an array that are worked on at once and stay close to the processor."""
    for start in range(0, size, _BLOCK):
        yield slice(start, min(start + _BLOCK, size))


def mix(numbers: "NDArray[np.integer]") -> "Hashes":
    """Spread numbers over 64 bits."""
    import numpy as np

    mixed = numbers.astype(np.uint64)
    _mix(mixed)
    return mixed


class Stretches:
    """Hashes of the stretches of one row."""

    def __init__(self, row: "NDArray[np.integer]") -> None:
        self._sums = _sums(_terms(row))
        self._inverses = _Powers(_INVERSE, len(row))

    def hashes(self, starts: "Places", sizes: "Places | int") -> "Hashes":
        """Return the hash of each stretch."""
        hashes: Hashes = self._sums[starts + sizes] - self._sums[starts]
        hashes *= self._inverses.at(starts)
        return hashes


def windows_of(row: "Row", width: int) -> "Hashes":
    """Return the hash of every stretch of one width."""
    windows = _differences(_sums(_terms(row)), width)
    _Powers(_INVERSE, len(windows)).scale(windows)
    return windows


def renamed_windows_of(shapes: "Row", distances: "Row", width: int) -> "Hashes":
    """Return the hash of every stretch of one width, whatever its names are.

    A name is hashed as its distance from where it stood before, or as a first one where that is
    outside the stretch: two stretches agree when one becomes the other by renaming.
    """
    import numpy as np

    near = np.flatnonzero((distances > 0) & (distances < width))
    terms = _terms(shapes)
    excess = mix(-1 - distances[near].astype(np.int64)) - mix(shapes[near])
    excess *= _Powers(_BASE, len(shapes)).at(near)
    terms[near + 1] += excess
    windows = _differences(_sums(terms), width)
    # What a name adds as a repeated one must go where the stretch begins behind its predecessor.
    changes = np.zeros(len(shapes) + 1, np.uint64)
    changes[near - distances[near] + 1] += excess
    changes[near + 1] -= excess
    windows -= _sums(changes)[: len(windows)]
    _Powers(_INVERSE, len(windows)).scale(windows)
    return windows


def distances_to_previous(words: "Row", is_name: "NDArray[np.bool_]") -> "Row":
    """Return for each name how far back it stood before; 0 where it did not, or is no name."""
    import numpy as np

    places = np.flatnonzero(is_name)
    order = places[np.argsort(words[places], kind="stable")]
    distances = np.zeros(len(words), np.int32)
    is_again = words[order[1:]] == words[order[:-1]]
    distances[order[1:][is_again]] = (order[1:] - order[:-1])[is_again]
    return distances


def _terms(row: "NDArray[np.integer]") -> "Hashes":
    """Return zero, and what each number adds to the sums."""
    import numpy as np

    terms = np.zeros(len(row) + 1, np.uint64)
    terms[1:] = row
    _mix(terms[1:])
    _Powers(_BASE, len(row)).scale(terms[1:])
    return terms


def _sums(terms: "Hashes") -> "Hashes":
    """Turn terms into the sums up to each."""
    import numpy as np

    for part in blocks(len(terms)):
        block = terms[max(0, part.start - 1) : part.stop]
        np.cumsum(block, out=block)
    return terms


def _differences(sums: "Hashes", width: int) -> "Hashes":
    """Turn sums into those of every stretch of one width."""
    import numpy as np

    count = max(0, len(sums) - width)
    for part in blocks(count):
        np.subtract(sums[part.start + width : part.stop + width], sums[part], out=sums[part])
    return sums[:count]


def _mix(values: "Hashes") -> None:
    import numpy as np

    for part in blocks(len(values)):
        block = values[part]
        block += np.uint64(_BASE)
        for shift, factor in ((30, _FIRST_FACTOR), (27, _SECOND_FACTOR)):
            block ^= block >> np.uint64(shift)
            block *= np.uint64(factor)
        block ^= block >> np.uint64(31)


class _Powers:
    """The powers of a number modulo 2⁶⁴, as products of two small tables."""

    def __init__(self, base: int, size: int) -> None:
        self._low = _geometric(base, _BLOCK)
        self._high = _geometric(pow(base, _BLOCK, 1 << 64), size // _BLOCK + 1)

    def at(self, exponents: "Places") -> "Hashes":
        """Return some powers."""
        powers: Hashes = self._low[exponents % _BLOCK] * self._high[exponents // _BLOCK]
        return powers

    def scale(self, values: "Hashes") -> None:
        """Multiply each value by the power of its place."""
        for part, high in zip(blocks(len(values)), self._high, strict=False):
            block = values[part]
            block *= self._low[: len(block)]
            block *= high


def _geometric(base: int, size: int) -> "Hashes":
    import numpy as np

    powers = np.full(size, base, np.uint64)
    powers[:1] = 1
    return np.cumprod(powers, out=powers)
