"""Find everything that stands more than once in a row of words, as groups of places."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchpin.core import Job

from .hashing import Stretches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Hashes, Places

MOST_PLACES = 1_000
"""How many places of one repeat are looked at."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A stretch and the places where it stands, in order; they do not overlap."""

    places: tuple[int, ...]
    size: int


def find_repeats(windows: "Hashes", width: int, job: Job) -> Iterator[Repeat]:
    """Return what repeats, the longest first, as far as hashes tell; a window is `width` words.

    For each window the one before it with the same hash is taken, and the pair extended to both
    sides as far as it goes. What was found so is looked up wherever it begins.
    """
    groups = _Groups(windows)
    pairs = groups.pairs(width)
    if not len(pairs[0]):
        return
    runs = Stretches(groups.numbers)
    firsts, seconds, lengths = groups.extend(runs, *pairs)
    # A stretch that overlaps its own copy is a period: taken once, as far as its first copy.
    lengths = _minimum(lengths, seconds - firsts - width + 1)
    kept = lengths > 0
    firsts, lengths = firsts[kept], lengths[kept]
    for first, length in job.each(_distinct(runs, firsts, lengths), "repeats"):
        places = groups.members(first)[:MOST_PLACES]
        whole = runs.hashes(places, length) == runs.hashes(places[:1] * 0 + first, length)
        apart = _apart(places[whole].tolist(), length + width - 1)
        if len(apart) > 1:
            yield Repeat(apart, length + width - 1)


class _Groups:
    """Windows with the same hash."""

    def __init__(self, windows: "Hashes") -> None:
        import numpy as np

        bits = max(1, len(windows).bit_length())
        below = np.uint64((1 << bits) - 1)
        # The upper bits of the hash and the place in one number: sorted faster, and in order.
        keys = np.arange(len(windows), dtype=np.uint64)
        keys |= windows & ~below
        keys.sort()
        is_same = keys[1:] ^ keys[:-1] <= below
        repeated = np.zeros(len(windows), np.bool_)
        repeated[1:] = is_same
        repeated[:-1] |= is_same
        kept = keys[repeated]
        self._places = (kept & below).astype(np.int64)
        kept >>= np.uint64(bits)
        self._keys = np.cumsum(np.concatenate(([0], kept[1:] != kept[:-1])), dtype=np.int64)
        size = len(windows)
        self.numbers = np.arange(-1, -1 - size, -1, dtype=np.int32)
        """For each window its group; a number of its own if it stands alone."""
        self.numbers[self._places] = self._keys

    def members(self, window: int) -> "Places":
        """Return the windows like one that repeats."""
        key = self.numbers[window]
        start, end = self._keys.searchsorted((key, key + 1))
        return self._places[start:end]

    def pairs(self, width: int) -> "tuple[Places, Places]":
        """Return runs of windows, and those before them that are alike, by their first ones."""
        import numpy as np

        before = np.full(len(self.numbers) + 1, -2, np.int64)
        places, keys = self._places, self._keys
        is_alike = keys[1:] == keys[:-1]
        previous, here = places[:-1][is_alike], places[1:][is_alike]
        first_of = places[np.searchsorted(keys, keys[1:][is_alike])]
        previous = np.where(here - previous < width, first_of, previous)
        is_apart = here - previous >= width
        before[here[is_apart]] = previous[is_apart]
        begins = before[:-1] >= 0
        begins[1:] &= before[1:-1] != before[:-2] + 1
        seconds = np.flatnonzero(begins)
        return before[seconds], seconds

    def extend(
        self, runs: Stretches, firsts: "Places", seconds: "Places"
    ) -> "tuple[Places, Places, Places]":
        """Return pairs that go on in neither direction, with how many windows they have."""
        import numpy as np

        size = len(self.numbers)
        back = _longest(lambda n: runs.hashes(firsts - n, n) == runs.hashes(seconds - n, n), firsts)
        firsts, seconds = firsts - back, seconds - back
        ahead = _longest(
            lambda n: runs.hashes(firsts, n) == runs.hashes(seconds, n), size - seconds
        )
        pairs = np.unique(np.stack((firsts, seconds, ahead)), axis=1)
        return pairs[0], pairs[1], pairs[2]


def _longest(agree: "Callable[[Places], NDArray[np.bool_]]", most: "Places") -> "Places":
    """Return how far each pair agrees, by halving."""
    import numpy as np

    low, high = np.zeros_like(most), most.copy()
    while bool((low < high).any()):
        middle = (low + high + 1) // 2
        is_equal = agree(middle)
        low = np.where(is_equal, middle, low)
        high = np.where(is_equal, high, middle - 1)
    return low


def _minimum(left: "Places", right: "Places") -> "Places":
    import numpy as np

    return np.minimum(left, right)


def _distinct(runs: Stretches, firsts: "Places", lengths: "Places") -> list[tuple[int, int]]:
    """Return each stretch once, the longest first, by its first window and their number."""
    import numpy as np

    hashes = runs.hashes(firsts, lengths)
    order = np.lexsort((firsts, hashes, -lengths))
    firsts, lengths, hashes = firsts[order], lengths[order], hashes[order]
    is_new = np.ones(len(firsts), np.bool_)
    is_new[1:] = (lengths[1:] != lengths[:-1]) | (hashes[1:] != hashes[:-1])
    kept = np.lexsort((firsts[is_new], -lengths[is_new]))
    return list(
        zip(firsts[is_new][kept].tolist(), lengths[is_new][kept].tolist(), strict=True)
    )


def _apart(places: list[int], size: int) -> tuple[int, ...]:
    """Return places from the first on that do not overlap."""
    kept: list[int] = []
    for place in places:
        if not kept or place >= kept[-1] + size:
            kept.append(place)
    return tuple(kept)
