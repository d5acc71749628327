"""Exact and renamed clones: repeats of the row of words, verified word by word."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchpin.core import Job

from .corpus import Corpus
from .grams import may_repeat
from .hashing import Stretches, distances_to_previous, renamed_windows_of, windows_of
from .reading import NAME
from .repeats import Repeat, find_repeats

if TYPE_CHECKING:
    from .corpus import Hashes, Row

_GRAM = 4
_LEAST_VARIETY = 0.25
"""The share of different stretches of four words below which code is a table."""
_MOST = 0.8
"""A renamed clone is left out when so much of it stands in another one already."""
_BUCKET = 64


@dataclass(frozen=True, slots=True)
class Minimum:
    """How long a clone must be."""

    words: int
    lines: int


def find_exact(corpus: Corpus, minimum: Minimum, job: Job) -> list[Repeat]:
    """Return the stretches that stand more than once, word for word."""
    width = minimum.words
    places = may_repeat(corpus.words, width)
    hashes = Stretches(corpus.words).hashes(places, width)
    found = (
        same
        for repeat in find_repeats(places, hashes, width, job)
        for same in _alike(repeat, _Exact(corpus.words))
    )
    return _telling(_long_enough(corpus, found, minimum.lines), 1)


def find_renamed(corpus: Corpus, minimum: Minimum, job: Job) -> list[Repeat]:
    """Return the stretches that stand more than once if names and literals may differ.

    Each name must stand for one name of the other place throughout. Those that are the same word
    for word are left out, and so are tables: what repeats itself every few words.
    """
    distances = distances_to_previous(corpus.words, corpus.shapes == NAME)
    grams = windows_of(corpus.shapes, _GRAM)
    rename = _Renamed(corpus.shapes, distances)
    width = minimum.words
    places = may_repeat(corpus.shapes, width)
    hashes = renamed_windows_of(corpus.shapes, distances, width)[places]
    found = (
        same
        for repeat in find_repeats(places, hashes, width, job)
        for part in rename.parts(repeat, width)
        for same in _alike(part, rename)
        if not _is_table(grams, same) and not _is_same(corpus.words, same)
    )
    return _telling(_long_enough(corpus, found, minimum.lines), _MOST)


class _Exact:
    """Compares word for word."""

    def __init__(self, words: "Row") -> None:
        self._words = words

    def of(self, place: int, size: int) -> bytes:
        """Return what is equal where stretches are clones of each other."""
        return self._words[place : place + size].tobytes()


class _Renamed:
    """Compares up to a renaming."""

    def __init__(self, shapes: "Row", distances: "Row") -> None:
        self._shapes = shapes
        self._distances = distances

    def of(self, place: int, size: int) -> bytes:
        """Return what is equal where stretches are clones of each other."""
        import numpy as np

        distances = self._distances[place : place + size]
        inside = np.where(distances > np.arange(size), 0, distances)
        return self._shapes[place : place + size].tobytes() + inside.tobytes()

    def parts(self, repeat: Repeat, width: int) -> list[Repeat]:
        """Cut a repeat where a name stands for another one than it did far before.

        Windows agree in the names within them; longer stretches need not.
        """
        import numpy as np

        first, *others = repeat.places
        known = self.of(first, repeat.size)
        if any(self.of(place, repeat.size) == known for place in others):
            return [repeat]
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


def _alike(repeat: Repeat, rule: _Exact | _Renamed) -> Iterator[Repeat]:
    """Return the places that are equal, each with those that it is equal to."""
    places = defaultdict[bytes, list[int]](list)
    for place in repeat.places:
        places[rule.of(place, repeat.size)].append(place)
    return (Repeat(tuple(same), repeat.size) for same in places.values() if len(same) > 1)


def _is_same(words: "Row", repeat: Repeat) -> bool:
    exact = _Exact(words)
    first = exact.of(repeat.places[0], repeat.size)
    return all(exact.of(place, repeat.size) == first for place in repeat.places[1:])


def _is_table(grams: "Hashes", repeat: Repeat) -> bool:
    first = repeat.places[0]
    inside = grams[first : first + repeat.size - _GRAM + 1].tolist()
    return len(set(inside)) < _LEAST_VARIETY * len(inside)


def _long_enough(corpus: Corpus, repeats: Iterable[Repeat], least: int) -> Iterator[Repeat]:
    """Leave out places that have too few lines."""
    for repeat in repeats:
        lasts = [place + repeat.size - 1 for place in repeat.places]
        kept = tuple(
            place
            for place, last in zip(repeat.places, lasts, strict=True)
            if corpus.end_lines[last] - corpus.lines[place] >= least - 1
        )
        if len(kept) > 1:
            yield Repeat(kept, repeat.size)


def _telling(repeats: Iterable[Repeat], share: float) -> list[Repeat]:
    """Leave out what says little more than a bigger clone does.

    That is what has each of its places, to such a share, inside another place of that one.
    """
    kept: list[Repeat] = []
    around = defaultdict[int, list[tuple[int, int, int]]](list)
    for repeat in sorted(repeats, key=_weight):
        size = repeat.size
        inside = {
            (number, start)
            for place in repeat.places
            for number, start, end in around[(place + size // 2) // _BUCKET]
            if min(place + size, end) - max(place, start) >= share * size
        }
        if len(repeat.places) in Counter(number for number, _ in inside).values():
            continue
        for place in repeat.places:
            for bucket in range(place // _BUCKET, (place + size) // _BUCKET + 1):
                around[bucket].append((len(kept), place, place + size))
        kept.append(repeat)
    return kept


def _weight(repeat: Repeat) -> tuple[int, int, tuple[int, ...]]:
    """Return what to sort by: how many words could go, and the places."""
    return -repeat.size * (len(repeat.places) - 1), -repeat.size, repeat.places
