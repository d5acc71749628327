"""Exact and renamed clones: repeated token sequences, verified token by token."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from benchpin.core import Job

from .corpus import Corpus
from .hashing import distances_to_previous, renamed_windows_of, windows_of
from .prefilter import may_repeat
from .repeats import Repeat, Windows, find_repeats, repeated_windows
from .token_arrays import NAME
from .whole_lines import WholeLines

if TYPE_CHECKING:
    from .corpus import Checksums, Hashes, Ids, Places

_GRAM = 4
_LEAST_VARIETY = 0.25
"""The share of distinct 4-grams of tokens below which code is a table of data."""
_MOST_COVERED = 0.8
"""A renamed clone is left out if so much of it is in a bigger one."""
_BUCKET = 64
"""Positions are looked up by buckets of this many tokens."""


_TOKENS_PER_LINE = 10
_MOST_LEAST_TOKENS = 50


@dataclass(frozen=True, slots=True)
class Minimum:
    """The fewest lines of a clone, and the fewest tokens."""

    lines: int = 5
    tokens: int | None = None
    """Without a number: 10 for each of these lines, at most 50, and any for whole functions."""

    @property
    def window(self) -> int:
        """The fewest tokens of a clone that is not a whole function."""
        return self.tokens or min(_TOKENS_PER_LINE * self.lines, _MOST_LEAST_TOKENS)


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
        exact = _Exact(self._corpus.tokens)
        found = (
            lines
            for repeat in find_repeats(windows, width, job)
            for same in exact.groups(repeat)
            if (lines := whole.inside(same)) is not None and lines.size >= width
        )
        return _without_covered(_long_enough(self._corpus, found, self._minimum.lines), 1)


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
        corpus, width = self._corpus, self._minimum.window
        grams = _grams(corpus)
        rename = _Renamed(corpus.shapes, self._distances)
        exact = _Exact(corpus.tokens)
        found = (
            same
            for repeat in find_repeats(windows, width, job)
            for same in rename.groups(repeat, width)
            if not _is_table(grams, same) and not _are_equal(exact.rows(same))
        )
        return _without_covered(_long_enough(corpus, found, self._minimum.lines), _MOST_COVERED)


def _repeated(
    corpus: Corpus, places: "Places", width: int, hashes_in: "Callable[[slice], Hashes]"
) -> Windows:
    """Return the windows at some places that occur more than once, by hashes of some files."""
    import numpy as np

    kept = [places[:0]]
    hashes = [np.zeros(0, np.uint64)]
    for files in corpus.stretches():
        start, end = corpus.starts[[files.start, files.stop]].tolist()
        first, last = places.searchsorted((start, end - width + 1)).tolist()
        kept.append(places[first:last])
        hashes.append(hashes_in(slice(start, end))[places[first:last] - start])
    return repeated_windows(np.concatenate(kept), np.concatenate(hashes))


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


def _grams(corpus: Corpus) -> "Checksums":
    """Return a hash of the shapes of every few tokens in a row, within a file."""
    import numpy as np

    grams = np.zeros(len(corpus.shapes), np.uint32)
    for files in corpus.stretches():
        start, end = corpus.starts[[files.start, files.stop]].tolist()
        found = windows_of(corpus.shapes[start:end], _GRAM)
        grams[start : start + len(found)] = found  # the lower bits are enough to tell them apart
    return grams


class _Exact:
    """Compares token by token."""

    def __init__(self, tokens: "Ids") -> None:
        self._tokens = tokens

    def rows(self, repeat: Repeat) -> "Ids":
        """Return a row for each place; those of clones are equal."""
        return self._tokens[_positions(repeat)]

    def groups(self, repeat: Repeat) -> Iterator[Repeat]:
        """Split a repeat into groups of places that are really equal."""
        return _alike(repeat, self.rows(repeat))


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


def _are_equal(rows: "Ids") -> bool:
    return bool((rows[1:] == rows[0]).all())


def _alike(repeat: Repeat, rows: "Ids") -> Iterator[Repeat]:
    """Split a repeat into groups of places with equal rows."""
    if _are_equal(rows):  # almost always
        yield repeat
        return
    places = defaultdict[bytes, list[int]](list)
    for place, row in zip(repeat.places, rows, strict=True):
        places[row.tobytes()].append(place)
    yield from (Repeat(tuple(same), repeat.size) for same in places.values() if len(same) > 1)


def _is_table(grams: "Checksums", repeat: Repeat) -> bool:
    first = repeat.places[0]
    inside = grams[first : first + repeat.size - _GRAM + 1].tolist()
    return len(set(inside)) < _LEAST_VARIETY * len(inside)


def _long_enough(corpus: Corpus, repeats: Iterable[Repeat], least: int) -> Iterator[Repeat]:
    """Drop the places with too few lines."""
    import numpy as np

    for repeat in repeats:
        places = np.array(repeat.places)
        heights = corpus.end_lines[places + repeat.size - 1] - corpus.lines[places]
        kept = places[heights >= least - 1]
        if len(kept) > 1:
            yield Repeat(tuple(kept.tolist()), repeat.size)


def _without_covered(repeats: Iterable[Repeat], share: float) -> list[Repeat]:
    """Leave out clones that a bigger clone covers.

    One covers another if each place of that is inside another place of this, to such a share.
    """
    kept: list[Repeat] = []
    around = defaultdict[int, list[tuple[int, int, int]]](list)
    for repeat in sorted(repeats, key=_weight):
        if _is_covered(repeat, around, share):
            continue
        for place in repeat.places:
            for bucket in range(place // _BUCKET, (place + repeat.size) // _BUCKET + 1):
                around[bucket].append((len(kept), place, place + repeat.size))
        kept.append(repeat)
    return kept


def _is_covered(
    repeat: Repeat, around: "defaultdict[int, list[tuple[int, int, int]]]", share: float
) -> bool:
    size, least = repeat.size, share * repeat.size
    starts: dict[int, set[int]] | None = None
    """For each clone that covers all places up to here, where."""
    for place in repeat.places:
        end = place + size
        inside: dict[int, set[int]] = {}
        for number, start, stop in around.get((place + size // 2) // _BUCKET, ()):
            # The inner loop: no function calls.
            overlap = (min(stop, end)) - (max(start, place))
            if overlap >= least and (starts is None or number in starts):
                inside[number] = {start} if starts is None else starts[number] | {start}
        if not inside:
            return False
        starts = inside
    return any(len(it) == len(repeat.places) for it in (starts or {}).values())


def _weight(repeat: Repeat) -> tuple[int, int, tuple[int, ...]]:
    """Return the sort key: most removable tokens first, then by places."""
    return -repeat.size * (len(repeat.places) - 1), -repeat.size, repeat.places
