"""Find everything that stands more than once in a row of words, as groups of places."""

from collections.abc import Callable, Iterator, Sequence
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
_MOST_STEPS = 8
"""With how many windows before it each one is paired."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A stretch and the places where it stands, in order; they do not overlap."""

    places: tuple[int, ...]
    size: int


def find_repeats(windows: "Hashes", width: int, job: Job) -> Iterator[Repeat]:
    """Return what repeats, the longest first, as far as hashes tell; a window is `width` words.

    Each window is paired with those before it that have the same hash, and a pair is extended to
    both sides as far as it goes. What was found so is looked up wherever it begins.
    """
    groups = _Groups(windows)
    del windows
    runs = Stretches(groups.numbers)
    found = [groups.stretches(runs, width, step) for step in range(1, _MOST_STEPS + 1)]
    for first, length, known in job.each(_distinct(runs, found), "repeats"):
        places = groups.members(first)[:MOST_PLACES]
        places = places[places <= len(groups.numbers) - length]
        whole = places[runs.hashes(places, length) == known]
        if _is_tandem(runs, whole, length, width):
            continue
        apart = _apart(whole.tolist(), length + width - 1)
        if len(apart) > 1:
            yield Repeat(apart, length + width - 1)


class _Groups:
    """Windows with the same hash; takes over the array that it is given."""

    def __init__(self, windows: "Hashes") -> None:
        import numpy as np

        bits = max(1, len(windows).bit_length())
        below = np.uint64((1 << bits) - 1)
        # The upper bits of the hash and the place in one number: sorted faster, and in order.
        keys = windows
        keys &= ~below
        keys |= np.arange(len(windows), dtype=np.uint64)
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

    def stretches(self, runs: Stretches, width: int, step: int) -> "tuple[Places, Places]":
        """Return what windows share with the one so many places before them in their group.

        Both where a pair is first met and where it begins when extended to the left: there fewer
        places may agree. Each by its first window and the number of its windows.
        """
        import numpy as np

        firsts, seconds = self._pairs(width, step)
        back = _longest(lambda n: runs.hashes(firsts - n, n) == runs.hashes(seconds - n, n), firsts)
        most = len(self.numbers) - seconds
        ahead = _longest(lambda n: runs.hashes(firsts, n) == runs.hashes(seconds, n), most)
        # A stretch that overlaps its own copy is a period: taken as far as its first copy.
        apart = seconds - firsts - width + 1
        begins = np.concatenate((firsts - back, firsts))
        lengths = np.concatenate((np.minimum(ahead + back, apart), np.minimum(ahead, apart)))
        return begins, lengths

    def _pairs(self, width: int, step: int) -> "tuple[Places, Places]":
        """Return pairs of like windows that do not go on a pair before them."""
        import numpy as np

        places, keys = self._places, self._keys
        is_alike = keys[step:] == keys[:-step]
        previous, here = places[:-step][is_alike], places[step:][is_alike]
        is_apart = here - previous >= width
        before = np.full(len(self.numbers) + 1, -2, np.int32)
        before[here[is_apart] + 1] = previous[is_apart]
        begins = before[1:] >= 0
        begins &= before[1:] != before[:-1] + 1
        seconds = np.flatnonzero(begins)
        return before[seconds + 1].astype(np.int64), seconds


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


def _distinct(
    runs: Stretches, found: "Sequence[tuple[Places, Places]]"
) -> "list[tuple[int, int, np.uint64]]":
    """Return each stretch once, the longest first: its first window, their number, its hash."""
    import numpy as np

    firsts = np.concatenate([begins for begins, _ in found])
    lengths = np.concatenate([sizes for _, sizes in found])
    hashes = runs.hashes(firsts, lengths)
    order = np.lexsort((firsts, hashes, lengths))
    firsts, lengths, hashes = firsts[order], lengths[order], hashes[order]
    is_new = np.ones(len(firsts), np.bool_)
    is_new[1:] = (lengths[1:] != lengths[:-1]) | (hashes[1:] != hashes[:-1])
    firsts, lengths, hashes = firsts[is_new], lengths[is_new], hashes[is_new]
    order = np.lexsort((firsts, -lengths))
    return list(zip(firsts[order].tolist(), lengths[order].tolist(), hashes[order], strict=True))


def _is_tandem(runs: Stretches, places: "Places", length: int, width: int) -> bool:
    """Whether a stretch is nothing but something shorter in a row, which is told itself."""
    period = int(places[1] - places[0]) if len(places) > 1 else 0
    if not width <= period < length:
        return False
    ends = runs.hashes(places[:2], length - period)
    return bool(ends[0] == ends[1])


def _apart(places: list[int], size: int) -> tuple[int, ...]:
    """Return places from the first on that do not overlap."""
    kept: list[int] = []
    for place in places:
        if not kept or place >= kept[-1] + size:
            kept.append(place)
    return tuple(kept)
