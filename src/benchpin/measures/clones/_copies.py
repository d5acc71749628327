"""Exact and renamed clones: repeated token sequences, verified token by token."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from benchpin.core.calls import Job

from ._corpus import Corpus, gather
from ._hashing import distances_to_previous, may_repeat, renamed_windows_of, windows_of
from ._repeats import Repeat, Repeats, Windows, find_repeats, repeated_windows
from ._side_by_side import SideBySide, WholeLines, joined
from ._token_arrays import NAME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Hashes, Ids, Places

_GRAM = 4
# The share of distinct 4-grams of tokens below which code is a table of data.
_MIN_VARIETY = 0.25
# A renamed clone is left out if this share of it is in a bigger one.
_MAX_COVERED_SHARE = 0.8
# Positions are looked up by buckets of this many tokens.
_BUCKET = 64


_TOKENS_PER_LINE = 10
_MAX_MIN_TOKENS = 50


@dataclass(frozen=True, slots=True)
class Minimum:
    """The fewest lines of a clone, and the fewest tokens."""

    lines: int = 5
    tokens: int | None = None
    """Without a number: 10 for each of these lines, at most 50, and any for whole functions."""

    @property
    def window(self) -> int:
        """The fewest tokens of a clone that is not a whole function."""
        return self.tokens or min(_TOKENS_PER_LINE * self.lines, _MAX_MIN_TOKENS)


class Copies(Protocol):
    """What one type of copied code is, in one corpus."""

    def windows(self) -> Windows:
        """Return the smallest pieces of code that occur more than once."""

    def find(self, windows: Windows, job: Job) -> list[Repeat]:
        """Return the clones that some of these windows, of whole groups, are in."""


class ExactCopies:
    """Token sequences of whole lines that occur more than once."""

    def __init__(self, corpus: Corpus, minimum: Minimum) -> None:
        self._corpus = corpus
        self._minimum = minimum

    def windows(self) -> Windows:
        """Return the smallest token sequences that occur more than once."""
        tokens, width = self._corpus.tokens, self._minimum.window
        if self._corpus.device is not None:
            return self._corpus.device.windows(tokens, width)
        places = may_repeat(tokens, width)
        return _repeated(self._corpus, places, width, lambda it: windows_of(tokens[it], width))

    def find(self, windows: Windows, job: Job) -> list[Repeat]:
        """Return the clones that some of these windows, of whole groups, are in."""
        width = self._minimum.window
        whole = WholeLines(self._corpus)
        parts = find_repeats(windows, width, job)
        found = (it for part in parts for it in self._clones_in(part, whole))
        return _without_covered(found, 1)

    def _clones_in(self, repeats: Repeats, whole: WholeLines) -> Iterable[Repeat]:
        tokens = self._corpus.tokens
        is_same = repeats.every(SideBySide(repeats).agree(tokens))
        unlike = (_alike(it, tokens[_positions(it)]) for it in repeats.where(~is_same))
        repeats = joined(repeats.where(is_same), chain.from_iterable(unlike))
        # Tokens are counted before this cut, lines after it: a copy that begins or ends inside a
        # line would else be too small by what is not shown of it.
        return _long_enough(self._corpus, whole.inside(repeats), self._minimum.lines)


class RenamedCopies:
    """Token sequences that occur more than once up to names and literals.

    Each name must correspond to one name of the other place throughout. Exact clones are left out,
    and so are tables of data, which repeat themselves every few tokens.
    """

    def __init__(self, corpus: Corpus, minimum: Minimum) -> None:
        self._corpus = corpus
        self._minimum = minimum
        self._distances = _distances(corpus)

    def windows(self) -> Windows:
        """Return the smallest token sequences that occur more than once up to names."""
        shapes, width = self._corpus.shapes, self._minimum.window
        if self._corpus.device is not None:
            return self._corpus.device.renamed_windows(shapes, self._distances, width)
        places = may_repeat(shapes, width)
        return _repeated(
            self._corpus,
            places,
            width,
            lambda it: renamed_windows_of(shapes[it], self._distances[it], width),
        )

    def find(self, windows: Windows, job: Job) -> list[Repeat]:
        """Return the clones that some of these windows, of whole groups, are in."""
        parts = find_repeats(windows, self._minimum.window, job)
        found = (it for part in parts for it in self._clones_in(part))
        return _without_covered(found, _MAX_COVERED_SHARE)

    def _clones_in(self, repeats: Repeats) -> Iterable[Repeat]:
        corpus, minimum = self._corpus, self._minimum
        is_long = _are_long_enough(corpus, repeats, minimum.lines)
        repeats = repeats.where(repeats.count(is_long) > 1)
        rows = SideBySide(repeats)
        is_same = repeats.every(rows.agree(corpus.shapes))
        is_same &= repeats.every(rows.agree_in_distances(self._distances))
        is_new = ~repeats.every(rows.agree(corpus.tokens)) | ~is_same
        rename = _Renamed(corpus.shapes, self._distances)
        unlike = (rename.groups(it, minimum.window) for it in repeats.where(~is_same))
        parts = Repeats.of(list(chain.from_iterable(unlike)))
        parts = parts.where(~parts.every(SideBySide(parts).agree(corpus.tokens)))
        repeats = joined(repeats.where(is_same & is_new), parts)
        repeats = repeats.where(~_are_tables(corpus.shapes, repeats))
        return _long_enough(corpus, repeats, minimum.lines)


def _repeated(
    corpus: Corpus, places: "Ids", width: int, hashes_in: "Callable[[slice], Hashes]"
) -> Windows:
    """Return the windows at some places that occur more than once, by hashes of some files."""
    import numpy as np

    stretches = [corpus.starts[[it.start, it.stop]].tolist() for it in corpus.stretches()]
    edges = np.array([(start, end - width + 1) for start, end in stretches], np.int32)
    bounds = places.searchsorted(edges.reshape(-1, 2)).tolist()
    hashes = np.empty(len(places), np.uint64)
    kept = 0
    for (start, end), (first, last) in zip(stretches, bounds, strict=True):
        some = places[first:last]
        here = slice(kept, kept + len(some))
        hashes[here] = hashes_in(slice(start, end))[some - start]
        places[here] = some  # in place, over those before it that cross the end of a file
        kept = here.stop
    return repeated_windows(places[:kept], hashes[:kept])


def _distances(corpus: Corpus) -> "Ids":
    """Return for each name the distance to its previous occurrence in the file; 0 for others.

    For a name that is the first of its file it may also be one to a file before.
    """
    import numpy as np

    distances = np.zeros(len(corpus.tokens), np.int32)
    for files in corpus.stretches():
        here = slice(*corpus.starts[[files.start, files.stop]].tolist())
        is_name = corpus.shapes[here] == NAME
        distances[here] = distances_to_previous(corpus.tokens[here], is_name)
    return distances


class _Renamed:
    """Compares up to consistent renaming."""

    def __init__(self, shapes: "Ids", distances: "Ids") -> None:
        self._shapes = shapes
        self._distances = distances

    def rows(self, repeat: Repeat) -> "Ids":
        """Return a row for each place; those of clones are equal."""
        import numpy as np

        at = _positions(repeat)
        rows = np.empty((len(at), 2 * repeat.size), np.int32)
        distances = rows[:, repeat.size :]
        rows[:, : repeat.size] = self._shapes[at]
        distances[:] = self._distances[at]
        distances[distances > np.arange(repeat.size)] = 0  # a new name
        return rows

    def groups(self, repeat: Repeat, width: int) -> Iterator[Repeat]:
        """Split a repeat into groups of places that are really equal.

        Where the first place has no equal, it is cut where a name no longer corresponds to the same
        name of the other place: names correspond within every window, but not always over more.
        """
        rows = self.rows(repeat)
        if (rows[1:] == rows[0]).all(axis=1).any():
            return _alike(repeat, rows)
        parts = self._parts(repeat, width)
        return (same for part in parts for same in _alike(part, self.rows(part)))

    def _parts(self, repeat: Repeat, width: int) -> list[Repeat]:
        import numpy as np

        here, there = (self._distances[place : place + repeat.size] for place in repeat.places[:2])
        at = np.arange(repeat.size)
        nearer = np.minimum(*(np.where(it > 0, it, repeat.size) for it in (here, there)))
        lowest = np.where(here == there, 0, np.maximum(at - nearer + 1, 0))
        starts = np.maximum.accumulate(lowest)
        ends = np.flatnonzero(np.append(starts[1:] != starts[:-1], True)) + 1
        return [
            Repeat(tuple(place + start for place in repeat.places), end - start)
            for start, end in zip(starts[ends - 1].tolist(), ends.tolist(), strict=True)
            if end - start >= width
        ]


def _positions(repeat: Repeat) -> "Places":
    """Return the positions of the tokens of each place, in rows."""
    import numpy as np

    return np.array(repeat.places)[:, None] + np.arange(repeat.size)


def _alike(repeat: Repeat, rows: "Ids") -> Iterator[Repeat]:
    """Split a repeat into groups of places with equal rows."""
    if (rows[1:] == rows[0]).all():  # almost always
        yield repeat
        return
    places = defaultdict[bytes, list[int]](list)
    for place, row in zip(repeat.places, rows, strict=True):
        places[row.tobytes()].append(place)
    yield from (Repeat(tuple(same), repeat.size) for same in places.values() if len(same) > 1)


def _are_tables(shapes: "Ids", repeats: Repeats) -> "NDArray[np.bool_]":
    """Return which repeats are tables of data, by the first place of each."""
    import numpy as np

    firsts = repeats.places[repeats.begins]
    row, _ = gather(shapes, firsts, firsts + repeats.sizes)
    owners = np.repeat(np.arange(len(firsts)), repeats.sizes)
    grams = windows_of(row, _GRAM).astype(np.uint32)  # the lower bits tell them apart
    is_inside = owners[: len(grams)] == owners[_GRAM - 1 :]
    owners = owners[: len(grams)][is_inside]
    marked = (owners.astype(np.uint64) << np.uint64(32)) | grams[is_inside]
    marked.sort()
    is_new = np.ones(len(marked), np.bool_)
    is_new[1:] = marked[1:] != marked[:-1]
    distinct = np.bincount(owners[is_new], minlength=len(firsts))
    is_table: NDArray[np.bool_] = distinct < _MIN_VARIETY * (repeats.sizes - _GRAM + 1)
    return is_table


def _are_long_enough(corpus: Corpus, repeats: Repeats, least: int) -> "NDArray[np.bool_]":
    """Return which places have enough lines."""
    import numpy as np

    lasts = repeats.places + np.repeat(repeats.sizes, repeats.counts) - 1
    heights = corpus.lines.ends_of(lasts) - corpus.lines.of(repeats.places)
    is_long: NDArray[np.bool_] = heights >= least - 1
    return is_long


def _long_enough(corpus: Corpus, repeats: Repeats, least: int) -> Repeats:
    """Drop the places with too few lines."""
    repeats = repeats.at(_are_long_enough(corpus, repeats, least))
    return repeats.where(repeats.counts > 1)


def _without_covered(repeats: Iterable[Repeat], share: float) -> list[Repeat]:
    """Leave out clones that a bigger clone covers.

    One covers another if each place of that is inside another place of this, to such a share: more
    than half, so that at most one place of a clone, which do not overlap, is around a place.
    """
    kept: list[Repeat] = []
    around = defaultdict[int, list[tuple[int, int, int]]](list)
    for repeat in sorted(repeats, key=_weight):
        if _is_covered(repeat, around, kept, share):
            continue
        for place in repeat.places:
            for bucket in range(place // _BUCKET, (place + repeat.size) // _BUCKET + 1):
                around[bucket].append((len(kept), place, len(repeat.places)))
        kept.append(repeat)
    return kept


def _is_covered(
    repeat: Repeat,
    around: "defaultdict[int, list[tuple[int, int, int]]]",
    kept: Sequence[Repeat],
    share: float,
) -> bool:
    size, least, first = repeat.size, share * repeat.size, repeat.places[0]
    for number, start, count in around.get((first + size // 2) // _BUCKET, ()):
        # The inner loop: the cheapest tests first.
        if count < len(repeat.places):
            continue
        clone = kept[number]
        if min(start + clone.size, first + size) - max(start, first) >= least and _covers(
            clone, repeat, least
        ):
            return True
    return False


def _covers(clone: Repeat, repeat: Repeat, least: float) -> bool:
    """Whether each place of a repeat is to such an extent inside another place of a clone."""
    size, places = clone.size, clone.places
    before = -1
    for place in repeat.places:
        # The last one that begins before the middle.
        at = bisect_right(places, place + repeat.size // 2) - 1
        if at <= before:
            return False
        start = places[at]
        if min(start + size, place + repeat.size) - max(start, place) < least:
            return False
        before = at
    return True


def _weight(repeat: Repeat) -> tuple[int, int, tuple[int, ...]]:
    """Return the sort key: most removable tokens first, then by places."""
    return -repeat.size * (len(repeat.places) - 1), -repeat.size, repeat.places
