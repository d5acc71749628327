"""Find everything that occurs more than once in an array of tokens, as groups of places."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from benchpin.core.calls import Job

from ._hashing import PartHashes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Hashes, Ids, Places

# How many places of one repeat are reported.
MAX_PLACES = 1_000
# How many repeats are looked up at once: a NumPy call costs the same for few numbers and many.
_AT_ONCE = 2_048
_SORTED_AT_ONCE = 1 << 20
_HASH_BITS = 64
# A window is paired with this many equal windows before it; all pairs would be quadratic.
_MAX_STEPS = 8


@dataclass(frozen=True, slots=True)
class Repeat:
    """A token sequence and the places where it occurs, in order, without overlaps."""

    places: tuple[int, ...]
    size: int


class Repeats:
    """Many repeats as arrays: a NumPy call costs the same for few numbers and many."""

    def __init__(self, places: "Places", counts: "Places", sizes: "Places") -> None:
        """Take the places of one repeat after the other, how many each has, and its tokens."""
        import numpy as np

        self.places = places
        self.counts = counts
        self.sizes = sizes
        self.begins: Places = np.cumsum(counts) - counts
        """Where the places of each repeat begin."""

    @classmethod
    def of(cls, repeats: Sequence[Repeat]) -> "Repeats":
        """Return repeats as arrays."""
        import numpy as np

        places = np.fromiter(chain.from_iterable(it.places for it in repeats), np.int64)
        counts = np.array([len(it.places) for it in repeats], np.int64)
        return cls(places, counts, np.array([it.size for it in repeats], np.int64))

    def __iter__(self) -> Iterator[Repeat]:
        """Yield one after the other."""
        places = self.places.tolist()
        rows = zip(self.begins.tolist(), self.counts.tolist(), self.sizes.tolist(), strict=True)
        for begin, count, size in rows:
            yield Repeat(tuple(places[begin : begin + count]), size)

    @property
    def owners(self) -> "Places":
        """The number of the repeat that each place is of."""
        import numpy as np

        return np.repeat(np.arange(len(self.counts)), self.counts)

    def places_of(self, number: int) -> list[int]:
        begin = int(self.begins[number])
        places: list[int] = self.places[begin : begin + int(self.counts[number])].tolist()
        return places

    def where(self, is_kept: "NDArray[np.bool_]") -> "Repeats":
        import numpy as np

        places = self.places[np.repeat(is_kept, self.counts)]
        return Repeats(places, self.counts[is_kept], self.sizes[is_kept])

    def at(self, is_kept: "NDArray[np.bool_]") -> "Repeats":
        """Return the repeats with some of their places; some may have none."""
        return Repeats(self.places[is_kept], self.count(is_kept), self.sizes)

    def count(self, is_so: "NDArray[np.bool_]") -> "Places":
        """Return at how many places of each repeat something is so."""
        import numpy as np

        so_before = np.append(0, np.cumsum(is_so))
        counts: Places = so_before[self.begins + self.counts] - so_before[self.begins]
        return counts

    def every(self, is_so: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
        """Return of which repeats something is so at every place."""
        is_everywhere: NDArray[np.bool_] = self.count(is_so) == self.counts
        return is_everywhere


class Windows(NamedTuple):
    """Windows of tokens that occur more than once, sorted by group and by place in a group."""

    places: "Ids"
    groups: "Ids"
    """A number for each distinct window."""

    def with_one_at(self, is_wanted: "NDArray[np.bool_]") -> "Windows":
        """Return the groups that have a window at a wanted position of the corpus."""
        import numpy as np

        has_one = np.zeros(int(self.groups.max(initial=0)) + 1, np.bool_)
        has_one[self.groups[is_wanted[self.places]]] = True
        kept = has_one[self.groups]
        return Windows(self.places[kept], self.groups[kept])


def repeated_windows(places: "Ids", hashes: "Hashes") -> Windows:
    """Return those of some windows, which are in order, that have the hash of another one."""
    import numpy as np

    orders = [np.zeros(0, np.int32)]
    groups = [np.zeros(0, np.int32)]
    count = 0
    for chosen in _by_hash(hashes):
        order, numbers = _repeated_in(hashes[chosen])
        orders.append(chosen[order])
        groups.append((numbers + count).astype(np.int32))
        count += int(numbers[-1]) + 1 if len(numbers) else 0
    return Windows(places[np.concatenate(orders)], np.concatenate(groups))


def _by_hash(hashes: "Hashes") -> "Iterator[Ids]":
    """Yield the positions of hashes, those with the lowest ones first, some at a time.

    Parts are sorted in the processor cache, and what sorting needs is small.
    """
    import numpy as np

    bits = (len(hashes) // _SORTED_AT_ONCE).bit_length()
    for part in range(1 << bits):
        is_here = hashes >= np.uint64(part << (_HASH_BITS - bits))
        if part + 1 < 1 << bits:
            is_here &= hashes < np.uint64((part + 1) << (_HASH_BITS - bits))
        yield np.flatnonzero(is_here).astype(np.int32)


def _repeated_in(hashes: "Hashes") -> "tuple[Places, Places]":
    """Return the positions of those that are there more than once, by hash, and a number of it."""
    import numpy as np

    bits = max(1, len(hashes).bit_length())
    below = np.uint64((1 << bits) - 1)
    # Upper bits of the hash and position in one number: sorts faster than argsort, and stably.
    keys = hashes & ~below
    keys |= np.arange(len(hashes), dtype=np.uint64)
    keys.sort()
    order = (keys[_are_repeated(keys >> np.uint64(bits))] & below).astype(np.int64)
    found = hashes[order]
    if bool((found[1:] < found[:-1]).any()) or not _are_repeated(found).all():
        # The upper bits of different windows were the same: compare all bits of those few.
        order = order[np.lexsort((order, found))]
        order = order[_are_repeated(hashes[order])]
        found = hashes[order]
    groups = np.zeros(len(order), np.int64)
    np.cumsum(found[1:] != found[:-1], out=groups[1:])
    return order, groups


def _are_repeated(row: "Hashes") -> "NDArray[np.bool_]":
    """Return which numbers of a sorted row are in it more than once."""
    import numpy as np

    is_repeated = np.zeros(len(row), np.bool_)
    is_repeated[1:] = row[1:] == row[:-1]
    is_repeated[:-1] |= is_repeated[1:]
    return is_repeated


def find_repeats(windows: Windows, width: int, job: Job) -> Iterator[Repeats]:
    """Yield repeats made of windows of `width` tokens, longest first, many at a time.

    Each window is paired with earlier ones of its group, a pair is extended to both sides, and the
    sequence found so is looked up at all places where it may begin.
    """
    groups = _Groups(windows)
    runs = PartHashes(groups.row)
    found = [groups.extended(runs, width, step) for step in range(1, _MAX_STEPS + 1)]
    candidates = _distinct(runs, found)
    parts = [candidates.part(at) for at in range(0, len(candidates.firsts), _AT_ONCE)]
    for part in job.each(parts, f"steps of {_AT_ONCE:,} repeats"):
        yield _apart(groups.places_of(runs, part, width), width)


class _Runs(NamedTuple):
    """Runs of windows: the first window, the number of windows and the hash of each."""

    firsts: "Places"
    lengths: "Places"
    hashes: "Hashes"

    def part(self, at: int) -> "_Runs":
        """Return as many of them as are looked up at once."""
        to = at + _AT_ONCE
        return _Runs(self.firsts[at:to], self.lengths[at:to], self.hashes[at:to])


class _Groups:
    """The windows in the order of the corpus, and by group."""

    def __init__(self, windows: Windows) -> None:
        import numpy as np

        order = np.argsort(windows.places, kind="stable")
        repeated = windows.places[order]
        # Windows that are not adjacent get a unique one between them, so that no run crosses a gap.
        at = np.arange(len(repeated), dtype=np.int32)
        at[1:] += np.cumsum(repeated[1:] > repeated[:-1] + 1, dtype=np.int32)
        size = int(at.max(initial=-1)) + 1
        self.places = np.zeros(size, np.int32)
        """The position of each window."""
        self.places[at] = repeated
        self._members: Ids = np.empty_like(at)
        """The windows, sorted by group."""
        self._members[order] = at
        self._groups = windows.groups
        self.row = np.arange(-1, -1 - size, -1, dtype=np.int32)
        """The group of each window."""
        self.row[self._members] = self._groups

    def places_of(self, found: PartHashes, runs: _Runs, width: int) -> Repeats:
        """Return the places where runs occur, in order; no more than `MAX_PLACES` of each."""
        import numpy as np

        group = self.row[runs.firsts]
        starts, ends = self._groups.searchsorted(group), self._groups.searchsorted(group + 1)
        counts = np.minimum(ends - starts, MAX_PLACES)
        owners = np.repeat(np.arange(len(counts)), counts)
        at = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(len(owners))
        begins, lengths = self._members[at], runs.lengths[owners]
        is_inside = begins <= len(self.row) - lengths
        begins, lengths, owners = begins[is_inside], lengths[is_inside], owners[is_inside]
        is_equal = found.hashes(begins, lengths) == runs.hashes[owners]
        counts = np.bincount(owners[is_equal], minlength=len(counts))
        places = self.places[begins[is_equal]].astype(np.int64)
        return Repeats(places, counts, runs.lengths + width - 1)

    def extended(self, runs: PartHashes, width: int, step: int) -> "tuple[Places, Places]":
        """Return the runs that windows have in common with the one `step` before them in its group.

        Each is given by its first window and its number of windows: once from where the pair was
        found, and once extended to the left, where fewer places may be equal.
        """
        import numpy as np

        firsts, seconds = self._pairs(width, step)
        back = _longest(lambda n: runs.hashes(firsts - n, n) == runs.hashes(seconds - n, n), firsts)
        most = len(self.row) - seconds
        ahead = _longest(lambda n: runs.hashes(firsts, n) == runs.hashes(seconds, n), most)
        # A run that overlaps its own copy is periodic: it is cut where the copy begins.
        apart = self.places[seconds] - self.places[firsts] - width + 1
        begins = np.concatenate((firsts - back, firsts))
        lengths = np.concatenate((np.minimum(ahead + back, apart), np.minimum(ahead, apart)))
        return begins, lengths

    def _pairs(self, width: int, step: int) -> "tuple[Places, Places]":
        """Return pairs of equal windows that do not continue the pair before them."""
        import numpy as np

        is_alike = self._groups[step:] == self._groups[:-step]
        previous, here = self._members[:-step][is_alike], self._members[step:][is_alike]
        is_apart = self.places[here] - self.places[previous] >= width
        before = np.full(len(self.row) + 1, -2, np.int32)
        before[here[is_apart] + 1] = previous[is_apart]
        begins = before[1:] >= 0
        begins &= before[1:] != before[:-1] + 1
        seconds = np.flatnonzero(begins)
        return before[seconds + 1].astype(np.int64), seconds


def _longest(agree: "Callable[[Places], NDArray[np.bool_]]", most: "Places") -> "Places":
    """Return for each pair the longest length that agrees, by binary search."""
    import numpy as np

    low, high = np.zeros_like(most), most.copy()
    while bool((low < high).any()):
        middle = (low + high + 1) // 2
        is_equal = agree(middle)
        low = np.where(is_equal, middle, low)
        high = np.where(is_equal, high, middle - 1)
    return low


def _distinct(runs: PartHashes, found: "Sequence[tuple[Places, Places]]") -> _Runs:
    """Return each run once, longest first."""
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
    return _Runs(firsts[order], lengths[order], hashes[order])


def _apart(found: Repeats, width: int) -> Repeats:
    """Return those with two places or more that do not overlap an earlier one.

    Without those that only repeat a shorter one, which is reported itself.
    """
    import numpy as np

    found = found.where(found.counts > 1)
    steps = found.places[found.begins + 1] - found.places[found.begins]
    is_tandem = (steps >= width) & (steps < found.sizes - width + 1)
    found = found.where(~is_tandem)
    is_kept = np.ones(len(found.places), np.bool_)
    steps = np.diff(found.places, prepend=0)
    steps[found.begins] = found.sizes
    overlapping = np.unique(found.owners[steps < np.repeat(found.sizes, found.counts)])
    for at in overlapping.tolist():
        size, begin = int(found.sizes[at]), int(found.begins[at])
        free = -1
        for number, place in enumerate(found.places_of(at), start=begin):
            is_kept[number] = place >= free
            if place >= free:
                free = place + size
    found = found.at(is_kept)
    return found.where(found.counts > 1)
